"""A bounded mean: both sums at one price, an interval that holds the truth, and words where nothing can be said."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.divergence import hockey_stick, violations
from tests.mechanisms.statistics.tally_law import enough, laws_of_neighbours

from tacit.errors import Refused
from tacit.loss import Approx, Loss, Pure, Relation, Zcdp
from tacit.mechanisms.statistics.bounded_mean import BoundedMean
from tacit.noise.bits import Seeded
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.grid import Grid

ADD, SWAP = Relation.ADD_REMOVE, Relation.REPLACE
POISON = [math.nan, math.inf, -math.inf, 10**400, None, "x"]


@pytest.mark.parametrize("target", [Pure(2), Approx(2, "1e-2"), Zcdp(1)], ids=str)
def test_both_sums_together_cost_what_is_claimed(target: Loss) -> None:
    mean = BoundedMean(target, ADD, 0, 2, grid=Grid(0))
    pairs = laws_of_neighbours(mean, [0, 1, 2, *POISON])
    assert len(pairs) == 3
    assert violations(mean.loss, pairs) == []


def test_the_claim_is_attained() -> None:
    mean = BoundedMean(Pure(2), ADD, 0, 2, grid=Grid(0))
    deltas = [hockey_stick(p, q, 1.0) for p, q in laws_of_neighbours(mean, [0, 1, 2])]
    assert max(deltas) == pytest.approx(mean.loss.delta(1), abs=1e-11)


@pytest.mark.parametrize("target", [Pure(2), Approx(2, "1e-2")], ids=str)
def test_the_sum_under_replace_costs_what_is_claimed(target: Loss) -> None:
    mean = BoundedMean(target, SWAP, 0, 2, people=2, grid=Grid(0))
    moves = {b - a for a in range(3) for b in range(3)}
    assert {mean.tally([0, b])[0] - mean.tally([0, a])[0] for a in range(3) for b in (*range(3), *POISON)} <= moves
    single = BoundedMean(target, SWAP, 0, 2, people=1, grid=Grid(0))
    assert violations(single.loss, laws_of_neighbours(single, [0, 1, 2, *POISON], 0)) == []


def test_a_private_n_in_the_denominator_is_caught() -> None:
    """The twin that releases the mean with noise for span/n, under add/remove: n is not public there."""
    claimed = BoundedMean(Pure(1), ADD, 0, 2, grid=Grid(0)).loss
    fine = 60  # steps to a unit

    def law(values: list[int]) -> dict[int, float]:
        n = max(1, len(values))
        noise = DiscreteLaplace(Fraction(2 * fine, n))
        return {y: float(noise.mass(y - sum(values) * fine // n)) for y in range(-4000, 4000)}

    assert violations(claimed, [(law([2]), law([2, 0]))])


def test_half_the_scale_is_caught() -> None:
    mean = BoundedMean(Pure(2), ADD, 0, 2, grid=Grid(0))
    assert violations(mean.loss, laws_of_neighbours(mean, [0, 1, 2], noise=DiscreteLaplace("1/2")))


def test_probability_is_that_of_the_two_noises() -> None:
    mean = BoundedMean(Pure(2), ADD, 0, 2, grid=Grid(0))
    law = DiscreteLaplace(1)
    assert mean.tally([2, 0, 1]) == [3, 3]
    assert float(mean.probability([2, 0, 1], (4, 1))) == pytest.approx(float(law.mass(1) * law.mass(-2)))


CASES: list[tuple[Loss, Relation, int, list[float]]] = [
    (Pure("0.5"), ADD, 400, [0, 100]),
    (Pure("0.5"), ADD, 30, [99, 100]),
    (Approx("0.5", "1e-5"), ADD, 60, [0, 10]),
    (Zcdp("0.05"), ADD, 12, [100]),
    (Pure("0.5"), SWAP, 40, [0, 55, 100]),
]


@pytest.mark.parametrize(("target", "relation", "people", "values"), CASES, ids=str)
def test_intervals_hold_the_truth(target: Loss, relation: Relation, people: int, values: list[float]) -> None:
    """2000 rehearsals of a 95% interval, few and many people, at and between the bounds; false alarm 1e-6."""
    records = np.array([float(values[place % len(values)]) for place in range(people)])
    mean = BoundedMean(target, relation, 0, 100, people if relation is SWAP else None)
    bits, truth = Seeded(7), float(np.mean(records))
    intervals = [mean.rehearse(records, bits).interval() for _ in range(2000)]
    assert enough(sum(low <= truth <= high for low, high in intervals), 2000)
    assert all(0 <= low <= high <= 100 for low, high in intervals)


@pytest.mark.parametrize("target", [Pure(1), Approx(1, "1e-6")], ids=str)
def test_intervals_are_as_narrow_as_the_noise(target: Loss) -> None:
    """At the middle the noise of the ratio is √½ that of one sum; the coverage is what was asked, not much more."""
    mean, bits, records = BoundedMean(target, ADD, 0, 1), Seeded(8), np.array([0.4, 0.6] * 500)
    intervals = [mean.rehearse(records, bits).interval("0.8") for _ in range(500)]
    held = sum(low <= 0.5 <= high for low, high in intervals)
    assert held <= 442  # binomial(500, 0.8) exceeds this with probability 2e-7
    width = float(np.mean([high - low for low, high in intervals]))
    assert width / 2 <= mean.error("0.8", people=1000)


def test_one_price_beats_an_even_split() -> None:
    """The mean's error against a centred sum and a count with ε/2 each: half the variance wherever the mean lies."""
    mean, bits = BoundedMean(Pure(1), ADD, 0, 1), Seeded(9)
    rng = np.random.default_rng(1)
    for values in (np.full(2000, 0.5), np.full(2000, 1.0)):
        ours = np.var([_raw(mean, values, bits) for _ in range(1500)])
        noise_sum, noise_count = rng.laplace(0, 1, 20_000), rng.laplace(0, 2, 20_000)
        centred = float(values.sum()) - 1000
        split = np.var(0.5 + (centred + noise_sum) / (2000 + noise_count))
        assert ours <= 0.65 * split


def _raw(mean: BoundedMean, values: NDArray[np.float64], bits: Seeded) -> float:
    above, below = mean.privatize(values, bits)
    return float(above / (above + below))


def test_too_few_to_say() -> None:
    mean = BoundedMean(Pure("0.1"), ADD, 0, 100)
    span = mean.bounds.span
    answer = mean.answer((9 * span, 4 * span))
    assert answer.interval() == (0, 100)
    assert str(answer) == "too few people to say; between 0 and 100  (95% interval; about 13 people; cost ε = 0.1)"
    nobody = mean.answer((-9 * span, -4 * span))
    assert nobody.value == 50
    assert "about 0 people" in str(nobody)


def test_reads_as_a_person_would_want() -> None:
    mean = BoundedMean.for_epsilon(1, ADD, 0, 100)
    span = mean.bounds.span
    text = "44.18, between 43.97 and 44.39  (95% interval; about 1,001 people; cost ε = 1)"
    assert str(mean.answer((round(442.25 * span), round(558.75 * span)))) == text
    assert mean.error(people=1000) == pytest.approx(0.2996, rel=1e-3)
    public = BoundedMean.for_epsilon(1, SWAP, 0, 100, people=1000)
    text = "44.20, between 43.90 and 44.50  (95% interval; 1,000 people; cost ε = 1)"
    assert str(public.answer((442 * span,))) == text
    assert public.error() == pytest.approx(0.2996, rel=1e-3)


def test_a_wild_draw_still_gives_an_interval() -> None:
    """Where the noisy ratio lies far beyond its range, one end of the range and what lies near it is left."""
    mean = BoundedMean(Pure(1), ADD, 0, 1)
    span = mean.bounds.span
    low, high = mean.answer((140 * span, -30 * span)).interval()
    assert 0.9 < low < high == 1


@pytest.mark.parametrize(
    ("relation", "people"), [(SWAP, None), (ADD, 10), (SWAP, 0), (SWAP, True), (SWAP, 2.5)], ids=str
)
def test_the_number_of_people_is_public_under_replace_only(relation: Relation, people: Any) -> None:
    with pytest.raises(Refused):
        BoundedMean(Pure(1), relation, 0, 1, people)


def test_refusals() -> None:
    with pytest.raises(Refused, match="expect"):
        BoundedMean(Pure(1), ADD, 0, 1).error()
    with pytest.raises(Refused, match="3 records"):
        BoundedMean(Pure(1), SWAP, 0, 1, 3).release([1, 2])
    with pytest.raises(Refused):
        BoundedMean(Pure(1), ADD, 0, None)  # type: ignore[arg-type]  (R15: no bound is taken from the data)
