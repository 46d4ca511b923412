"""Means of clipped vectors: clipping in integers, ℓ₂-Laplace noise against its density, both noises compared."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from tests.divergence import Law, violations
from tests.goodness import FALSE_ALARM

from tacit.errors import Refused
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Relation
from tacit.mechanisms.additive.ball_mean import BallMean, clip_to_ball
from tacit.mechanisms.additive.euclidean_laplace import EuclideanLaplace, gamma_quantile_up
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.noise.bits import Seeded
from tacit.noise.grid import Grid

NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)


def plane_law(centre: tuple[int, int], scale: float, reach: int, power: int = 0) -> Law:
    """P(each integer cell) of ℓ₂-Laplace noise in the plane by quadrature over the cells; `power` breaks the density.

    The nodes and weights are the same for every centre, so that a pointwise bound of the density carries over exactly.
    """
    places = np.arange(-reach, reach + 1)
    points = (places[:, None] + NODES / 2).ravel()
    x, y = np.meshgrid(points - centre[0], points - centre[1], indexing="ij")
    radius = np.hypot(x, y)
    density = np.exp(-radius / scale) / (2 * math.pi * scale**2) / np.maximum(radius, 1e-9) ** power
    weighted = density.reshape(places.size, NODES.size, places.size, NODES.size)
    masses = np.einsum("aibj,i,j->ab", weighted, WEIGHTS / 2, WEIGHTS / 2)
    return {(int(a), int(b)): float(masses[i, j]) for (i, a), (j, b) in product(enumerate(places), enumerate(places))}


def line_law(centre: int, scale: float, reach: int) -> Law:
    """P(each integer) of rounded Laplace noise, in closed form."""
    edges = np.arange(-reach, reach + 2) - 0.5 - centre
    upper = np.where(edges > 0, 1 - np.exp(-np.abs(edges) / scale) / 2, np.exp(-np.abs(edges) / scale) / 2)
    return {int(y): float(p) for y, p in zip(range(-reach, reach + 1), np.diff(upper), strict=True)}


def test_pure_privacy_on_the_line() -> None:
    mechanism = EuclideanLaplace.for_epsilon(1, 2, Relation.REPLACE, dimension=1)
    scale = float(mechanism.scale)
    pairs = [(line_law(0, scale, 60), line_law(shift, scale, 60)) for shift in (1, 2)]
    assert violations(mechanism.loss, pairs) == []
    assert violations(Pure("1/2"), pairs)


def test_pure_privacy_in_the_plane() -> None:
    """All integer moves of length at most 5, of them (3, 4) as long as (5, 0)."""
    mechanism = EuclideanLaplace.for_epsilon(5, 5, Relation.REPLACE, dimension=2)
    still = plane_law((0, 0), 1.0, 36)
    assert math.fsum(still.values()) == pytest.approx(1, abs=1e-3)
    pairs = [(still, plane_law(move, 1.0, 36)) for move in ((5, 0), (3, 4), (-3, 4), (1, 1), (0, -2))]
    assert violations(mechanism.loss, pairs) == []


def test_broken_twins_are_caught() -> None:
    """An exponential radius in place of a gamma one has an infinite peak; and ℓ₁ called ℓ₂ is too much."""
    still, moved = plane_law((0, 0), 1.0, 36), plane_law((1, 0), 1.0, 36)
    assert violations(Pure(1), [(still, moved)]) == []
    peaked = [plane_law(centre, 1.0, 36, power=1) for centre in ((0, 0), (1, 0))]
    assert violations(Pure(1), [(peaked[0], peaked[1])])
    assert violations(Pure(1), [(still, plane_law((1, 1), 1.0, 36))])


def test_the_code_follows_the_law() -> None:
    """Chi-square on 3,000 vectors of the plane, false-alarm rate FALSE_ALARM."""
    mechanism, bits = EuclideanLaplace.for_epsilon(1, 2, Relation.REPLACE, dimension=2), Seeded(1)
    draws = [tuple(int(c) for c in mechanism.privatize(np.array([3, -4]), bits)) for _ in range(3000)]
    law = plane_law((3, -4), 2.0, 40)
    likely = [cell for cell, p in law.items() if 3000 * p >= 8]
    observed = [draws.count(cell) for cell in likely]
    expected = [3000 * law[cell] for cell in likely]
    observed.append(3000 - sum(observed))
    expected.append(3000 - math.fsum(expected))
    assert len(likely) > 30
    assert stats.chisquare(observed, expected).pvalue > FALSE_ALARM


VECTORS = st.lists(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=3, max_size=3), min_size=1, max_size=4)


@given(VECTORS, st.integers(1, 2**30))
def test_no_clipped_row_is_longer_than_the_radius(rows: list[list[int]], radius: int) -> None:
    clipped = clip_to_ball(np.array(rows, np.int64), radius)
    for row, short in zip(rows, clipped, strict=True):
        exact = [int(cell) for cell in short]
        assert sum(cell**2 for cell in exact) <= radius**2
        assert all(cell * other >= 0 for cell, other in zip(row, exact, strict=True))
        if sum(cell**2 for cell in row) <= radius**2:
            assert exact == row


@given(VECTORS, st.integers(10**6, 2**30))
def test_clipping_keeps_the_direction(rows: list[list[int]], radius: int) -> None:
    clipped = clip_to_ball(np.array(rows, np.int64), radius).astype(float)
    for row, short in zip(np.array(rows, float), clipped, strict=True):
        if (length := np.linalg.norm(row)) > radius:
            assert np.abs(short - row * (radius / length)).max() <= 2


@given(st.integers(1, 2**30), st.integers(0, 2**32))
def test_rows_at_the_very_edge(radius: int, seed: int) -> None:
    """Rows within a unit of the sphere, where a float cannot tell: the integers decide."""
    generator = np.random.Generator(np.random.PCG64(seed))
    direction = generator.normal(size=(20, 2))
    rows = np.rint(radius * direction / np.linalg.norm(direction, axis=1, keepdims=True)).astype(np.int64)
    clipped = clip_to_ball(rows, radius)
    assert all(sum(int(c) ** 2 for c in row) <= radius**2 for row in clipped)
    fits = [sum(int(c) ** 2 for c in row) <= radius**2 for row in rows]
    assert all((clipped[i] == rows[i]).all() for i, fit in enumerate(fits) if fit)


def test_lengths_that_floats_misjudge_are_put_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if every length were computed a percent too small, or two percent too large, no row would leave the ball."""
    rows = np.random.Generator(np.random.PCG64(1)).integers(-(10**6), 10**6, (200, 5))
    true = np.linalg.norm
    for wrong in (0.99, 1.02):
        monkeypatch.setattr(np.linalg, "norm", lambda *args, wrong=wrong, **named: wrong * true(*args, **named))
        clipped = clip_to_ball(rows, 10**6)
        assert (clipped**2).sum(axis=1).max() <= 10**12
        assert (clipped**2).sum(axis=1).max() >= 0.95 * 10**12


def test_clipping_in_floats_is_caught() -> None:
    """The twin rounds the clipped row to the nearest steps: some rows leave the ball."""
    rows = np.random.Generator(np.random.PCG64(1)).normal(size=(200, 5)) * 1000
    twin = np.rint(rows * (100 / np.linalg.norm(rows, axis=1, keepdims=True))).astype(np.int64)
    assert (twin**2).sum(axis=1).max() > 100**2
    assert (clip_to_ball(rows.astype(np.int64), 100) ** 2).sum(axis=1).max() <= 100**2


@pytest.mark.parametrize("relation", list(Relation))
def test_sums_of_neighbours_are_within_the_sensitivity(relation: Relation) -> None:
    """All tables of two rows from a small alphabet with poison, every neighbour."""
    mechanism = BallMean.for_epsilon(1, 1, relation, dimension=2, grid=Grid(-3))
    alphabet = [(0.0, 0.0), (5.0, 5.0), (-0.6, 0.7), (np.nan, -9.0), (np.inf, -np.inf), (1e308, 1e-308), (0.3, 0.0)]

    def total(rows: list[tuple[float, float]]) -> NDArray[np.int64]:
        return mechanism.clip(np.array(rows)).sum(axis=0)

    for first, second, third in product(alphabet, repeat=3):
        if relation is Relation.ADD_REMOVE:
            moved = total([first, second]) - total([first])
        else:
            moved = total([first, second]) - total([first, third])
        assert (moved**2).sum() <= mechanism.noise.sensitivity**2
    assert mechanism.noise.sensitivity == (8 if relation is Relation.ADD_REMOVE else 16)


def test_means_are_near_and_within_their_error() -> None:
    generator = np.random.Generator(np.random.PCG64(2))
    table = generator.normal(0.2, 0.1, (2000, 3))
    for target in (Pure(1), Approx(1, "1e-6")):
        mechanism = BallMean.best(target, 1, Relation.REPLACE, dimension=3, people=2000)
        released = mechanism.rehearse(table, Seeded(3))
        assert np.linalg.norm(released.value - table.mean(axis=0)) <= mechanism.error("0.9999") + 1e-6
        assert "in length" in str(released)
        low, high = released.interval()
        assert (low < high).all()


@pytest.mark.parametrize("dimension", [1, 2, 7, 100])
@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.999"])
def test_error_is_the_exact_quantile(dimension: int, confidence: str) -> None:
    quantile = stats.gamma(dimension).ppf(float(confidence))
    assert float(gamma_quantile_up(Fraction(dimension), Fraction(confidence))) == pytest.approx(quantile, abs=2e-6)
    laplace = BallMean.for_epsilon(1, 1, Relation.REPLACE, dimension=dimension, people=100)
    assert laplace.error(confidence) == pytest.approx(quantile * 2 / 100, rel=1e-5)
    gaussian = BallMean.for_loss(Gdp(1), 1, Relation.REPLACE, dimension=dimension, people=100)
    assert gaussian.error(confidence) == pytest.approx(stats.chi(dimension).ppf(float(confidence)) * 2 / 100, rel=1e-5)


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_error_covers_as_often_as_it_says(kind: str) -> None:
    """Binomial: 1,500 draws, five standard deviations, false-alarm rate below 1e-6."""
    if kind == "laplace":
        mechanism = BallMean.for_epsilon(1, 1, Relation.ADD_REMOVE, dimension=4)
    else:
        mechanism = BallMean.for_loss(Gdp(1), 1, Relation.ADD_REMOVE, dimension=4)
    bits, table = Seeded(4), np.zeros((1, 4))
    lengths = np.array([np.linalg.norm(mechanism.rehearse(table, bits).value) for _ in range(1500)])
    assert abs((lengths <= mechanism.error("0.8")).mean() - 0.8) < 5 * math.sqrt(0.8 * 0.2 / 1500)
    assert lengths.mean() == pytest.approx(mechanism.expected_error(), rel=0.1)


@pytest.mark.parametrize("dimension", [1, 3, 30, 300])
def test_expected_errors_are_those_of_the_theory(dimension: int) -> None:
    """ℓ₂-Laplace dΔ/ε, below Laplace's √2·dΔ/ε; Gaussian at most √d·σ; and `best` takes the smaller."""
    target = Approx(1, "1e-6")
    laplace = BallMean.for_epsilon(1, 1, Relation.ADD_REMOVE, dimension=dimension)
    gaussian = BallMean.for_loss(target, 1, Relation.ADD_REMOVE, dimension=dimension)
    assert isinstance(gaussian.noise, Gaussian)
    assert laplace.expected_error() == pytest.approx(dimension, rel=1e-6)
    sigma = math.sqrt(gaussian.noise.variance) * float(gaussian.unit)
    assert 0.79 * math.sqrt(dimension) * sigma < gaussian.expected_error() < math.sqrt(dimension) * sigma
    best = BallMean.best(target, 1, Relation.ADD_REMOVE, dimension=dimension)
    assert best.expected_error() == min(laplace.expected_error(), gaussian.expected_error())
    assert isinstance(best.noise, EuclideanLaplace) == (dimension < 20)
    coordinates = math.sqrt(2) * dimension  # √(d·2b²) with b = √d·Δ/ε
    assert math.sqrt(dimension * (dimension + 1)) <= coordinates


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_every_output_is_a_multiple_of_one_public_step(kind: str) -> None:
    """R02."""
    mechanism = (
        BallMean.for_epsilon(1, 1, Relation.ADD_REMOVE, dimension=2)
        if kind == "laplace"
        else BallMean.for_loss(Gdp(1), 1, Relation.ADD_REMOVE, dimension=2)
    )
    for row in ([0.0, 0.0], [1 / 3, -(2.0**-20)], [2.0**40, 1.0], [np.nan, np.inf]):
        for seed in range(5):
            for cell in mechanism.rehearse([row], Seeded(seed)).value:
                assert (Fraction(float(cell)) / mechanism.grid.step).denominator == 1


def test_totality_and_shapes() -> None:
    mechanism = BallMean.for_epsilon(1, 1, Relation.ADD_REMOVE, dimension=2)
    assert mechanism.rehearse(np.empty((0, 2)), Seeded(1)).value.shape == (2,)
    assert mechanism.rehearse(np.array([[1, 2], [3, 4]]), Seeded(1)).value.shape == (2,)
    assert mechanism.release([[0.5, 0.5]]).loss == Pure(1)


def test_refusals() -> None:
    for wrong in (0, -1, float("nan"), float("inf"), True, "x", None):
        with pytest.raises(Refused):
            BallMean.for_epsilon(wrong, 1, Relation.REPLACE, dimension=2)
        with pytest.raises(Refused):
            BallMean.for_epsilon(1, wrong, Relation.REPLACE, dimension=2)
    with pytest.raises(Refused):
        BallMean.for_epsilon(1, 1, Relation.ADD_REMOVE, dimension=2, people=10)
    for grid in (Grid(1), Grid(-40)):
        with pytest.raises(Refused):
            BallMean.for_epsilon(1, 1, Relation.REPLACE, dimension=2, grid=grid)
    mechanism = BallMean.for_epsilon(1, 1, Relation.REPLACE, dimension=2, people=2)
    masked = np.ma.array([[1.0, 2.0]] * 2, mask=True)
    for table in (
        np.array([1.0, 2.0]),
        np.array([[1.0], [2.0]]),
        np.array([["a", "b"]] * 2),
        masked,
        3.0,
        {1.0},
        [[1.0, 2.0]],
    ):
        with pytest.raises(Refused):
            mechanism.rehearse(table, Seeded(1))
    small = EuclideanLaplace.for_epsilon(1, 1, Relation.REPLACE, dimension=2)
    with pytest.raises(Refused):
        BallMean(1, Relation.REPLACE, Grid(-8), small)
    with pytest.raises(Refused):
        small.rehearse([0.5, 0.5], Seeded(1))


@pytest.mark.parametrize("odd", [None, "ab", 3.0, [1.0], [1.0, 2.0, 3.0], [None, "a"], [[1.0], [2.0]], {1.0, 2.0}])
def test_no_row_is_refused(odd: object) -> None:
    """Neither a row that is no vector nor the lack of rows may show: either is one person's doing (R26)."""
    mechanism = BallMean.for_epsilon(1, 1, Relation.ADD_REMOVE, dimension=2)
    assert not mechanism.clip([odd]).any()
    kept = mechanism.clip([[0.5, 0.25], odd])
    assert kept.shape == (2, 2)
    assert np.array_equal(kept[0], mechanism.clip(np.array([[0.5, 0.25]]))[0])
    assert mechanism.clip([]).shape == (0, 2)
    assert mechanism.clip(np.array([[0.5, None], ["a", 0.25]], object)).astype(bool).tolist() == [
        [True, False],
        [False, True],
    ]
    mechanism.rehearse([], Seeded(1))


def test_the_better_noise_is_chosen_for_an_approx_only() -> None:
    with pytest.raises(Refused):
        BallMean.best(Gdp(1), 1, Relation.REPLACE, dimension=2)  # type: ignore[arg-type]  # that is the point
    with pytest.raises(Refused):
        BallMean.for_epsilon(1, 1, Relation.REPLACE, dimension=2, grid=-10)  # type: ignore[arg-type]  # likewise
