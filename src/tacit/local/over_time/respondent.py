"""One respondent over time: a device that remembers its reports, and a budget that says when to stop asking."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from numbers import Integral
from threading import RLock
from typing import Any, TypeVar

from tacit.errors import Refused
from tacit.exact import Number, positive, whole
from tacit.frozen import frozen
from tacit.local.over_time.cost import fresh_cost, memoised_cost
from tacit.local.over_time.keyed import KeyedBits, a_key
from tacit.local.randomizers.randomizer import Randomizer
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Loss
from tacit.loss.filters.privacy_filter import Filter

Report = TypeVar("Report")


@frozen
class Asked:
    """A question that this device has agreed to answer as often as it is put: how, and for how many answers."""

    randomizer: Randomizer[Any]
    most_held: int


class Respondent:
    """A device that answers questions for one person, within that person's own pure ε.

    Claim: whoever chooses the questions, all reports of this device together cost at most the budget, under the
    relations of `memoised_cost` and `fresh_cost`, and as far as `KeyedBits` are fair bits. Proof: every question is
    charged in full when it is agreed to, and every fresh report before it is drawn; the charges are exact fractions
    and a filter adds them up. What is charged never depends on an answer: a refusal tells nothing about the person.

    A question agreed to for D answers is charged D·ε once. An answer beyond the Dth different one is answered by the
    report last sent, since a refusal, or one more draw, would tell that there is one.
    """

    def __init__(self, key: bytes, budget: Number) -> None:
        self._key = a_key(key)
        self._filter = Filter(Pure(positive(budget, "budget")))
        self._asked: dict[str, Asked] = {}
        self._held: dict[str, list[int]] = {}
        self._lock = RLock()

    @property
    def spent(self) -> Loss:
        """What the charges so far add up to."""
        return self._filter.spent

    @property
    def left(self) -> Loss:
        """What may still be charged."""
        return self._filter.left

    def agree(self, question: str, randomizer: Randomizer[Any], most_held: int = 1) -> None:
        """Takes on a question, at the price of so many different answers; refused where the budget does not hold it.

        The same again is free. The same name for another randomizer, or for more answers, is refused.
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
        """One report drawn anew, charged before it is drawn; refused where the budget does not hold it."""
        known = _offered(randomizer, answer)
        with self._lock:
            self._filter = self._filter.charge(fresh_cost(randomizer, 1))
        return randomizer.report(known)

    def kept(self) -> dict[str, Any]:
        """All that must outlive a restart, but for the key, as JSON. It holds answers: it never leaves the device."""
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
        """Neither key nor answers."""
        return f"Respondent({self._filter}, {len(self._asked)} questions)"


def _offered(randomizer: Randomizer[Any], answer: int) -> int:
    if isinstance(answer, bool) or not (isinstance(answer, Integral) and 0 <= int(answer) < randomizer.answers):
        raise Refused("an answer that is none of those offered", "It has no report.", f"0 to {randomizer.answers - 1}.")
    return int(answer)
