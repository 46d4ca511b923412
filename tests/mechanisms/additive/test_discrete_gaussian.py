"""The discrete Gaussian mechanism: its ρ by enumeration, and the Gaussian claim that it must not make."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.divergence import ROUND_OFF, hockey_stick, violations
from tests.goodness import FALSE_ALARM, fit

from tacit.errors import Refused
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.additive.gaussian import DiscreteGaussian
from tacit.noise import gaussian_law as noise
from tacit.noise.bits import Seeded
from tacit.noise.grid import Grid

QUERIES = (0.0, 1.0, 1 / 3, 2.0**40, -(2.0**-20))


def law_at(law: noise.DiscreteGaussianLaw, centre: int) -> dict[int, float]:
    """The output law over a window that holds all but 1e-13 of it, the same for every centre."""
    reach = math.ceil(8 * law.width) + 8
    return {output: float(law.mass(output - centre)) for output in range(-reach, reach + 1)}


def joint(left: dict[int, float], right: dict[int, float]) -> dict[tuple[int, int], float]:
    return {(a, b): p * q for (a, p), (b, q) in product(left.items(), right.items())}


@pytest.mark.parametrize("sigma_squared", ["1/3", 1, 9])
@pytest.mark.parametrize("sensitivity", [1, 2, 5])
def test_rho_holds_for_one_integer(sigma_squared: str | int, sensitivity: int) -> None:
    mechanism = DiscreteGaussian(sensitivity, Relation.REPLACE, sigma_squared=sigma_squared)
    pairs = [(law_at(mechanism.law, 0), law_at(mechanism.law, shift)) for shift in range(sensitivity + 1)]
    assert violations(mechanism.loss, pairs) == []


def test_rho_holds_for_a_vector() -> None:
    mechanism = DiscreteGaussian(5, Relation.REPLACE, dimension=2, sigma_squared=2)
    still = joint(law_at(mechanism.law, 0), law_at(mechanism.law, 0))
    moves = [(5, 0), (3, 4), (3, -4), (1, 1), (2, 4)]
    pairs = [(still, joint(law_at(mechanism.law, a), law_at(mechanism.law, b))) for a, b in moves]
    assert violations(mechanism.loss, pairs) == []


@pytest.mark.parametrize("grid", [Grid(0), Grid(-1), Grid(1)])
def test_rho_holds_on_a_grid(grid: Grid) -> None:
    mechanism = DiscreteGaussian(1, Relation.REPLACE, grid, sigma_squared=2)
    pairs = []
    for start in range(8):
        places = [float(Fraction(start, 8) * grid.step + move) for move in (Fraction(0), Fraction(1), Fraction(-1))]
        still, *moved = (int(step) for step in grid.round(places))
        pairs += [(law_at(mechanism.law, still), law_at(mechanism.law, other)) for other in moved]
    assert violations(mechanism.loss, pairs) == []


def test_the_gaussian_claim_is_false_and_caught() -> None:
    """σ = Δ = 1: at ε = 5.34 the true δ is 2.24e-7, where μ = Δ/σ would promise 1.05e-7."""
    law = noise.DiscreteGaussianLaw(1)
    near, far = law_at(law, 0), law_at(law, 1)
    assert violations(Gdp(1), [(near, far)])
    assert hockey_stick(near, far, 5.34) == pytest.approx(2.24e-7, rel=0.01)
    assert Gdp(1).delta("5.34") == pytest.approx(1.05e-7, rel=0.01)
    assert hockey_stick(near, far, 5.34) <= DiscreteGaussian(1, Relation.REPLACE, sigma_squared=1).loss.delta("5.34")


def test_broken_twins_are_caught() -> None:
    law = noise.DiscreteGaussianLaw(1)
    assert violations(Zcdp("1/4"), [(law_at(law, 0), law_at(law, 1))])  # σ² taken twice as large as it is
    assert violations(Zcdp("1/2"), [(law_at(law, 0), law_at(law, 2))])  # a move twice the sensitivity
    still = joint(law_at(law, 0), law_at(law, 0))
    assert violations(Zcdp("1/2"), [(still, joint(law_at(law, 1), law_at(law, 1)))])  # ℓ∞ called ℓ₂


def test_every_output_is_a_multiple_of_one_public_step() -> None:
    """R02."""
    mechanism = DiscreteGaussian.for_loss(Zcdp("0.5"), 1, Relation.REPLACE, grid=Grid(-10))
    for query in QUERIES:
        outputs = [mechanism.rehearse(query, Seeded(seed)).value for seed in range(200)]
        assert all((Fraction(output) / mechanism.step).denominator == 1 for output in outputs)
        assert len(set(outputs)) > 100


@pytest.mark.parametrize("sigma_squared", ["1/3", 10, 10**6])
def test_the_noise_follows_its_law(sigma_squared: str | int) -> None:
    """Chi-square, false-alarm rate FALSE_ALARM."""
    mechanism = DiscreteGaussian(1, Relation.REPLACE, sigma_squared=sigma_squared)
    draws = mechanism.rehearse(np.full(100_000, 11), Seeded(6)).value - 11
    reach = 3 * math.ceil(mechanism.law.width)
    assert fit(draws, mechanism.law, -reach, reach) > FALSE_ALARM


def test_error_is_the_exact_quantile() -> None:
    for sigma_squared, confidence, cells in product(("1/3", 1, 50), ("0.5", "0.95", "0.999"), (1, 10)):
        mechanism = DiscreteGaussian(1, Relation.REPLACE, sigma_squared=sigma_squared)
        error = int(mechanism.error(confidence, cells))

        def coverage(t: int, law: noise.DiscreteGaussianLaw = mechanism.law, cells: int = cells) -> float:
            return float(1 - 2 * law.tail(t + 1)) ** cells

        assert coverage(error) >= float(confidence) - ROUND_OFF
        assert error == 0 or coverage(error - 1) < float(confidence)


def test_calibration_is_exact() -> None:
    mechanism = DiscreteGaussian.for_loss(Zcdp("1/8"), 3, Relation.REPLACE)
    assert mechanism.sigma_squared == 36
    assert mechanism.loss == Zcdp("1/8")
    on_grid = DiscreteGaussian.for_loss(Zcdp("1/8"), 3, Relation.REPLACE, grid=Grid(-8), dimension=2)
    assert on_grid.loss.rho == Fraction(1, 8)
    assert on_grid.sigma_squared > 36


def test_refusals() -> None:
    for wrong in (0, -1, float("nan"), float("inf"), True, "x", None):
        with pytest.raises(Refused):
            DiscreteGaussian(1, Relation.REPLACE, sigma_squared=wrong)
        with pytest.raises(Refused):
            DiscreteGaussian.for_loss(Zcdp(1), wrong, Relation.REPLACE)
    with pytest.raises(Refused):
        DiscreteGaussian.for_loss(Gdp(1), 1, Relation.REPLACE)
    with pytest.raises(Refused):
        DiscreteGaussian.for_loss(Zcdp(1), 1, Relation.REPLACE).rehearse(0.5, Seeded(1))
