"""Vector reports: the whole law enumerated in two dimensions on coarse grids, errors and bias by formula."""

from __future__ import annotations

from fractions import Fraction
from math import exp, isqrt, sqrt
from typing import Any

import numpy as np
import pytest
from flint import arb
from numpy.typing import NDArray
from scipy.stats import norm
from tests.goodness import FALSE_ALARM, p_value

from tacit.errors import Refused
from tacit.local.means.cap import Cap
from tacit.local.means.vector_response import VectorResponse, products
from tacit.noise.bits import ENTROPY, Seeded
from tacit.noise.gaussian_law import RoundedGaussian

Floats = NDArray[np.float64]


class Plane:
    """All whole vectors within 9 standard deviations in the plane, their masses, and every cap of a coarse response."""

    def __init__(self, cap: Cap) -> None:
        law, reach = RoundedGaussian(cap.grain**2), 9 * cap.grain
        masses = np.array([float(law.mass(value)) for value in range(-reach, reach + 1)])
        side = np.arange(-reach, reach + 1)
        self.first, self.second = (each.ravel() for each in np.meshgrid(side, side, indexing="ij"))
        self.masses = np.outer(masses, masses).ravel()
        self.cap = cap
        edge = range(-cap.radius, cap.radius + 1)
        self.directions = [(a, b) for a in edge for b in edge if 4 * (a * a + b * b) >= cap.radius**2]

    def within(self, toward: tuple[int, int]) -> NDArray[np.bool_]:
        a, b = toward
        bound = isqrt(int((self.cap.gamma * self.cap.grain) ** 2 * (a * a + b * b)))
        return self.first * a + self.second * b >= bound

    def law(self, toward: tuple[int, int], odds: float) -> Floats:
        """The probability of each report, by its mass in the cap or outside."""
        inside = self.within(toward)
        chance, truth = self.masses[inside].sum(), odds / (1 + odds)
        return np.where(inside, truth / chance, (1 - truth) / (1 - chance))

    def worst_ratio(self, odds: float) -> float:
        """The largest ratio of one report's probabilities under two directions: the mass of the report cancels."""
        laws = [self.law(toward, odds) for toward in self.directions]
        return float(np.max(np.max(laws, axis=0) / np.min(laws, axis=0)))


COARSE = [Cap(Fraction(1), 2, 8, 6), Cap(Fraction(2), 2, 12, 5), Cap(Fraction(4), 2, 10, 4)]


@pytest.mark.parametrize("cap", COARSE, ids=str)
def test_the_law_is_private_over_all_reports_and_directions(cap: Cap) -> None:
    plane = Plane(cap)
    low, high = (float(end) for end in cap.chances)
    chances = [plane.masses[plane.within(toward)].sum() for toward in plane.directions]
    assert low <= min(chances) <= max(chances) <= high
    ratio = plane.worst_ratio(float(cap.odds))
    assert ratio <= exp(cap.epsilon) * (1 + 1e-12)
    assert ratio > exp(cap.epsilon) * 0.75, "even a coarse grid wastes little"


def test_a_cap_with_the_real_normal_probability_is_caught() -> None:
    """The twin takes the cap's probability for that of a real Gaussian: on a coarse grid its odds are too large."""
    cap = COARSE[0]
    chance = float(norm.sf(float(cap.gamma)))
    assert Plane(cap).worst_ratio(exp(1) * chance / (1 - chance)) > exp(1) * 1.01


@pytest.mark.parametrize("cap", COARSE, ids=str)
def test_the_mean_is_the_direction_but_for_the_stated_bias(cap: Cap) -> None:
    plane = Plane(cap)
    for toward in plane.directions[::3]:
        law = plane.law(toward, float(cap.odds)) * plane.masses
        mean = np.array([law @ plane.first, law @ plane.second]) / (cap.grain * cap.contrast)
        assert np.linalg.norm(mean - np.array(toward) / np.hypot(*toward)) <= cap.bias


@pytest.mark.parametrize("dimension", [2, 100, 10_000])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "4", "8"])
def test_on_the_usual_grid_nothing_is_wasted(dimension: int, epsilon: str) -> None:
    """The error is that of real Gaussians, no worse than at any other cap, and the bias is below a thousandth."""
    response = VectorResponse(Fraction(epsilon), dimension)
    gamma, odds = float(response.cap.gamma), float(response.cap.odds)
    chance = norm.sf(gamma)
    assert odds == pytest.approx(exp(float(epsilon)) * chance / (1 - chance), rel=1e-3)
    assert response.bias < 1e-3
    others = [_error(g, exp(float(epsilon)), dimension) for g in np.linspace(0.01, 4, 60)]
    assert response.worst_error <= min(others) * (1 + 1e-5)


def _error(gamma: float, odds: float, dimension: int) -> float:
    """The same error from scipy's truncated normals."""
    chance = norm.sf(gamma)
    truth = odds * chance / (1 - chance + odds * chance)
    along = truth * norm.pdf(gamma) / chance - (1 - truth) * norm.pdf(gamma) / (1 - chance)
    inside, outside = 1 + gamma * norm.pdf(gamma) / chance, 1 - gamma * norm.pdf(gamma) / (1 - chance)
    return float((dimension - 1 + truth * inside + (1 - truth) * outside) / along**2)


def test_reports_have_the_stated_law() -> None:
    """How often 1,000 reports lie in the cap, and the tail beyond it; false-alarm rate FALSE_ALARM."""
    response, bits = VectorResponse(Fraction(2), 3), Seeded(7)
    vector = np.array([2.0, -1.0, 2.0]) / 3
    found = response.rehearse(np.tile(vector, (1000, 1)), bits)
    along = found @ vector / response.grain
    gamma, odds = float(response.cap.gamma), float(response.cap.odds)
    truth, far = odds / (1 + odds), norm.sf(gamma + 1) / norm.sf(gamma)
    cells = [
        int((along < gamma).sum()),
        int(((gamma <= along) & (along < gamma + 1)).sum()),
        int((along > gamma + 1).sum()),
    ]
    assert p_value(cells, [1 - truth, truth * (1 - far), truth * far]) > FALSE_ALARM


@pytest.mark.parametrize(("dimension", "epsilon", "length"), [(20, 4, 1.0), (5, 2, 0.5), (5, 1, 0.0)])
def test_estimates_are_unbiased_with_the_stated_error(dimension: int, epsilon: int, length: float) -> None:
    """600 reports: mean within 5 standard errors in every place, mean square error within 5 of its own."""
    response, people = VectorResponse(Fraction(epsilon), dimension), 600
    vector = np.full(dimension, length / sqrt(dimension))
    decoded = response.decode(response.rehearse(np.tile(vector, (people, 1)), Seeded(dimension)))
    spread = decoded.std(axis=0) / sqrt(people)
    assert np.all(np.abs(decoded.mean(axis=0) - vector) < 5 * spread)
    squares = ((decoded - vector) ** 2).sum(axis=1)
    assert abs(squares.mean() - (response.worst_error - length**2)) < 5 * squares.std() / sqrt(people)


def test_an_estimate_has_its_radius() -> None:
    response = VectorResponse(Fraction(3), 4)
    vectors = np.eye(4)[np.arange(800) % 4] * 0.9
    found = response.estimate(response.rehearse(vectors, Seeded(1)))
    assert np.linalg.norm(found.value - vectors.mean(axis=0)) < found.radius()
    assert found.root_mean_square < found.radius()
    assert "800 vectors" in str(found)
    assert response.loss.epsilon(0) == 3


def test_products_are_exact_at_any_size() -> None:
    draws = np.random.default_rng(2)
    for most in (2**30, 2**62):
        drawn = draws.integers(-most, most, (5, 40))
        toward = draws.integers(-(2**28), 2**28, 40)
        assert products(drawn, toward) == [
            sum(int(a) * int(b) for a, b in zip(row, toward, strict=True)) for row in drawn
        ]


@pytest.mark.parametrize("vector", [[1e-300, 0], [1e300, -1e300], [0, 0], [3, 4]])
def test_every_vector_has_a_report(vector: Any) -> None:
    response = VectorResponse(Fraction(1), 2)
    assert response.report(vector).shape == (2,)
    toward = response.direction(np.array(vector, float), Seeded(3))
    assert np.hypot(*toward) == pytest.approx(response.radius, rel=1e-6)


def test_many_vectors_are_reported_at_once() -> None:
    """Each row by the law of a single one: the estimate of 400 is within the radius that holds with 1 − 1e-3."""
    response = VectorResponse(Fraction(4), 3)
    vectors = np.array([[0.6, 0.0, 0.0], [0.0, -0.2, 0.5]] * 200)
    reports = response.report(vectors)
    assert reports.shape == (400, 3)
    found = response.estimate(reports)
    assert np.linalg.norm(found.value - vectors.mean(axis=0)) < found.radius("0.999")


def test_misuse_is_refused() -> None:
    response = VectorResponse(Fraction(1), 2)
    for vector in ([1], [1, float("nan")], "secret", [[[1, 2]]], [[1], [2]], [[1, 2], [3]], [], [float("inf"), 0]):
        with pytest.raises(Refused, match="a vector that is none"):
            response.report(vector)
    with pytest.raises(Refused, match="rehearsal"):
        response.rehearse([[1, 0]], ENTROPY)  # type: ignore[arg-type]
    with pytest.raises(Refused, match="estimate"):
        response.estimate([[0.5, 1.0]])
    with pytest.raises(Refused):
        VectorResponse(Fraction(11), 2)
    with pytest.raises(Refused, match="too coarse"):
        Cap(Fraction(1, 10), 100, 8, 8)
    assert isinstance(response.cap.chances[0], arb)
