"""Quantiles from a tree of noisy counts: weights by enumeration, and coverage where it is weakest.

Of n releases fewer than `least_covered(n)` hold the truth with probability at most 1e-4 if each does with 95%.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.query.coverage.releases import CONFIDENCE, draws, least_covered

from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.noise.bits import Seeded
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.quantile import RankDescent, path_powers

_UNIT = 2**20
_LAWS = {
    "gaussian": lambda deviation: RoundedGaussian(Fraction(deviation * _UNIT) ** 2),
    "laplace": lambda deviation: DiscreteLaplace(Fraction(deviation * _UNIT) * Fraction(70711, 100_000)),
}
_SHARES = (Fraction(1, 2), Fraction(19, 20), Fraction(1, 200))


def tree(cells: NDArray[np.int64], levels: int) -> NDArray[np.int64]:
    counts = [cells.reshape(FAN**depth, -1).sum(axis=1) for depth in range(1, levels + 1)]
    return np.concatenate(counts) * _UNIT


def true_cell(cells: NDArray[np.int64], share: Fraction) -> int:
    below = np.cumsum(cells)
    return int(np.argmax(below * share.denominator >= share.numerator * below[-1]))


@pytest.mark.parametrize("cells", [256, 101])
def test_weights_by_enumeration(cells: int) -> None:
    """The powers of the weights are those of the linear map itself, found by moving one count at a time.

    Every count of both levels is moved in turn, and the excess read at all edges.
    """
    share, levels = 0.3, 2
    counts, top = FAN + FAN**2, -(-cells // FAN)
    weights = np.zeros((counts, cells - 1))
    for moved in range(counts):
        descent = RankDescent(np.eye(counts, dtype=np.int64)[moved], _LAWS["gaussian"](1), levels, cells)
        first = descent.counts[:top].astype(np.float64)
        coarse = np.concatenate([[0.0], np.cumsum(first)]) - share * first.sum()
        weights[moved] = descent._refined(coarse, 0, 2)[1:-1]
    found = path_powers(np.arange(1, cells), levels, share, top)
    assert np.abs(weights).sum(axis=0) == pytest.approx(found.first)
    assert (weights**2).sum(axis=0) == pytest.approx(found.second)
    assert (weights**4).sum(axis=0) == pytest.approx(found.fourth)


@pytest.mark.parametrize("levels", [1, 2, 3, 4])
@pytest.mark.parametrize("share", _SHARES)
def test_without_noise_the_cell_is_found(levels: int, share: Fraction) -> None:
    """With noise far below one row the interval is the true cell alone (of 5,001 rows no share is met at an edge)."""
    generator = np.random.default_rng(levels)
    cells = np.bincount(generator.integers(0, FAN**levels, 5001), minlength=FAN**levels)
    found = RankDescent(tree(cells, levels), RoundedGaussian(Fraction(1)), levels, FAN**levels).find(share, CONFIDENCE)
    assert found.first == found.last == true_cell(cells, share)
    assert found.first <= found.place <= found.last + 1


def weak_cases() -> dict[str, NDArray[np.int64]]:
    """The hardest cases for an end: two heaps with nothing between, a heap before a gap, few rows."""
    size = FAN**3
    generator = np.random.default_rng(0)
    heaps = np.zeros((4, size), np.int64)
    heaps[0, [100, 3000]] = 10_000
    heaps[1, 777], heaps[1, 4000:] = 15_000, 50
    heaps[2, 2048] = 20_000
    heaps[3, generator.integers(0, size, 300)] = 1
    skewed = np.clip(generator.lognormal(5, 1, 20_000), 0, size - 1).astype(np.int64)
    even = np.bincount(generator.integers(0, size, 20_000), minlength=size)
    return {
        "two heaps": heaps[0],
        "before a void": heaps[1],
        "one cell": heaps[2],
        "few": heaps[3],
        "skewed": np.bincount(skewed, minlength=size),
        "even": even,
    }


@pytest.mark.parametrize("law", _LAWS)
@pytest.mark.parametrize("case", weak_cases())
@pytest.mark.parametrize("releases", [300, pytest.param(2000, marks=pytest.mark.long)])
def test_coverage_at_its_weakest(law: str, case: str, releases: int) -> None:
    """Over noise of 5, 20 and 120 rows and three shares, on three levels; each must pass on its own.

    Measured with 2,000 releases: the least of the 108 is 96.9%; two heaps, where nothing but one edge decides, 97.5%.
    """
    cells = weak_cases()[case]
    for deviation in (5, 20, 120):
        noise = _LAWS[law](deviation)
        for share in _SHARES if releases > 300 else _SHARES[:1]:
            truth, held = true_cell(cells, share), 0
            drawn = draws(noise, releases * 4368, Seeded(deviation)).reshape(releases, -1)
            for noisy in tree(cells, 3) + drawn:
                found = RankDescent(noisy, noise, 3, FAN**3).find(share, CONFIDENCE)
                assert found.first <= found.place <= found.last + 1
                held += found.first <= truth <= found.last
            assert held >= least_covered(releases), (deviation, share, held)


def test_twin_that_claims_half_the_noise_is_caught() -> None:
    """R46: read with half the deviation, the same trees fall below the limit."""
    cells, noise = weak_cases()["even"], _LAWS["gaussian"](20)
    quiet, truth, held = replace(noise, variance=noise.variance / 4), true_cell(cells, _SHARES[0]), 0
    for noisy in tree(cells, 3) + draws(noise, 300 * 4368, Seeded(1)).reshape(300, -1):
        found = RankDescent(noisy, quiet, 3, FAN**3).find(_SHARES[0], CONFIDENCE)
        held += found.first <= truth <= found.last
    assert held < least_covered(300)
