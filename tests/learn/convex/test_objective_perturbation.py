"""Objective perturbation: the law of the minimiser against every test, and what breaks without a density or a part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, log, log1p, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm
from tests.learn.convex.minimising import Rows, matrix, minimum

from tacit.learn.convex.design import FINEST, by_person
from tacit.learn.convex.losses import LossKind
from tacit.learn.convex.newton import TOLERANCE, RidgeObjective
from tacit.learn.convex.objective_perturbation import TILT_BITS, ObjectiveNoise, inner_shift_down, is_within
from tacit.loss.families.loss import Relation

Floats = NDArray[np.float64]
PRICES = [0.03, 0.25, 1.0, 3.0]


def gaussian_curve(epsilon: Floats | float, mu: float) -> Floats:
    """δ of a Gaussian mechanism."""
    return norm.cdf(mu / 2 - epsilon / mu) - np.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)


def bound(epsilon: float, mu: float, growth: float) -> float:
    """h(ε) of the proof."""
    beyond = epsilon - log1p(growth)
    return float(gaussian_curve(beyond, mu)) if beyond >= 0 else 1 - exp(beyond) * 2 * norm.cdf(-mu / 2)


def least_miss(alarm: Floats, mu: float, growth: float) -> Floats:
    """The least miss rate at false-alarm rates that h permits, both ways, from many ε ≥ 0."""
    grid = np.concatenate([np.linspace(0, 2 * log1p(growth), 101), log1p(growth) + np.linspace(0, 10 * mu, 1001)])
    found = np.zeros_like(alarm)
    for epsilon in grid:
        hit = 1 - bound(epsilon, mu, growth)
        found = np.maximum(found, np.maximum(hit - exp(epsilon) * alarm, exp(-epsilon) * (hit - alarm)))
    return found


@pytest.mark.parametrize("whole", PRICES)
@pytest.mark.parametrize("growth", [1e-4, 0.01, 0.05, 0.3])
def test_no_miss_rate_is_below_that_of_the_price(whole: float, growth: float) -> None:
    """Step (4), on a grid; a hundredth more of μ would be too much."""
    squared, grown = Fraction(whole) ** 2, Fraction(growth)
    if not is_within(Fraction(whole) / 10**6, squared, grown):
        with pytest.raises(ArithmeticError):
            inner_shift_down(squared, grown)
        return
    mu = float(inner_shift_down(squared, grown))
    alarm = norm.cdf(np.linspace(-whole - 4, whole + 4, 401))
    gaussian = norm.cdf(-norm.ppf(alarm) - whole)
    assert (least_miss(alarm, mu, growth) >= gaussian - 2e-5).all()
    if mu > whole / 2:
        assert (least_miss(alarm, 1.01 * mu, growth) < gaussian - 2e-5).any()


def law_of(slopes: Callable[[Floats], Floats], bends: Callable[[Floats], Floats], sigma: float, w: Floats) -> Floats:
    """The exact density of the minimiser in one dimension: ν(−F'(w))·F''(w)."""
    return norm.pdf(-slopes(w), scale=sigma) * bends(w)


def world(
    examples: Sequence[tuple[float, int, int]], loss: LossKind, ridge: float
) -> tuple[Callable[[Floats], Floats], ...]:
    """F' and F'' for examples x with their classes, so many of each."""

    def slopes(w: Floats) -> Floats:
        found = ridge * w
        for x, y, many in examples:
            found = found + many * x * loss.gradients((x * w)[:, None], np.full(len(w), y))[:, 0]
        return found

    def bends(w: Floats) -> Floats:
        found = np.full(len(w), ridge)
        for x, y, many in examples:
            found = found + many * x * x * loss.curvatures((x * w)[:, None], np.full(len(w), y))[:, 0, 0]
        return found

    return slopes, bends


WORLDS: list[list[tuple[float, int, int]]] = [
    [],
    [(1.0, 0, 1)],
    [(1.0, 0, 5)],
    [(0.5, 1, 1), (-1.0, 0, 1)],
    [(1.0, 0, 4), (1.0, 1, 4)],
]


def excess(loss: LossKind, sigma: float, ridge: float, whole: float) -> float:
    """The largest δ beyond the Gaussian curve of `whole`, over worlds, one more example, both directions and ε ≥ 0."""
    worst = -1.0
    reach = (9 * sigma + 20) / ridge
    w = np.linspace(-reach, reach, 40_001)
    step = w[1] - w[0]
    for others in WORLDS:
        without = law_of(*world(others, loss, ridge), sigma, w)
        for x, y in ((1.0, 1), (1.0, 0), (0.3, 1)):
            with_one = law_of(*world([*others, (x, y, 1)], loss, ridge), sigma, w)
            assert abs(with_one.sum() * step - 1) < 1e-5
            for epsilon in (0.0, 0.1 * whole, whole, 2 * whole, 4 * whole):
                for one, other in ((without, with_one), (with_one, without)):
                    delta = float(np.maximum(one - exp(epsilon) * other, 0).sum() * step)
                    worst = max(worst, delta - float(gaussian_curve(epsilon, whole)))
    return worst


@pytest.mark.parametrize("loss", [LossKind.LOGISTIC, LossKind.HINGE])
@pytest.mark.parametrize("whole", [0.3, 1.0])
def test_no_test_tells_neighbours_apart_beyond_the_claim(loss: LossKind, whole: float) -> None:
    noise = ObjectiveNoise(Fraction(whole) ** 2, loss, 1, Relation.ADD_REMOVE)
    sigma = sqrt(noise.tilt_law.variance) / 2**TILT_BITS
    inside = whole * sqrt(0.99)
    assert excess(loss, sigma, noise.ridge, inside) <= 1e-5
    assert excess(loss, sigma / 2, noise.ridge, inside) > 0.003  # a broken twin: half the noise


def test_a_ridge_too_small_for_its_curvature_is_caught() -> None:
    """A broken twin: all of the price for μ, nothing for κ, at a ridge that bends a lot."""
    assert excess(LossKind.HINGE, 1.0, 0.5, 1.0) > 0.01
    paid = sqrt(1.0)
    while not is_within(Fraction(1), Fraction(paid) ** 2, Fraction(LossKind.HINGE.curvature) / Fraction(1, 2)):
        paid *= 1.05
    assert excess(LossKind.HINGE, 1.0, 0.5, paid) <= 1e-5


def test_prices_add_up_and_replacing_costs_twice_the_norm() -> None:
    for price in PRICES:
        for loss in (LossKind.LOGISTIC, LossKind.HINGE):
            one, two = (ObjectiveNoise(Fraction(price) ** 2, loss, 40, each) for each in Relation)
            if two.relation is not Relation.REPLACE:
                one, two = two, one
            half = ObjectiveNoise(Fraction(price / 2) ** 2, loss, 40, Relation.ADD_REMOVE)
            assert two.tilt_law.variance == half.tilt_law.variance
            assert two.ridge == half.ridge
            growth = Fraction(loss.curvature) / Fraction(one.ridge)
            mu = Fraction(2**TILT_BITS) / Fraction(sqrt(one.tilt_law.variance) * (1 - 1e-12))
            assert is_within(mu * Fraction(99999, 100000), Fraction(price) ** 2 * Fraction(99, 100), growth)
            spread = (2 * (TOLERANCE + sqrt(40) / 2 ** (TILT_BITS + 1)) / one.ridge * 2**FINEST) ** 2
            assert spread / float(one.grid_law.variance) <= price**2 / 100 * (1 + 1e-9)


PERSON: Rows = [((0, 1), 1)]
CROWD: list[Rows] = [[((0, 0), 0)], [((0, 1), 0)], [((0, 1), 1)]]


def tilts_of(world_rows: Sequence[Rows], found: Floats, ridge: float) -> Floats:
    """The noise inside the objective of a world whose minimiser is `found`: what an adversary computes."""
    design = by_person(matrix(world_rows, (1, 2)), 2)
    objective = RidgeObjective(design, LossKind.LOGISTIC, ridge, np.zeros((3, 1)))
    return -objective.gradient(np.rint(np.ldexp(found, FINEST)).astype(np.int64))[0]


def test_integers_inside_the_objective_tell_worlds_apart() -> None:
    """A broken twin: integer noise without a density, and no noise on the grid. ε = ∞ in every single draw.

    In its own world the noise is whole; in the other it is whole minus one person's gradient, which is not.
    """
    ridge, rng = 2.0, np.random.default_rng(0)
    for _ in range(30):
        tilt = np.rint(rng.normal(0, 5, (3, 1)))
        design = by_person(matrix([*CROWD, PERSON], (1, 2)), 2)
        found = minimum(design, LossKind.LOGISTIC, ridge, tilt=tilt, tolerance=2.0**-20)
        own, other = (tilts_of(each, found, ridge) for each in ([*CROWD, PERSON], CROWD))
        assert np.abs(own - np.rint(own)).max() < 1e-4
        if np.abs(other - np.rint(other)).max() < 1e-4:
            pytest.fail("one person's gradient was whole")


def test_noise_on_the_grid_hides_what_rounding_tells() -> None:
    """The noise that is drawn lies on a grid as well; beside the noise on its minimiser that grid is not to be seen."""
    noise = ObjectiveNoise(Fraction(1, 16), LossKind.LOGISTIC, 3, Relation.ADD_REMOVE)
    blur = sqrt(noise.grid_law.variance) / 2**FINEST * noise.ridge
    assert blur > 100 * 2.0**-TILT_BITS
    assert blur >= 10 * 2 * TOLERANCE / log(4)


@pytest.mark.parametrize("seed", range(10))
def test_an_optimisers_error_is_hidden(seed: int) -> None:
    """Two runs that end anywhere within the tolerance differ by at most what the noise on the grid is made for."""
    rng = np.random.default_rng(seed)
    design = by_person(matrix([*CROWD, PERSON], (1, 2)), 2)
    noise = ObjectiveNoise(Fraction(1, 16), LossKind.LOGISTIC, 3, Relation.ADD_REMOVE)
    tilt = rng.normal(0, 4, (3, 1))
    rounded = np.rint(tilt * 2**TILT_BITS) / 2**TILT_BITS
    exact = minimum(design, LossKind.LOGISTIC, noise.ridge, tilt=tilt, tolerance=2.0**-26)
    early = minimum(design, LossKind.LOGISTIC, noise.ridge, tilt=rounded)
    most = (TOLERANCE + sqrt(3) / 2 ** (TILT_BITS + 1)) / noise.ridge
    assert np.linalg.norm(exact - early) <= most + 2.0**-26 / noise.ridge
    allowed = sqrt(noise.grid_law.variance) / 2**FINEST * sqrt(noise.strength / 100)
    assert 2 * most <= allowed * (1 + 1e-9)
