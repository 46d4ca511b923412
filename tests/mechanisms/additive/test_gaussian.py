"""The Gaussian mechanism by rounding: every Gaussian claim holds for the integers that are drawn."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm
from tests.divergence import violations
from tests.goodness import FALSE_ALARM, fit

from tacit.errors import Refused
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.noise.ball import precision
from tacit.noise.bits import Seeded
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.grid import Grid

QUERIES = (0.0, 1.0, 1 / 3, 2.0**40, -(2.0**-20))


def law_at(noise: RoundedGaussian, centre: int) -> dict[int, float]:
    """The output law over a window that holds all but 1e-13 of it, the same for every centre."""
    reach = math.ceil(8 * noise.width) + 8
    with precision(256):
        return {output: float(noise.mass(output - centre)) for output in range(-reach, reach + 1)}


def joint(left: dict[int, float], right: dict[int, float]) -> dict[tuple[int, int], float]:
    return {(a, b): p * q for (a, p), (b, q) in product(left.items(), right.items())}


@pytest.mark.parametrize("variance", ["1/4", 1, 9, 30])
@pytest.mark.parametrize("sensitivity", [1, 2, 5])
def test_the_loss_holds_for_one_integer(variance: str | int, sensitivity: int) -> None:
    mechanism = Gaussian(sensitivity, Relation.REPLACE, variance=variance)
    pairs = [(law_at(mechanism.law, 0), law_at(mechanism.law, shift)) for shift in range(sensitivity + 1)]
    assert violations(mechanism.loss, pairs) == []


@pytest.mark.parametrize("variance", [1, 4])
def test_the_joint_loss_holds_for_a_vector(variance: int) -> None:
    """ℓ₂ moves of at most 5 in the plane, small σ: straight, slanted, and the diagonal that ℓ₁ would call 8."""
    mechanism = Gaussian(5, Relation.REPLACE, dimension=2, variance=variance)
    still = joint(law_at(mechanism.law, 0), law_at(mechanism.law, 0))
    moves = [(5, 0), (3, 4), (3, -4), (1, 1), (2, 4)]
    pairs = [(still, joint(law_at(mechanism.law, a), law_at(mechanism.law, b))) for a, b in moves]
    assert violations(mechanism.loss, pairs) == []


@pytest.mark.parametrize("grid", [Grid(0), Grid(-1), Grid(1)])
def test_the_loss_holds_on_a_grid(grid: Grid) -> None:
    mechanism = Gaussian(1, Relation.REPLACE, grid, variance=2)
    pairs = []
    for start in range(8):
        places = [float(Fraction(start, 8) * grid.step + move) for move in (Fraction(0), Fraction(1), Fraction(-1))]
        still, *moved = (int(step) for step in grid.round(places))
        pairs += [(law_at(mechanism.law, still), law_at(mechanism.law, other)) for other in moved]
    assert violations(mechanism.loss, pairs) == []


def test_broken_twins_are_caught() -> None:
    law = RoundedGaussian(4)
    pair = [(law_at(law, 0), law_at(law, 4))]
    assert violations(Gdp(4), pair) == []
    assert violations(Gdp(2), pair)  # σ² taken twice as large as it is
    still = joint(law_at(law, 0), law_at(law, 0))
    assert violations(Gdp(Fraction(16, 4)), [(still, joint(law_at(law, 4), law_at(law, 4)))])  # ℓ∞ called ℓ₂


def test_every_output_is_a_multiple_of_one_public_step() -> None:
    """R02, and the twin: NumPy's normal leaves the grid."""
    mechanism = Gaussian.for_loss(Zcdp("0.5"), 1, Relation.REPLACE, grid=Grid(-10))

    def off_grid(outputs: list[float]) -> bool:
        return any((Fraction(output) / mechanism.step).denominator != 1 for output in outputs)

    for query in QUERIES:
        outputs = [mechanism.rehearse(query, Seeded(seed)).value for seed in range(200)]
        assert not off_grid(outputs)
        assert len(set(outputs)) > 100
    generator = np.random.Generator(np.random.PCG64(1))
    assert off_grid([float(x) for x in generator.normal(size=100)])


@pytest.mark.parametrize("variance", ["1/5", 10, 10**6])
def test_the_noise_follows_its_law(variance: str | int) -> None:
    """Chi-square, false-alarm rate FALSE_ALARM."""
    mechanism = Gaussian(1, Relation.REPLACE, variance=variance)
    draws = mechanism.rehearse(np.full(100_000, -3), Seeded(4)).value + 3
    reach = 3 * math.ceil(mechanism.law.width)
    assert fit(draws, mechanism.law, -reach, reach) > FALSE_ALARM


def test_error_is_the_exact_quantile() -> None:
    """And 003's bound in its true form: 2d·Φ(−t/σ) ≤ β, to a step of rounding."""
    for variance, confidence, cells in product((1, 50), ("0.5", "0.95", "0.999"), (1, 10)):
        mechanism = Gaussian(1, Relation.REPLACE, variance=variance)
        error = int(mechanism.error(confidence, cells))

        def coverage(t: int, law: RoundedGaussian = mechanism.law, cells: int = cells) -> float:
            return float(1 - 2 * law.tail(t + 1)) ** cells

        assert coverage(error) >= float(confidence)
        assert error == 0 or coverage(error - 1) < float(confidence)
        assert error <= math.ceil(math.sqrt(variance) * norm.isf((1 - float(confidence)) / (2 * cells)) + 0.5)


def test_error_covers_as_often_as_it_says() -> None:
    """Binomial: 20,000 draws, six standard deviations, false-alarm rate below 2e-9."""
    mechanism = Gaussian(1, Relation.REPLACE, variance=10**6)
    draws = mechanism.rehearse(np.zeros(20_000, np.int64), Seeded(5)).value
    inside = (np.abs(draws) <= mechanism.error("0.9")).mean()
    assert abs(inside - 0.9) < 6 * math.sqrt(0.9 * 0.1 / 20_000) + 0.001


@pytest.mark.parametrize("target", [Approx(1, "1e-5"), Approx(20, "1e-5"), Approx("0.1", "1e-9")])
def test_calibration_meets_the_promise_and_not_much_more(target: Approx) -> None:
    mechanism = Gaussian.for_loss(target, 3, Relation.ADD_REMOVE)
    assert mechanism.loss.delta(target.exact_epsilon) <= target.exact_delta
    slightly_less = Gaussian(3, Relation.ADD_REMOVE, variance=mechanism.variance * Fraction(999, 1000))
    assert slightly_less.loss.delta(target.exact_epsilon) > target.exact_delta


def test_calibration_to_concentrated_and_gaussian_privacy_is_exact() -> None:
    assert Gaussian.for_loss(Zcdp("1/8"), 3, Relation.REPLACE).variance == 36
    assert Gaussian.for_loss(Gdp(4), 3, Relation.REPLACE).variance == Fraction(9, 4)


def test_totality() -> None:
    mechanism = Gaussian.for_loss(Gdp(1), 1, Relation.REPLACE, grid=Grid(-8), dimension=4)
    assert np.isfinite(mechanism.rehearse([np.nan, np.inf, -np.inf, 1e308], Seeded(1)).value).all()


def test_refusals() -> None:
    for wrong in (0, -1, float("nan"), float("inf"), True, "x", None):
        with pytest.raises(Refused):
            Gaussian(1, Relation.REPLACE, variance=wrong)
        with pytest.raises(Refused):
            Gaussian.for_loss(Gdp(1), wrong, Relation.REPLACE)
    with pytest.raises(Refused):
        Gaussian.for_loss(Pure(1), 1, Relation.REPLACE)
    with pytest.raises(Refused):
        Gaussian.for_loss(Gdp(1), 1, Relation.REPLACE).rehearse([0.5], Seeded(1))
    with pytest.raises(Refused):
        Gaussian.for_loss(Gdp(1), 1, Relation.REPLACE, grid=Grid(0)).rehearse([0.5, 0.5], Seeded(1))
