"""Longitudinal reports: one respondent is asked repeatedly, on a device that stores its reports, within a budget.

The cost is that of fresh reports each time, or of one report for each answer ever held. The device derives memoised
bits again: a keystream for each question and answer, from the device's own key.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from fractions import Fraction
from hashlib import sha256
from numbers import Integral
from threading import RLock
from typing import Any, Final, TypeVar

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import Number, positive, whole
from tacit.frozen import frozen
from tacit.local.randomizers.randomizer import Randomizer
from tacit.loss.composition.sequential import Composition
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Loss
from tacit.loss.filters.privacy_filter import Filter
from tacit.noise.bits import ENTROPY, Bits


def fresh_cost(randomizer: Randomizer[Any], reports: int) -> Loss:
    """The cost of so many reports, each drawn anew.

    Claim, for the replacement of the respondent's whole history of answers by any other: these reports compose, so
    T reports cost T·ε, and less at δ > 0. Nothing else is revealed, not even whether the answer ever changed.
    """
    return _times(randomizer.loss, whole(reports, "reports", 1))


def memoised_cost(randomizer: Randomizer[Any], held: int) -> Loss:
    """The cost of any number of memoised reports of at most so many different answers.

    Claim, for the replacement of the respondent's history by another with the same times of sameness (v′(s) = v′(t)
    wherever v(s) = v(t), and only there): D different answers cost D·ε, however many reports are sent. Proof: the
    reports are a function of D independent ones, the same function for both histories. With D = 1, an answer that never
    changes, all histories of that kind are covered.

    What is not hidden: that the answer changed, and when. Two reports that differ can only come from two answers,
    so against a history of other times of sameness the loss is infinite. To hide changes, send fresh reports.
    """
    return _times(randomizer.loss, whole(held, "held", 1))


def _times(loss: Loss, count: int) -> Loss:
    return loss if count == 1 else Composition((loss,) * count)


KEY_BYTES: Final = 32
_PURPOSE: Final = b"tacit: a respondent's memory, version 1"


class KeyedBits(Bits):
    """The AES-256-CTR keystream of HMAC-SHA256(device key; question, answer, randomizer).

    Claim: without the key, the streams of different questions, answers or randomizers are independent
    fair bits, as far as HMAC-SHA256 is a pseudo-random function and AES a pseudo-random permutation; the same three
    give the same stream. Each part is written with its length before it, so no two triples are written alike. Every
    stream has a cipher key of its own, so that its counter may start at 0.
    """

    __slots__ = ("_stream",)

    def __init__(self, key: bytes, question: str, answer: int, randomizer: Randomizer[Any]) -> None:
        rule = json.dumps(randomizer.written(), sort_keys=True, separators=(",", ":"))
        parts = (_PURPOSE, question.encode(), str(answer).encode(), rule.encode())
        message = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
        own = hmac.new(a_key(key), message, sha256).digest()
        self._stream = Cipher(algorithms.AES(own), modes.CTR(bytes(16))).encryptor()

    def octets(self, count: int) -> NDArray[np.uint8]:
        return np.frombuffer(self._stream.update(bytes(count)), np.uint8)


def new_key() -> bytes:
    """A device's key, from the operating system's entropy.

    It never leaves the device: with it every answer can be read.
    """
    return ENTROPY.octets(KEY_BYTES).tobytes()


def a_key(key: bytes) -> bytes:
    """The key; anything else is refused without being shown."""
    if not (isinstance(key, bytes) and len(key) == KEY_BYTES):
        raise Refused("a device key", f"It is not {KEY_BYTES} bytes.", "new_key(), kept on the device.")
    return key


Report = TypeVar("Report")


@frozen
class Asked:
    """A question that this device has agreed to answer repeatedly: its randomizer and number of answers."""

    randomizer: Randomizer[Any]
    most_held: int


class Respondent:
    """A device that answers questions for one person, within that person's own pure ε.

    Claim: for any choice of questions, all reports of this device together cost at most the budget, under the
    relations of `memoised_cost` and `fresh_cost`, and as far as `KeyedBits` are fair bits. Proof: every question is
    charged in full when it is agreed to, and every fresh report before it is drawn; the charges are exact fractions
    and a filter adds them up. What is charged never depends on an answer: a refusal reveals nothing about the person.

    A question agreed to for D answers is charged D·ε once. An answer beyond the Dth different one is answered by the
    report last sent, since a refusal, or another draw, would reveal it.
    """

    def __init__(self, key: bytes, budget: Number) -> None:
        self._key = a_key(key)
        self._filter = Filter(Pure(positive(budget, "budget")))
        self._asked: dict[str, Asked] = {}
        self._held: dict[str, list[int]] = {}
        self._lock = RLock()

    @property
    def spent(self) -> Loss:
        """The sum of the charges so far."""
        return self._filter.spent

    @property
    def left(self) -> Loss:
        """The budget that is left."""
        return self._filter.left

    def agree(self, question: str, randomizer: Randomizer[Any], most_held: int = 1) -> None:
        """Agree to a question, at the price of so many different answers; refused where the budget does not suffice.

        Repeating an agreement is free. The same name for another randomizer, or for more answers, is refused.
        """
        wanted = Asked(randomizer, whole(most_held, "most_held", 1))
        with self._lock:
            known = self._asked.get(question)
            if known is None:
                self._filter = self._filter.charge(memoised_cost(randomizer, wanted.most_held))
                self._asked[question], self._held[question] = wanted, []
            elif known != wanted:
                raise Refused(
                    f"the question {question!r} in another form",
                    "Its reports would tell more than was agreed to.",
                    "the form agreed to first, or a question of another name.",
                )

    def report(self, question: str, answer: int) -> Any:
        """The report of an answer to a question agreed to: for the same answer always the same, free of charge."""
        with self._lock:
            asked = self._asked.get(question)
            if asked is None:
                raise Refused(f"a report on {question!r}", "It was never agreed to.", "`agree` first, which charges.")
            known = _offered(asked.randomizer, answer)
            held = self._held[question]
            if known in held:
                held.remove(known)
            elif len(held) == asked.most_held:
                known = held.pop()
            held.append(known)  # the last is the one last reported
            return asked.randomizer.draw(known, KeyedBits(self._key, question, known, asked.randomizer))

    def fresh(self, randomizer: Randomizer[Report], answer: int) -> Report:
        """A fresh report, charged before it is drawn; refused if it does not fit the budget."""
        known = _offered(randomizer, answer)
        with self._lock:
            self._filter = self._filter.charge(fresh_cost(randomizer, 1))
        return randomizer.report(known)

    def kept(self) -> dict[str, Any]:
        """The state for a restart, without the key, as JSON. It contains answers and must never leave the device."""
        with self._lock:
            return {
                "budget": [str(amount) for amount in self._filter.limit],
                "used": [str(amount) for amount in self._filter.used],
                "questions": {
                    name: {"rule": asked.randomizer.written(), "most": asked.most_held, "held": list(self._held[name])}
                    for name, asked in self._asked.items()
                },
            }

    @classmethod
    def restored(cls, key: bytes, kept: dict[str, Any], randomizers: Mapping[str, Randomizer[Any]]) -> Respondent:
        """The device as it was; each of its questions must come with the randomizer that it was agreed to with."""
        found = cls(key, kept["budget"][0])
        found._filter = Filter(found._filter.budget, tuple(Fraction(amount) for amount in kept["used"]))
        for name, question in kept["questions"].items():
            if not (name in randomizers and randomizers[name].written() == question["rule"]):
                raise Refused(f"the question {name!r}", "It was agreed to with another randomizer.", "the same one.")
            found._asked[name] = Asked(randomizers[name], whole(question["most"], "most", 1))
            found._held[name] = [_offered(randomizers[name], answer) for answer in question["held"]]
        return found

    def __repr__(self) -> str:
        """A repr without key and answers."""
        return f"Respondent({self._filter}, {len(self._asked)} questions)"


def _offered(randomizer: Randomizer[Any], answer: int) -> int:
    if isinstance(answer, bool) or not (isinstance(answer, Integral) and 0 <= int(answer) < randomizer.answers):
        raise Refused("an answer that is none of those offered", "It has no report.", f"0 to {randomizer.answers - 1}.")
    return int(answer)
