"""Coverage of MEDIAN, QUANTILE, MIN and MAX, from SQL to the interval.

Of n releases fewer than the binomial limit `least_covered(n)` hold the truth with probability at most 1e-4 if each
does with 95%. The oracle knows how many rows lie in each cell, and allows for one noise: that of the rank at the
quantile. Its interval is what of the cells noise of this law cannot exclude, averaged over that noise.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray
from scipy.stats import norm
from tests.query.coverage.releases import BUDGETS, Exact, Floats, Town, covered, least_covered, mean_width

from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.query.aggregates.aggregate import noise_deviation
from tacit.query.aggregates.quantile import Quantile, path_powers
from tacit.query.aggregates.rank_grid import first_value
from tacit.query.bounding.histogram_sql import BINS
from tacit.query.bounding.profile import even_edges
from tacit.query.sql.fixed_point import Steps

_CHUNK = 100
_CALLS = ["MEDIAN(score)", "MAX(score)", "QUANTILE_CONT(place, 0.9)", "MIN(place)"]
_FINE = ["MEDIAN(cost)", "QUANTILE_CONT(cost, 0.95)", "MAX(cost)"]


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Town:
    return Town.made(tmp_path_factory.mktemp("town"))


def true_cells(exact: Exact, quantile: Quantile) -> NDArray[np.int64]:
    """The first cell, in each group, at whose end the quantile's share of the rows is reached."""
    cells = exact.column(quantile.ranks).values[:, -(FAN**quantile.ranks.levels) :]
    below = np.cumsum(cells, axis=1)
    return np.array([np.searchsorted(rows, float(quantile.share) * rows[-1] * (1 - 1e-12)) for rows in below])


def oracle_widths(exact: Exact, quantile: Quantile) -> Floats:
    """The mean number of cells that are kept, in each group, if one noise moves the true ranks."""
    ranks, share = quantile.ranks, float(quantile.share)
    column, final = exact.column(ranks), (ranks.high - ranks.low) // ranks.width
    top = final // FAN ** (ranks.levels - 1) + 1
    powers = path_powers(np.arange(1, final + 1), ranks.levels, share, top)
    deviations = noise_deviation(column.law) * np.sqrt(powers.second)
    reach = norm.ppf(0.975) * deviations
    widths = []
    for counts, cell in zip(column.values, true_cells(exact, quantile), strict=True):
        below = np.cumsum(counts[-(FAN**ranks.levels) :][: final + 1]).astype(np.float64)
        moves = norm.ppf((np.arange(40) + 0.5) / 40) * deviations[min(cell, deviations.size - 1)]
        kept = []
        for move in moves:
            excess = (below - share * below[-1])[:-1] + move
            first = np.append(excess >= -reach, True).argmax()
            last = deviations.size - np.append(excess[::-1] < reach[::-1], True).argmax()
            kept.append(last - first + 1)
        widths.append(float(np.mean(kept)))
    return np.array(widths)


def measured(exact: Exact, releases: int) -> tuple[NDArray[np.int64], Floats]:
    """How often the truth is held, and the mean width over the oracle's, in each group."""
    (quantile,) = exact.plan.question.aggregates.values()
    assert isinstance(quantile, Quantile)
    ranks, step = quantile.ranks, float(quantile.ranks.step)
    truth = (ranks.low + true_cells(exact, quantile) * ranks.width) * step
    held, width = np.zeros(truth.size, np.int64), np.zeros(truth.size)
    for chunk in range(releases // _CHUNK):
        (found,) = exact.estimates(_CHUNK, seed=chunk).values()
        held += covered(found, truth)
        width += mean_width(found, truth.size) * _CHUNK / releases
    return held, (width / step + 1) / ranks.width / oracle_widths(exact, quantile)


@pytest.mark.parametrize("noise", BUDGETS)
@pytest.mark.parametrize(
    ("calls", "releases"), [(_CALLS, 300), pytest.param([*_CALLS, *_FINE], 2000, marks=pytest.mark.long)]
)
def test_quantiles(town: Town, noise: str, calls: list[str], releases: int) -> None:
    """Coverage in each group; widths at most 1.1 of the oracle's on the whole, and 1.3 in each.

    Measured with 1,000 releases of 96 groups: coverage 96.4–100%; widths 0.4–1.19 of the oracle's, 0.94 on the whole.
    They are largest where two levels of the tree serve a group equally badly, and smaller than the oracle's (which
    looks at the finest cells) where coarse nodes are used, whose ranks bear less noise.
    """
    ratios = []
    for call in calls:
        exact = Exact.of(town.described(noise), f"SELECT district, {call} FROM people GROUP BY district")
        held, ratio = measured(exact, releases)
        assert (held >= least_covered(releases)).all(), call
        assert (ratio <= 1.3).all(), (call, ratio)
        ratios.append(ratio)
    assert np.mean(ratios) <= 1.1


@pytest.mark.parametrize(("calls", "releases"), [(_FINE[:2], 200)])
def test_quantiles_on_an_even_grid(town: Town, calls: list[str], releases: int) -> None:
    """Cells of many widths: coverage as on a grid of one width, and intervals that are no wider on the whole."""
    costs = pq.read_table(town.folder / "people.parquet")["cost"].to_numpy()
    above = np.rint(costs * 100).astype(np.int64) + 1
    people = np.bincount(BINS.index(above), minlength=len(BINS)).astype(np.float64)
    edges = even_edges(Steps("cost", Fraction(1, 100), 0, 200_000, False), people, 1.0)
    ratios = []
    for call in calls:
        sql = f"SELECT district, {call} FROM people GROUP BY district"
        plain, even = (Exact.of(town.described("gaussian"), sql, edges=cut) for cut in ((), edges))
        (quantile,) = even.plan.question.aggregates.values()
        assert isinstance(quantile, Quantile)
        truth = np.array([first_value(quantile.ranks, int(cell)) for cell in true_cells(even, quantile)]) / 100
        widths, held = np.zeros((2, truth.size)), np.zeros(truth.size, np.int64)
        for chunk in range(releases // _CHUNK):
            for place, exact in enumerate((plain, even)):
                (found,) = exact.estimates(_CHUNK, seed=chunk).values()
                widths[place] += mean_width(found, truth.size)
            held += covered(found, truth)
        assert (held >= least_covered(releases)).all(), call
        ratios.append(widths[1] / widths[0])
    assert np.mean(ratios) <= 1.1
