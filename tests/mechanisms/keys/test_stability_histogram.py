"""Private keys: the threshold from the exact tail, the joint law enumerated, and answers in the order of keys."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.divergence import hockey_stick, violations
from tests.goodness import FALSE_ALARM
from tests.mechanisms.statistics.tally_law import neighbours

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss import Approx, Gdp, Loss, Pure, Relation, Zcdp
from tacit.mechanisms.selection.key_selection import count_held
from tacit.mechanisms.selection.stability_histogram import PrivateKeys, StabilityHistogram
from tacit.noise.ball import Ball, ball, precision
from tacit.noise.bits import Seeded

ADD, SWAP = Relation.ADD_REMOVE, Relation.REPLACE
Released = tuple[tuple[Any, int | None], ...]


def exact_law(mechanism: StabilityHistogram, records: Sequence[Any], universe: Sequence[Any]) -> dict[Released, float]:
    """Every output over a small universe of keys: for each its released count, or None."""
    counts = count_held(list(records), mechanism.most_keys)
    law, threshold = mechanism.noise.law, mechanism.threshold
    top = threshold + law.spread("0.9999999999999") + 4
    rows = []
    for key in universe:
        if key not in counts:
            rows.append([((key, None), 1.0)])
            continue
        kept = [((key, y), float(law.mass(y - counts[key]))) for y in range(threshold, top)]
        rows.append([((key, None), float(1 - law.tail(threshold - counts[key]))), *kept])
    return {tuple(item for item, _ in choice): math.prod(mass for _, mass in choice) for choice in product(*rows)}


def pairs_of(mechanism: StabilityHistogram, domain: Sequence[Any], universe: Sequence[Any], most: int) -> Any:
    return [
        (exact_law(mechanism, one, universe), exact_law(mechanism, other, universe))
        for one, other in neighbours(domain, most, mechanism.relation)
    ]


CASES: list[tuple[Loss, bool]] = [
    (Approx(1, "1e-2"), False),
    (Approx("0.3", "0.3"), False),
    (Approx(1, "1e-2"), True),
    (Zcdp("0.5", "1e-2"), True),
]


@pytest.mark.parametrize("relation", [ADD, SWAP], ids=str)
@pytest.mark.parametrize(("target", "gaussian"), CASES, ids=str)
def test_neighbours_are_as_close_as_claimed(target: Any, gaussian: bool, relation: Relation) -> None:
    """One key a person, data sets of up to two others, all joint laws enumerated."""
    rule = StabilityHistogram(target, relation, gaussian=gaussian)
    pairs = pairs_of(rule, ["a", "b"], ["a", "b"], 2 if relation is ADD else 1)
    assert violations(rule.loss, pairs) == []
    if isinstance(target, Approx):
        assert rule.loss.delta(target.exact_epsilon) <= target.exact_delta


@pytest.mark.parametrize(
    ("target", "relation"), [(Approx(2, "0.05"), ADD), (Approx(2, "0.05"), SWAP), (Zcdp(2, "0.05"), ADD)], ids=str
)
def test_two_keys_a_person(target: Any, relation: Relation) -> None:
    rule = StabilityHistogram(target, relation, most_keys=2)
    domain = [("a",), ("a", "b"), ("b",)]
    assert violations(rule.loss, pairs_of(rule, domain, ["a", "b"], 1)) == []


def test_the_claim_is_exact_for_one_key_a_person() -> None:
    """At every ε some neighbours are exactly as far apart as the loss says: the noise, or a key of one's own."""
    rule = StabilityHistogram(Approx(1, "1e-2"), ADD)
    pairs = [tuple(exact_law(rule, ["a"] * people, ["a"]) for people in (n, n + 1)) for n in range(30)]
    for epsilon in (0.0, 0.3, 0.7, 1.0):
        worst = max(max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon)) for p, q in pairs)
        assert worst == pytest.approx(rule.loss.delta(epsilon), abs=1e-6)
    lone = max(hockey_stick(q, p, 1.0) for p, q in pairs_of(rule, ["a"], ["a"], 0))
    assert lone == pytest.approx(rule.loss.delta(1), rel=1e-9)


@pytest.mark.parametrize("keys", [1, 2, 7])
@pytest.mark.parametrize("delta", ["1e-2", "1e-6", "1e-12", "0.3"])
@pytest.mark.parametrize("gaussian", [False, True])
def test_the_threshold_is_the_least_that_hides_one_person(keys: int, delta: str, gaussian: bool) -> None:
    """R06: the exact probability that any key of one person passes the very predicate is ≤ δ; one step lower, > δ."""
    target: Any = Zcdp("0.2", delta) if gaussian else Approx("0.7", delta)
    rule = StabilityHistogram(target, ADD, keys)

    def withheld(threshold: int) -> Ball:
        return (1 - rule.noise.law.tail(threshold - 1)) ** keys

    with precision(256):
        hidden = ball(1 - Fraction(delta))
        assert withheld(rule.threshold) >= hidden
        assert rule.threshold == 1 or withheld(rule.threshold - 1) < hidden


@frozen
class _OneTooLow(StabilityHistogram):
    """Keeps ≥ where the threshold was computed for >."""

    @property
    def threshold(self) -> int:
        return super().threshold - 1


@frozen
class _HalvedNoise(StabilityHistogram):
    """Draws half the noise it prices."""

    @property
    def noise(self) -> Any:
        honest = super().noise
        return type(honest)(honest.sensitivity, honest.relation, scale=honest.scale / 2)


def test_broken_twins_are_caught() -> None:
    honest = StabilityHistogram(Approx(1, "1e-2"), ADD)
    low = _OneTooLow(Approx(1, "1e-2"), ADD)
    assert violations(honest.loss, pairs_of(low, ["a"], ["a"], 1))
    assert low.loss.delta(1) > 1e-2  # priced from the predicate that filters, the twin cannot hide
    half = _HalvedNoise(Approx(1, "1e-2"), ADD)
    assert violations(honest.loss, pairs_of(half, ["a"], ["a"], 8))


@frozen
class _PricedAsAddRemove(StabilityHistogram):
    @property
    def _moved(self) -> int:
        return self.most_keys


def test_a_price_of_one_under_replace_is_caught() -> None:
    twin = _PricedAsAddRemove(Approx(1, "1e-2"), SWAP)
    laws = [exact_law(twin, ["a"] * i + ["b"] * (14 - i), ["a", "b"]) for i in (7, 8)]
    assert violations(twin.loss, [(laws[0], laws[1])])


@pytest.mark.parametrize("gaussian", [False, True])
def test_draws_follow_the_law(gaussian: bool) -> None:
    """20,000 rehearsals of two keys against the exact joint law: chi-square, false alarm 1e-6."""
    rule, bits = StabilityHistogram(Approx(1, "0.1"), ADD, gaussian=gaussian), Seeded(21)
    records = ["b"] * 2 + ["a"] * 4
    law = {key: mass for key, mass in exact_law(rule, records, ["a", "b"]).items() if mass > 1e-3}
    seen = dict.fromkeys(law, 0)
    trials = 20_000
    for _ in range(trials):
        released = rule.privatize(records, bits)
        key = tuple((name, released.get(name)) for name in ("a", "b"))
        if key in seen:
            seen[key] += 1
    observed = np.array([*seen.values(), trials - sum(seen.values())])
    expected = np.array([*law.values(), 1 - sum(law.values())]) * trials
    assert chisquare(observed, expected).pvalue > FALSE_ALARM


def test_probability_is_the_enumerated_one() -> None:
    rule = StabilityHistogram(Approx(1, "0.1"), ADD)
    law = exact_law(rule, ["a", "a", "b"], ["a", "b"])
    for output in list(law)[:9]:
        released = {key: count for key, count in output if count is not None}
        assert float(rule.probability(["a", "a", "b"], released)) == pytest.approx(law[output])
    assert rule.probability(["a"], {"z": 50}) == 0
    assert rule.probability(["a"], {"a": rule.threshold - 1}) == 0


def test_keys_come_in_the_order_of_keys_and_weird_ones_are_total() -> None:
    """R24: the order of the records, and what odd things are among them, cannot be seen."""
    rule = StabilityHistogram(Approx(5, "1e-3"), ADD)
    odd = [None, math.nan, math.inf, 2.5, [1], {}, object(), b"x", 3 + 4j, np.datetime64("nat")]
    records = ["b", 10, "a", 9, "\ud800", 10**30] * 50
    for mixed in (records + odd, odd + records[::-1]):
        assert list(rule.release(mixed).value) == [9, 10, 10**30, "a", "b", "\ud800"]
        assert rule.rehearse(mixed, Seeded(1)).value == rule.rehearse(records, Seeded(1)).value
    assert "'\\ud800'" in str(rule.release(records))


def test_a_person_counts_once_a_key_and_for_so_many_keys() -> None:
    assert count_held([["a", "a", "b", "c"], "c", ("b", None), {7}, [[]]], 2) == {"a": 1, "b": 2, "c": 1, 7: 1}


def test_error_and_surely_are_exact() -> None:
    rule = StabilityHistogram(Approx(1, "1e-6"), ADD)
    assert (rule.threshold, rule.error(), rule.surely()) == (15, 3, 17)
    assert float(rule.noise.law.tail(15 - 17)) >= 0.95 > float(rule.noise.law.tail(15 - 16))
    assert float(1 - 2 * rule.noise.law.tail(4)) >= 0.95


@pytest.mark.parametrize("gaussian", [False, True])
def test_intervals_hold_for_rare_keys_that_passed_by_luck(gaussian: bool) -> None:
    """Enumerated: given that the key appears, its interval holds the truth, for every number of people."""
    rule = StabilityHistogram(Approx(1, "1e-3"), ADD, gaussian=gaussian)
    law, half, start = rule.noise.law, rule.error("0.9"), rule.threshold
    counts = range(start, start + 80)
    least = {count: rule.least(count, "0.9") for count in counts}
    for people in range(1, start + 30):
        appears = float(law.tail(start - people))
        held = math.fsum(float(law.mass(y - people)) for y in counts if least[y] <= people <= y + half)
        assert held >= 0.9 * appears - 1e-9
    naive = math.fsum(float(law.mass(y - 2)) for y in counts if y - half <= 2 <= y + half)
    assert naive < 0.5 * float(law.tail(start - 2))  # ± alone would mislead about the rare ones
    assert least[start + 60] == start + 60 - half


def test_reads_as_a_person_would_want() -> None:
    rule = StabilityHistogram(Approx(1, "1e-6"), ADD)
    answer = rule.rehearse(["red"] * 1200 + ["blue"] * 140 + ["lime"], Seeded(3))
    red, blue = answer.value["red"], answer.value["blue"]
    assert str(answer) == (
        f"blue    {blue} ± 3\nred   {red:,} ± 3\n"
        "(keys held by fewer than about 15 people are withheld, "
        "and one held by 17 or more appears with probability 95%; 95% interval for each key; cost ε = 1, δ = 1e-06)"
    )
    assert str(rule.release(["x"])).startswith("no key was common enough\n(keys held by fewer than about 15")
    assert answer.interval()[0]["blue"] == blue - 3
    assert str(PrivateKeys({"x": 15, "y": 18}, rule)).startswith("x  15 (between 1 and 18)\ny  18 (between ")


@pytest.mark.parametrize("target", [Pure(1), Gdp(1), Zcdp(1), Approx(1, 1), Approx(0, "0.1"), None], ids=str)
def test_targets_without_room_for_keys_are_refused(target: Any) -> None:
    with pytest.raises(Refused):
        StabilityHistogram(target, ADD)


def test_refusals() -> None:
    for keys in (0, -1, True, 1.5):
        with pytest.raises(Refused):
            StabilityHistogram(Approx(1, "1e-6"), ADD, keys)  # type: ignore[arg-type]  (what is asked is nonsense)
    with pytest.raises(Refused):
        StabilityHistogram(Approx(1, "1e-6"), ADD).release("abc")
