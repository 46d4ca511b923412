"""Real releases of a publication's tables, one after the other, compared with plain SQL.

Each release goes through the door with fresh entropy. The comparison has the coverage of plain SQL's answer over all
rows with an owner, the error of the answer, and the width of the interval.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import tacit
from bench.events_description import at_home
from bench.tables_data import Publication
from tacit.loss.calibration import budget_from
from tacit.loss.families.approx import Approx
from tacit.query.plans.price import price_of
from tacit.query.post_noise.estimates import Estimates
from tacit.release.release import Release
from tacit.release.tables_release import TablesRelease

Floats = NDArray[np.float64]
EPSILON, DELTA = 1, 1e-8


def strength() -> float:
    """μ² of a release."""
    promise = Approx(4, Fraction(1, 10**6))
    budget = budget_from(promise.exact_epsilon, promise.exact_delta)
    return float(price_of(budget, promise, EPSILON, DELTA, False).strength)


@dataclass(frozen=True)
class Measured:
    """One measure of one table in all releases: one row per release, one column per cell of plain SQL's answer."""

    keys: tuple[str, ...]
    measure: str
    truth: Floats
    value: Floats
    low: Floats
    high: Floats

    @property
    def coverage(self) -> float:
        return float(self.covered.mean())

    @property
    def covered(self) -> Floats:
        slack = 1e-9 * np.maximum(np.abs(self.truth), 1)
        return np.asarray((self.low <= self.truth + slack) & (self.truth - slack <= self.high))

    @property
    def below(self) -> float:
        """The share of intervals above the truth."""
        return float((self.truth < self.low - 1e-9 * np.abs(self.truth)).mean())

    @property
    def width(self) -> float:
        """The median, over cells, of the median width."""
        return float(np.median(np.median(self.high - self.low, axis=0)))

    @property
    def error(self) -> float:
        """The root of the mean square error, over reported values."""
        return float(np.sqrt(np.nanmean((self.value - self.truth) ** 2)))

    @property
    def shift(self) -> float:
        """The mean of answer − truth, in half widths."""
        half = np.where(self.high > self.low, (self.high - self.low) / 2, np.nan)
        return float(np.nanmean((self.value - self.truth) / half))


def released(
    asked: Publication, measures: tuple[str, ...], releases: int, at_most: str = "", interval: str = "usual"
) -> list[Measured]:
    """So many releases of these measures together."""
    frame = pa.Table.from_pandas(asked.make(), preserve_index=False)
    sql = asked.sql(measures)
    with tempfile.TemporaryDirectory(prefix="tacit-tables-") as folder:
        at_home(Path(folder))
        path = Path(folder) / "tables.toml"
        path.write_text(asked.description(at_most))
        with tacit.open(path, frames={asked.name: frame}, threads=1) as data:
            found = [
                data.tables(sql, epsilon=EPSILON, delta=DELTA, interval=interval, fresh=True) for _ in range(releases)
            ]
    return [
        _measured(asked, keys, place, measure, frame, found)
        for keys in asked.sets
        for place, measure in enumerate(measures)
    ]


def _measured(
    asked: Publication, keys: tuple[str, ...], place: int, measure: str, frame: pa.Table, found: list[TablesRelease]
) -> Measured:
    tables = [each.table(*keys) for each in found]
    truth = _truth(asked, keys, measure, frame)
    listed = np.array([truth.get(cell, np.nan if "AVG" in measure else 0.0) for cell in _cells(tables[0], keys)])
    known = ~np.isnan(listed)
    columns = [_estimates(table, f"m{place}") for table in tables]
    value, low, high = (np.array([getattr(each, end)[known] for each in columns]) for end in ("value", "low", "high"))
    return Measured(keys, measure, listed[known], value, low, high)


def _estimates(table: Release, name: str) -> Estimates:
    values = table.rendered[name].values
    assert isinstance(values, Estimates)
    return values


def _cells(table: Release, keys: tuple[str, ...]) -> list[tuple[object, ...]]:
    columns = [table.rendered[key].values.values for key in keys]  # type: ignore[union-attr]
    return list(zip(*columns, strict=True)) if columns else [()]


def _truth(asked: Publication, keys: tuple[str, ...], measure: str, frame: pa.Table) -> dict[tuple[object, ...], float]:
    grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
    with duckdb.connect() as connection:
        connection.register("rows", frame)
        listed = ", ".join([*keys, measure])
        rows = connection.execute(f"SELECT {listed} FROM rows WHERE person IS NOT NULL{grouped}").fetchall()
    return {tuple(row[:-1]): float(row[-1]) for row in rows if row[-1] is not None}


def single_widths(asked: Publication, measure: str, releases: int) -> dict[tuple[str, ...], float]:
    """The median width of each table as a query of its own, at the price of all tables together."""
    frame = pa.Table.from_pandas(asked.make(), preserve_index=False)
    found = {}
    with tempfile.TemporaryDirectory(prefix="tacit-tables-") as folder:
        at_home(Path(folder))
        path = Path(folder) / "tables.toml"
        path.write_text(asked.description())
        with tacit.open(path, frames={asked.name: frame}, threads=1) as data:
            for keys in asked.sets:
                grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
                sql = f"SELECT {', '.join([*keys, f'{measure} AS m0'])} FROM {asked.name}{grouped}"
                each = [data.query(sql, epsilon=EPSILON, delta=DELTA, fresh=True) for _ in range(releases)]
                columns = [_estimates(one, "m0") for one in each]
                found[keys] = float(np.median([one.high - one.low for one in columns]))
    return found
