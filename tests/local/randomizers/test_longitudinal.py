"""Repeated reports: the cost of each way, enumerated over whole histories; budgets that refuse in time; twins."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from tests.goodness import FALSE_ALARM, p_value
from tests.local.randomizers.laws import worst_ratio

from tacit.errors import Refused
from tacit.local.randomizers.longitudinal import KeyedBits, Respondent, fresh_cost, memoised_cost, new_key
from tacit.local.randomizers.randomizer import Randomizer, WeightTable
from tacit.local.randomizers.subset_selection import KaryResponse, SubsetSelection

KEY = bytes(range(32))
THREE = KaryResponse(3, Fraction(5, 2))
UNEVEN = WeightTable.of([["1/2", "3/10", "1/5"], ["1/5", "2/5", "2/5"], ["1/3", "1/3", "1/3"]])
Law = dict[tuple[Any, ...], Fraction]


def memoised_law(randomizer: Randomizer[Any], history: Sequence[int]) -> Law:
    """The exact law of the reports of a history: one draw for each different answer."""
    held = sorted(set(history))
    law: Law = {}
    for drawn in product(list(randomizer.alphabet()), repeat=len(held)):
        chance = Fraction(1)
        for answer, report in zip(held, drawn, strict=True):
            chance *= randomizer.probability(answer, report)
        seen = tuple(drawn[held.index(answer)] for answer in history)
        law[seen] = law.get(seen, Fraction(0)) + chance
    return law


def redrawn_law(randomizer: Randomizer[Any], history: Sequence[int]) -> Law:
    """The twin: a memory that draws anew each time."""
    law: Law = {}
    for seen in product(list(randomizer.alphabet()), repeat=len(history)):
        chance = Fraction(1)
        for answer, report in zip(history, seen, strict=True):
            chance *= randomizer.probability(answer, report)
        law[seen] = chance
    return law


def sameness(history: Sequence[int]) -> tuple[int, ...]:
    return tuple(history.index(answer) for answer in history)


def worst_of(laws: Sequence[Law]) -> Fraction | None:
    """The largest ratio of two laws' chances of one outcome; None where one is 0 and the other is not."""
    worst = Fraction(1)
    for outcome in set().union(*laws):
        chances = [law.get(outcome, Fraction(0)) for law in laws]
        if min(chances) == 0:
            return None
        worst = max(worst, max(chances) / min(chances))
    return worst


@pytest.mark.parametrize("randomizer", [THREE, UNEVEN], ids=str)
def test_costs_are_those_of_whole_histories(randomizer: Randomizer[Any]) -> None:
    """All 27 histories of three reports, by their times of sameness: exact ratios within r^D, and r^T afresh."""
    ratio = worst_ratio(randomizer)
    assert ratio is not None
    histories = list(product(range(3), repeat=3))
    for pattern in {sameness(each) for each in histories}:
        group = [each for each in histories if sameness(each) == pattern]
        found = worst_of([memoised_law(randomizer, each) for each in group])
        held = len(set(pattern))
        assert found is not None
        assert found <= ratio**held
        assert memoised_cost(randomizer, held).epsilon(0) == pytest.approx(held * np.log(float(ratio)))
    afresh = worst_of([redrawn_law(randomizer, each) for each in histories])
    assert afresh is not None
    assert afresh <= ratio**3
    assert fresh_cost(randomizer, 3).epsilon(0) == pytest.approx(3 * np.log(float(ratio)))


def test_changes_are_not_hidden_as_the_claim_says() -> None:
    assert worst_of([memoised_law(THREE, (0, 0)), memoised_law(THREE, (0, 1))]) is None


def test_a_redrawn_memory_is_caught() -> None:
    """Three reports of one unchanging answer: memoised they cost r, redrawn r³, far above the price of one."""
    steady = [(answer,) * 3 for answer in range(3)]
    assert worst_of([memoised_law(THREE, each) for each in steady]) == THREE.odds
    assert worst_of([redrawn_law(THREE, each) for each in steady]) == THREE.odds**3


@pytest.mark.parametrize("randomizer", [THREE, UNEVEN, SubsetSelection(5, 2, Fraction(3))], ids=str)
def test_the_same_answer_always_gives_the_same_report(randomizer: Randomizer[Any]) -> None:
    device = Respondent(KEY, 100)
    device.agree("colour", randomizer, 3)
    first = [device.report("colour", answer) for answer in range(3)]
    assert [device.report("colour", answer) for answer in (2, 0, 1, 1)] == [first[2], first[0], first[1], first[1]]
    again = Respondent(KEY, 100)
    again.agree("colour", randomizer, 3)
    assert [again.report("colour", answer) for answer in range(3)] == first


def test_a_device_that_redraws_is_caught() -> None:
    class Forgetful(Respondent):
        def report(self, question: str, answer: int) -> Any:
            return self._asked[question].randomizer.report(answer)

    device = Forgetful(KEY, 10)
    device.agree("colour", KaryResponse(2**20, Fraction(2)))
    assert len({device.report("colour", 5) for _ in range(20)}) > 1


def test_streams_are_the_stated_ones() -> None:
    """HMAC-SHA256 over length-prefixed parts, then AES-CTR: computed here by another library."""
    rule = json.dumps(THREE.written(), sort_keys=True, separators=(",", ":")).encode()
    parts = [b"tacit: a respondent's memory, version 1", "Größe?".encode(), b"2", rule]
    message = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    own = hmac.HMAC(KEY, message, hashlib.sha256).digest()
    stream = Cipher(algorithms.AES(own), modes.CTR(bytes(16))).encryptor().update(bytes(100))
    bits = KeyedBits(KEY, "Größe?", 2, THREE)
    assert bits.octets(37).tobytes() + bits.octets(63).tobytes() == stream


def test_streams_differ_in_every_part() -> None:
    others = [
        KeyedBits(KEY, "a", 1, THREE),
        KeyedBits(KEY, "a", 2, THREE),
        KeyedBits(KEY, "a1", 1, THREE),
        KeyedBits(KEY, "a", 11, THREE),
        KeyedBits(KEY, "a", 1, KaryResponse(3, Fraction(5, 3))),
        KeyedBits(KEY[::-1], "a", 1, THREE),
    ]
    assert len({bits.octets(16).tobytes() for bits in others}) == len(others)


@pytest.mark.parametrize("answer", range(3))
def test_over_many_devices_reports_have_the_stated_law(answer: int) -> None:
    """Chi-square over 5,000 keys; false-alarm rate FALSE_ALARM each."""
    keys = np.random.default_rng(answer).bytes(32 * 5000)
    drawn = [UNEVEN.draw(answer, KeyedBits(keys[32 * k : 32 * k + 32], "q", answer, UNEVEN)) for k in range(5000)]
    masses = [float(UNEVEN.probability(answer, report)) for report in UNEVEN.alphabet()]
    assert p_value(np.bincount(drawn, minlength=3), masses) > FALSE_ALARM  # type: ignore[arg-type]


def test_the_budget_refuses_before_anything_is_drawn() -> None:
    once = WeightTable.of([["3/4", "1/4"], ["1/4", "3/4"]])
    price = Fraction(once.loss.epsilon(0))
    device = Respondent(new_key(), 3 * price)
    device.agree("a", once, 2)
    device.agree("a", once, 2)  # the same again is free
    assert device.fresh(once, 1) in (0, 1)
    drawn: list[int] = []

    class Watched(WeightTable):
        def draw(self, answer: int, bits: Any) -> int:
            drawn.append(answer)
            return super().draw(answer, bits)

    with pytest.raises(Refused, match="left"):
        device.fresh(Watched(once.weights), 1)
    with pytest.raises(Refused, match="left"):
        device.agree("b", once)
    assert drawn == []
    assert device.report("a", 0) in (0, 1), "what was agreed to stays free"


def test_charges_do_not_depend_on_answers() -> None:
    """A third answer where two were agreed to is answered by the last report; nothing is drawn or charged for it."""
    device = Respondent(KEY, 10)
    device.agree("q", KaryResponse(1000, Fraction(2)), 2)
    before = device.spent
    first, second = device.report("q", 1), device.report("q", 2)
    assert device.report("q", 3) == second
    assert device.report("q", 1) == first
    assert device.report("q", 3) == first
    assert device.spent == before


def test_a_restart_renews_nothing() -> None:
    device = Respondent(KEY, 5)
    device.agree("q", THREE, 2)
    sent = [device.report("q", answer) for answer in (0, 2, 1)]
    device.fresh(THREE, 0)
    kept = json.loads(json.dumps(device.kept()))
    back = Respondent.restored(KEY, kept, {"q": THREE})
    assert back.spent == device.spent
    assert [back.report("q", answer) for answer in (1, 0)] == [sent[1], sent[0]]
    with pytest.raises(Refused, match="another randomizer"):
        Respondent.restored(KEY, kept, {"q": UNEVEN})
    with pytest.raises(Refused, match="within the budget"):
        Respondent.restored(KEY, {**kept, "used": ["6"]}, {"q": THREE})


def test_misuse_is_refused_and_nothing_private_is_shown() -> None:
    device = Respondent(KEY, 5)
    device.agree("q", THREE)
    device.report("q", 2)
    for question, answer, why in [("r", 0, "never agreed"), ("q", 77, "none of those"), ("q", -77, "none of those")]:
        with pytest.raises(Refused, match=why) as caught:
            device.report(question, answer)
        assert "77" not in str(caught.value)
    with pytest.raises(Refused, match="another form"):
        device.agree("q", THREE, 2)
    for key in (b"short", "text", None):
        with pytest.raises(Refused, match="device key"):
            Respondent(key, 1)  # type: ignore[arg-type]
    assert KEY.hex() not in repr(device)
    assert str(KEY) not in repr(device)
    assert "1 question" in repr(device)
    assert len(new_key()) == 32 != new_key() != new_key()
