"""Scores of the releases of one cell: coverage of plain SQL's answer, and width and error relative to an oracle's.

The oracle knows the data: the best fixed limit in hindsight at the full price, and ±1.96 times the error it makes.
"""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np

from bench.coverage_data import Cell, Floats, is_ordinary
from bench.coverage_release import Model, described, most_of
from tacit.noise.bits import Seeded
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import Price
from tacit.query.post_noise.estimates import Estimates

AT_MOST = 2.5  # times the most that anybody has, where it is declared
SURE_DRAWS = 40_000  # draws without a limit to find: they are cheap, and coverage must be known to 0.1%
_CANDIDATES = 400  # limits that an oracle tries, and all of the people who have most
_TOP = 200
_REACH = 1.96


@dataclass(frozen=True, eq=False)
class Oracle:
    """The limit whose error, squared and added up over groups, is least, and that error in each group."""

    limit: float
    errors: Floats

    @classmethod
    def of(cls, cell: Cell, price: Price) -> Oracle:
        tried = np.quantile(cell.norms, np.linspace(0.2, 1, _CANDIDATES))
        limits = np.unique(np.concatenate([tried, cell.norms[-_TOP:]]))
        cut = cell.truth - cell.bounded(limits)
        noise = limits / float(price.strength) ** 0.5
        best = int(np.argmin((cut**2).mean(axis=1) + noise**2))
        return cls(float(limits[best]), np.sqrt(cut[best] ** 2 + noise[best] ** 2))

    @property
    def widths(self) -> Floats:
        return 2 * _REACH * self.errors


@dataclass(frozen=True)
class Score:
    """The scores of releases of one kind: `width` and `error` are over the oracle's, and so is `limit`.

    `untold` is the share of releases without an interval; `sure` of those at a limit that cuts no one.
    """

    coverage: float
    worst: float  # of the groups
    width: float
    error: float
    untold: float
    sure: float
    limit: float

    @classmethod
    def of(cls, found: Estimates, cell: Cell, oracle: Oracle, limits: Floats, sure: float) -> Score:
        value, low, high = (each.reshape(-1, cell.groups) for each in (found.value, found.low, found.high))
        covered = ((low <= cell.truth) & (cell.truth <= high)).mean(axis=0)
        told = ~np.isnan(value)
        squares = np.where(told, value - cell.truth, 0.0) ** 2
        error = np.sqrt((squares.sum(axis=0) / np.maximum(told.sum(axis=0), 1)).sum() / (oracle.errors**2).sum())
        return cls(
            float(covered.mean()),
            float(covered.min()),
            float(np.median(np.median(high - low, axis=0) / oracle.widths)),
            float(error) if told.any() else np.inf,
            float(1 - told.mean()),
            sure,
            float(np.median(limits)) / oracle.limit,
        )


@dataclass(frozen=True)
class Scored:
    """A cell, and its releases of three kinds: usual ones, with `at_most` declared, and guaranteed ones."""

    name: str
    half: str
    is_grouped: bool
    is_ordinary: bool
    usual: Score
    with_most: Score
    guaranteed: Score


def scored(cell: Cell, draws: int) -> Scored:
    """The scores of a cell, by so many draws of each kind."""
    most = most_of(cell, AT_MOST)
    return Scored(
        cell.name,
        cell.half,
        cell.groups > 1,
        is_ordinary(cell.norms),
        usual_score(cell, draws, None),
        usual_score(cell, draws, most),
        guaranteed_score(cell, draws, most),
    )


def usual_score(cell: Cell, draws: int, most: int | None) -> Score:
    """Limits found anew in each release."""
    model, bits = Model.of(cell, described(cell, most)), _bits(cell, "usual" if most is None else "with at_most")
    found = [model.release(bits) for _ in range(draws)]
    limits = np.array([float(limit.norm) for limit, _ in found])
    sure = float(np.mean([limit.is_sure for limit, _ in found]))
    joined = Estimates(
        np.concatenate([each.value for _, each in found]),
        np.concatenate([each.low for _, each in found]),
        np.concatenate([each.high for _, each in found]),
    )
    return Score.of(joined, cell, Oracle.of(cell, model.price), limits, sure)


def guaranteed_score(cell: Cell, draws: int, most: int) -> Score:
    """The scores where at_most is the limit."""
    model = Model.of(cell, described(cell, most), IntervalKind.GUARANTEED)
    found = model.releases(_bits(cell, "guaranteed"), SURE_DRAWS)
    return Score.of(found, cell, Oracle.of(cell, model.price), np.array([float(model.norm)]), 1.0)


def _bits(cell: Cell, kind: str) -> Seeded:
    return Seeded(crc32(f"{cell.half} {cell.name} {kind}".encode()))
