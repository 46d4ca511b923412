"""The optimum of a count: held against linear programs over all mechanisms on a circle of counts."""

from __future__ import annotations

from fractions import Fraction
from math import atanh, exp, sinh

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

from tacit.errors import Refused
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.statistics.counts import Count
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.workload.optimality.count_bound import (
    half_width_down,
    least_half_width,
    least_miss,
    mean_square_down,
    unbiased_count_variance_down,
)

Floats = NDArray[np.float64]


def distances(counts: int, fineness: int) -> Floats:
    """How far each output lies from each count, on a circle of so many counts; outputs are 1/fineness apart."""
    outputs = np.arange(counts * fineness) / fineness
    away = np.abs(outputs[None, :] - np.arange(counts)[:, None])
    return np.asarray(np.minimum(away, counts - away))


def least_worst_loss(penalty: Floats, epsilon: float, delta: float = 0.0, most: int = 1) -> float:
    """The least worst-case expected penalty over all (ε, δ)-private mechanisms: a linear program without symmetry.

    One person may add up to `most`.
    """
    worlds, outputs = penalty.shape
    steps = [step for away in range(1, most + 1) for step in (-away, away)]
    pairs = [(i, (i + step) % worlds) for i in range(worlds) for step in steps]
    cells, slacks = worlds * outputs, len(pairs) * outputs if delta else 0
    width = cells + slacks + 1
    entries: list[tuple[int, int, float]] = []
    limits: list[float] = []

    def rule(terms: list[tuple[int, float]], limit: float) -> None:
        entries.extend((len(limits), place, value) for place, value in terms)
        limits.append(limit)

    for number, (i, j) in enumerate(pairs):
        for y in range(outputs):
            slack = [(cells + number * outputs + y, -1.0)] if delta else []
            rule([(i * outputs + y, 1.0), (j * outputs + y, -exp(epsilon)), *slack], 0.0)
        if delta:
            rule([(cells + number * outputs + y, 1.0) for y in range(outputs)], delta)
    for i in range(worlds):
        rule([*((i * outputs + y, float(penalty[i, y])) for y in range(outputs)), (width - 1, -1.0)], 0.0)
    rows, places, values = zip(*entries, strict=True)
    above = coo_matrix((values, (rows, places)), shape=(len(limits), width)).tocsr()
    spots = [(i, i * outputs + y) for i in range(worlds) for y in range(outputs)]
    total = coo_matrix((np.ones(len(spots)), tuple(zip(*spots, strict=True))), shape=(worlds, width)).tocsr()
    cost = np.zeros(width)
    cost[-1] = 1.0
    found = linprog(cost, A_ub=above, b_ub=limits, A_eq=total, b_eq=np.ones(worlds), method="highs")
    assert found.status == 0
    return float(found.fun)


@pytest.mark.parametrize(("epsilon", "fineness"), [(1.5, 1), (1.5, 2), (2.0, 3)])
def test_no_pure_mechanism_has_a_smaller_mean_square(epsilon: float, fineness: int) -> None:
    """Whole, half and third outputs alike; beyond half a circle of 20 counts lies about e^{−10ε}, times 400 at most."""
    bound, found = float(mean_square_down(epsilon)), least_worst_loss(distances(20, fineness) ** 2, epsilon)
    assert bound <= found + 400 * exp(-10 * epsilon)
    assert found <= bound * (1 + 1e-6)
    assert not 1.05 * bound <= found  # a bound that is 5% too high is caught


@pytest.mark.parametrize(("epsilon", "delta"), [(1.5, 0.0), (1.5, 0.05), (1.0, 0.1)])
def test_no_mechanism_misses_less_often(epsilon: float, delta: float) -> None:
    for doubled in range(4):
        bound = float(least_miss(Approx(epsilon, delta), doubled + 1))
        penalty = (distances(16, 2) > doubled / 2).astype(float)
        found = least_worst_loss(penalty, epsilon, delta)
        assert bound <= found + 20 * exp(-8 * epsilon)  # what half a circle leaves out
        assert found <= bound + 1e-7  # and it is attained: exact for whole and for half t
        assert not 1.05 * bound <= found  # a bound that is 5% too high is caught


@pytest.mark.parametrize(("epsilon", "delta", "most"), [(1.5, 0.0, 2), (1.5, 0.05, 2), (1.5, 0.0, 3)])
def test_no_mechanism_for_sums_misses_less_often(epsilon: float, delta: float, most: int) -> None:
    """Amounts of 0 to 2, or to 3, on a circle of sums: an interval holds ⌊2t/most⌋ + 1 of the sums that matter."""
    for reach in (1, 2):
        bound = float(least_miss(Approx(epsilon, delta), 2 * reach // most + 1))
        penalty = (distances(8 * most, 1) > reach).astype(float)
        found = least_worst_loss(penalty, epsilon, delta, most)
        assert bound <= found + 20 * exp(-4 * epsilon)  # what half a circle leaves out
        assert not 2 * bound <= found  # a bound that is a factor of 2 too high is caught


def test_a_half_width_of_a_sum_is_that_of_a_count_times_the_amount() -> None:
    for loss in (Pure("0.5"), Approx("0.5", "1e-6")):
        one = half_width_down(loss)
        found = least_half_width(loss, "0.95", Fraction(7, 2), of="sums", price="at this ε")
        assert found is not None
        assert found.half_down == one * Fraction(7, 2)
        assert found.words(found.half_down * 3) == (
            "The intervals are within 3 of the narrowest that any release could have at this ε for all sums."
        )
        whole = least_half_width(loss, "0.95", Fraction(1), of="counts", price="at this ε", is_whole=True)
        assert whole is not None
        assert one <= whole.half_down < one + 1
    assert least_half_width(Pure(50), "0.95", Fraction(1), of="counts", price="at this ε") is None


def test_discrete_laplace_and_rounded_gaussian_noise_attain_it() -> None:
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(3)):
        law = DiscreteLaplace(1 / epsilon)
        for t in (0, 1, 5):
            assert float(least_miss(Pure(epsilon), 2 * t + 1)) == pytest.approx(2 * float(law.tail(t + 1)), rel=1e-12)
    for mu in (Fraction(1, 10), Fraction(1)):
        noise = RoundedGaussian(1 / mu**2)
        for t in (0, 1, 5):
            assert float(least_miss(Gdp(mu**2), 2 * t + 1)) == pytest.approx(2 * float(noise.tail(t + 1)), rel=1e-12)


@pytest.mark.parametrize("target", [Pure(1), Pure("0.1"), Gdp(1), Gdp("0.01")])
def test_our_count_has_the_least_whole_half_width(target: Pure | Gdp) -> None:
    for confidence in ("0.5", "0.95", "0.999"):
        ours, least = Count(target, Relation.ADD_REMOVE).error(confidence), half_width_down(target, confidence)
        assert least <= ours < least + 1


def test_an_approximate_count_lies_below_gaussian_noise() -> None:
    target = Approx(1, "1e-9")
    assert half_width_down(target) < Count(target, Relation.ADD_REMOVE).error()
    assert half_width_down(target) <= half_width_down(Pure(1))


def test_packing_is_true_and_weaker() -> None:
    """(1−β)·coth(εm/2) ≤ 1: disjoint intervals of m whole numbers, e^{−ε} less likely with each step."""
    for epsilon in (0.05, 0.5):
        packing = atanh(0.95) / epsilon - 0.5
        assert packing < float(half_width_down(Pure(epsilon))) <= 3.0 / epsilon


def test_the_unbiased_bound_is_half_the_variance_of_discrete_laplace_noise() -> None:
    for epsilon in ("0.01", "1", "4"):
        half, whole = unbiased_count_variance_down(epsilon), mean_square_down(epsilon)
        assert float(whole / half) == pytest.approx(2, rel=1e-15)
        r = exp(-float(epsilon))
        assert float(whole) == pytest.approx(2 * r / (1 - r) ** 2, rel=1e-9)
        assert float(half) == pytest.approx(1 / (4 * sinh(float(epsilon) / 2) ** 2), rel=1e-9)


def test_several_rows_a_person() -> None:
    assert float(mean_square_down(1, rows=4) / mean_square_down(1)) == pytest.approx(16)


def test_nothing_is_said_of_other_curves() -> None:
    with pytest.raises(Refused, match="trade-off"):
        least_miss(Zcdp(1), 3)
    with pytest.raises(Refused):
        mean_square_down(5000)
    assert half_width_down(Approx(0, "0.1")) >= 0
