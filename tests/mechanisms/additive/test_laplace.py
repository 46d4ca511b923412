"""The Laplace mechanism: its loss against exact enumeration, its noise against its law, its grid against R02."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.divergence import violations
from tests.goodness import FALSE_ALARM, fit

from tacit.errors import Refused
from tacit.loss.families.loss import Relation
from tacit.mechanisms.additive.laplace import Laplace
from tacit.noise.bits import Seeded
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.grid import Grid

BOTH = (Relation.ADD_REMOVE, Relation.REPLACE)
QUERIES = (0.0, 1.0, 1 / 3, 2.0**40, -(2.0**-20))


def law_at(noise: DiscreteLaplace, centre: int) -> dict[int, float]:
    """The output law over a window that holds all but 1e-13 of it, the same for every centre."""
    reach = math.ceil(32 * max(noise.scale, 1)) + 8
    return {output: float(noise.mass(output - centre)) for output in range(-reach, reach + 1)}


def joint(left: dict[int, float], right: dict[int, float]) -> dict[tuple[int, int], float]:
    return {(a, b): p * q for (a, p), (b, q) in product(left.items(), right.items())}


@pytest.mark.parametrize("scale", ["1/3", 1, "5/2", 8])
@pytest.mark.parametrize("sensitivity", [1, 2, 5])
def test_the_loss_holds_for_one_integer(scale: str | int, sensitivity: int) -> None:
    mechanism = Laplace(sensitivity, Relation.ADD_REMOVE, scale=scale)
    pairs = [(law_at(mechanism.law, 0), law_at(mechanism.law, shift)) for shift in range(sensitivity + 1)]
    assert violations(mechanism.loss, pairs) == []


def test_the_loss_is_attained() -> None:
    """δ at every ε is that of the farthest neighbours, so nothing smaller would be true."""
    mechanism = Laplace(3, Relation.REPLACE, scale=2)
    near, far = law_at(mechanism.law, 0), law_at(mechanism.law, 3)
    for epsilon in (0, 0.3, 1.0):
        exact = math.fsum(max(0.0, p - math.exp(epsilon) * far.get(x, 0.0)) for x, p in near.items())
        assert mechanism.loss.delta(epsilon) == pytest.approx(exact, abs=1e-12)
    assert mechanism.loss.epsilon(0) == 1.5


def test_the_loss_holds_for_a_vector() -> None:
    """Two coordinates that share an ℓ₁ move of 2: every split of it."""
    mechanism = Laplace(2, Relation.REPLACE, scale=1, dimension=2)
    still = joint(law_at(mechanism.law, 0), law_at(mechanism.law, 0))
    moves = [(a, b) for a, b in product(range(-2, 3), repeat=2) if abs(a) + abs(b) <= 2 and a >= 0]
    pairs = [(still, joint(law_at(mechanism.law, a), law_at(mechanism.law, b))) for a, b in moves]
    assert violations(mechanism.loss, pairs) == []


@pytest.mark.parametrize("grid", [Grid(0), Grid(-1), Grid(2)])
def test_the_loss_holds_on_a_grid(grid: Grid) -> None:
    """Real values at most 1 apart, from every eighth of a step."""
    mechanism = Laplace(1, Relation.REPLACE, grid, scale=2)
    pairs = []
    for start in range(8):
        places = [float((Fraction(start, 8)) * grid.step + move) for move in (Fraction(0), Fraction(1), Fraction(-1))]
        still, *moved = (int(step) for step in grid.round(places))
        pairs += [(law_at(mechanism.law, still), law_at(mechanism.law, other)) for other in moved]
    assert violations(mechanism.loss, pairs) == []


def test_broken_twins_are_caught() -> None:
    claimed = Laplace(2, Relation.REPLACE, scale=2)
    halved = DiscreteLaplace(1)
    assert violations(claimed.loss, [(law_at(halved, 0), law_at(halved, 2))])
    forgotten = Laplace(1, Relation.REPLACE, scale=2)  # priced for a shift of 1, moved by 2
    assert violations(forgotten.loss, [(law_at(claimed.law, 0), law_at(claimed.law, 2))])
    unrounded = Laplace(1, Relation.REPLACE, Grid(0), 1, scale=1)  # priced for one coordinate, used for two
    still = joint(law_at(unrounded.law, 0), law_at(unrounded.law, 0))
    moved = joint(law_at(unrounded.law, 1), law_at(unrounded.law, 1))  # half a step each
    assert violations(unrounded.loss, [(still, moved)])


def off_grid(outputs: NDArray[np.float64], step: Fraction) -> bool:
    return any((Fraction(float(output)) / step).denominator != 1 for output in outputs)


def test_every_output_is_a_multiple_of_one_public_step() -> None:
    """R02: the step is fixed before the value is seen, and no output leaves it."""
    mechanism = Laplace.for_reals(1, 1, Relation.REPLACE)
    for query in QUERIES:
        outputs = np.array([mechanism.rehearse(query, Seeded(seed)).value for seed in range(300)])
        assert not off_grid(outputs, mechanism.step)
        assert len(set(outputs)) > 100


def test_floating_point_noise_leaves_the_grid() -> None:
    """The twin: NumPy's Laplace is a multiple of 2^-53 always at 1, and not always at 0, which tells the two apart."""
    generator = np.random.Generator(np.random.PCG64(5))
    step = Fraction(1, 2**53)
    outputs = {query: query + generator.laplace(size=2000) for query in (0.0, 1.0)}
    assert off_grid(outputs[0.0], step)
    assert not off_grid(outputs[1.0], step)
    assert all(off_grid(output, Laplace.for_reals(1, 1, Relation.REPLACE).step) for output in outputs.values())


@pytest.mark.parametrize("scale", ["1/2", 3, 1000])
def test_the_noise_follows_its_law(scale: str | int) -> None:
    """Chi-square, false-alarm rate FALSE_ALARM; arrays and scalars draw alike."""
    mechanism = Laplace(1, Relation.ADD_REMOVE, scale=scale)
    draws = mechanism.rehearse(np.full(100_000, 7), Seeded(1)).value - 7
    reach = 4 * math.ceil(mechanism.scale)
    assert fit(draws, mechanism.law, -reach, reach) > FALSE_ALARM
    assert mechanism.rehearse(7, Seeded(2)).value == mechanism.rehearse(np.array([7]), Seeded(2)).value[0]


def test_error_is_the_exact_quantile() -> None:
    for scale, confidence, cells in product(("1/2", 3, 100), ("0.5", "0.95", "0.999"), (1, 10)):
        mechanism = Laplace(1, Relation.ADD_REMOVE, scale=scale)
        error = int(mechanism.error(confidence, cells))

        def coverage(t: int, law: DiscreteLaplace = mechanism.law, cells: int = cells) -> float:
            return float(1 - 2 * law.tail(t + 1)) ** cells

        assert coverage(error) >= float(confidence)
        assert error == 0 or coverage(error - 1) < float(confidence)


def test_error_covers_as_often_as_it_says() -> None:
    """Binomial: 20,000 draws, six standard deviations, false-alarm rate below 2e-9."""
    mechanism = Laplace.for_reals("0.5", 2, Relation.REPLACE)
    draws = np.array(mechanism.law.draw(20_000, Seeded(3))) * float(mechanism.step)
    inside = (np.abs(draws) <= mechanism.error("0.9")).mean()
    assert abs(inside - 0.9) < 6 * math.sqrt(0.9 * 0.1 / 20_000) + 0.001


@pytest.mark.parametrize("cells", [1, 5, 100])
def test_the_bounds_of_the_notes_hold(cells: int) -> None:
    """003 and 004: P(max > b(ln d + t)) ≤ e^−t at whole numbers, E‖Z‖₁ ≤ d·b and E max ≤ b(1 + ln d)."""
    for scale in (Fraction(1, 2), Fraction(3), Fraction(40)):
        law = DiscreteLaplace(scale)
        beyond = [float(2 * law.tail(m)) for m in range(1, int(60 * scale) + 60)]
        assert all(cells * p <= cells * math.exp(-m / scale) + 1e-15 for m, p in enumerate(beyond))
        assert math.fsum(beyond) <= scale
        assert math.fsum(1 - (1 - p) ** cells for p in beyond) <= scale * (1 + math.log(cells))
        mechanism = Laplace(1, Relation.ADD_REMOVE, scale=scale)
        for miss in (Fraction(1, 2), Fraction(1, 20), Fraction(1, 1000)):
            assert mechanism.error(1 - miss, cells) <= math.ceil(scale * (math.log(cells) + math.log(1 / miss)))


@pytest.mark.parametrize("relation", BOTH)
def test_calibration_costs_what_was_asked(relation: Relation) -> None:
    for epsilon, sensitivity in product(("0.1", "1/3", 2), (1, 2, 7)):
        assert Laplace.for_epsilon(epsilon, sensitivity, relation).loss.pure_epsilon == Fraction(epsilon)
        reals = Laplace.for_reals(epsilon, sensitivity, relation, dimension=3)
        assert reals.loss.pure_epsilon == Fraction(epsilon)
        assert reals.scale <= Fraction(sensitivity) / Fraction(epsilon) * Fraction(101, 100)
    scales = [Laplace.for_epsilon(1, 1, relation, grid=Grid(e)).scale for e in (-2, 0, 2)]
    assert all(fine <= coarse for fine, coarse in pairwise(scales))


def test_the_answer_prints_as_a_person_wants() -> None:
    answer = Laplace.for_epsilon(1, 1, Relation.ADD_REMOVE).release(1234)
    assert "± 3" in str(answer)
    assert "ε = 1" in str(answer)
    low, high = answer.interval()
    assert high - low == 6


def test_totality() -> None:
    mechanism = Laplace.for_reals(1, 1, Relation.REPLACE, dimension=5)
    poison = mechanism.rehearse(np.array([np.nan, np.inf, -np.inf, 1e308, -0.0]), Seeded(1)).value
    assert np.isfinite(poison).all()
    integers = Laplace.for_epsilon(1, 1, Relation.REPLACE)
    assert integers.rehearse(2**70, Seeded(1)).value <= 2**63 - 1
    assert integers.rehearse(np.empty(0, np.int64), Seeded(1)).value.size == 0


def test_refusals() -> None:
    for wrong in (0, -1, float("nan"), float("inf"), True, "x", None):
        with pytest.raises(Refused):
            Laplace.for_epsilon(wrong, 1, Relation.REPLACE)
        with pytest.raises(Refused):
            Laplace.for_epsilon(1, wrong, Relation.REPLACE)
        with pytest.raises(Refused):
            Laplace(1, Relation.REPLACE, scale=wrong)
    with pytest.raises(Refused):
        Laplace.for_epsilon(1, "1/2", Relation.REPLACE)
    with pytest.raises(Refused):
        Laplace.for_epsilon(1, 1, Relation.REPLACE).rehearse(1.5, Seeded(1))
    with pytest.raises(Refused):
        Laplace.for_reals(1, 1, Relation.REPLACE).rehearse([1.0, 2.0], Seeded(1))
    for confidence in (0, 1, "x", float("nan")):
        with pytest.raises(Refused):
            Laplace.for_epsilon(1, 1, Relation.REPLACE).error(confidence)


def test_what_is_no_relation_or_no_grid_is_refused() -> None:
    for relation in ("add/remove", "replace", None, 1, Relation):
        with pytest.raises(Refused):
            Laplace.for_epsilon(1, 1, relation)
    for grid in (0.5, "a", -4, True, Grid):
        with pytest.raises(Refused):
            Laplace.for_epsilon(1, 1, Relation.REPLACE, grid=grid)
    for dimension in (0, "a", 1.5, True):
        with pytest.raises(Refused):
            Laplace.for_reals(1, 1, Relation.REPLACE, dimension=dimension)


def test_an_error_is_remembered_for_what_was_asked() -> None:
    mechanism = Laplace.for_epsilon(1, 1, Relation.REPLACE)
    mechanism.error("0.9", 1)
    for confidence, cells in ([0.9], 1), ("0.9", True), ("0.9", 1.0):
        with pytest.raises(Refused):
            mechanism.error(confidence, cells)
