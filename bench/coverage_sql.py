"""The coverage of plain SQL's answer by usual intervals of all aggregates: real releases, people with several rows.

TACIT_COVERAGE_RELEASES is how many releases of each question are made (80), TACIT_COVERAGE_JOBS in how many processes
(2). The noise is fresh in each run: figures differ by chance, of 80 releases by some 2.4 percent points.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from time import monotonic

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import tacit
from bench.claims import Claim, report
from bench.coverage_tables import TABLES, Rows
from bench.events_description import at_home

Floats = NDArray[np.float64]
EPSILON, DELTA = 1, 1e-8
MEAN, LEAST = {False: 0.95, True: 0.94}, {False: 0.91, True: 0.87}
CALLS = (
    "COUNT(*)",
    "SUM({x})",
    "SUM({signed})",
    "AVG({x})",
    "AVG({signed})",
    "VAR_POP({x})",
    "MEDIAN({x})",
    "QUANTILE_CONT({x}, 0.9)",
    "COUNT(DISTINCT {few})",
)
GROUPED = ("AVG({x})", "COUNT(*)", "SUM({signed})", "VAR_POP({x})")


@dataclass(frozen=True)
class Asked:
    """One question of one table: an aggregate, of all rows or by group."""

    table: str
    call: str
    is_grouped: bool

    @property
    def words(self) -> str:
        return f"{self.table}: {self.call}" + (f" by {TABLES[self.table].group}" if self.is_grouped else "")

    @property
    def sql(self) -> str:
        rows = TABLES[self.table]
        if not self.is_grouped:
            return f"SELECT {self.call} AS answer FROM {rows.name}"
        return f"SELECT {rows.group}, {self.call} AS answer FROM {rows.name} GROUP BY {rows.group}"


@dataclass(frozen=True)
class Found:
    """The results of a question's releases; widths and errors are relative to the truth, of the median group."""

    asked: Asked
    coverage: float
    worst: float
    width: float
    error: float
    shift: float  # the mean of answer − truth, in half widths
    below: float  # the share of intervals above the truth
    untold: float


def main() -> None:
    releases = int(os.environ.get("TACIT_COVERAGE_RELEASES", "80"))
    jobs = int(os.environ.get("TACIT_COVERAGE_JOBS", "2"))
    asked = [
        Asked(name, call.format(x=rows.value, signed=rows.signed, few=rows.few), is_grouped)
        for name, rows in TABLES.items()
        for calls, is_grouped in ((CALLS, False), (GROUPED, True))
        for call in calls
    ]
    begun, found = monotonic(), []
    with get_context("spawn").Pool(jobs) as pool:
        for one in pool.imap(_measured, [(each, releases) for each in asked]):
            found.append(one)
            said = f"{len(found)}/{len(asked)} {one.asked.words}: {one.coverage:.3f}"
            print(f"{monotonic() - begun:6.0f} s  {said}", file=sys.stderr, flush=True)
    show(f"Usual intervals on DuckDB: {releases} releases a question", found)
    report("Coverage of all aggregates", claims(found))


def _measured(asked: tuple[Asked, int]) -> Found:
    return measured(*asked)


def measured(asked: Asked, releases: int) -> Found:
    """Real releases of one question, in a ledger of their own, compared with plain SQL on the rows with an owner."""
    rows = TABLES[asked.table]
    frame = rows.frame()
    truth = _truth(asked, rows, frame)
    with tempfile.TemporaryDirectory(prefix="tacit-coverage-") as folder:
        at_home(Path(folder))
        path = Path(folder) / "coverage.toml"
        path.write_text(rows.description())
        with tacit.open(path, frames={rows.name: frame}, threads=1) as data:
            tables = [data.query(asked.sql, epsilon=EPSILON, delta=DELTA, fresh=True).table for _ in range(releases)]
    value, low, high = (np.array([_column(asked, rows, each, end) for each in tables]) for end in ("", "_low", "_high"))
    return _found(asked, np.array(list(truth.values())), value, low, high)


def _truth(asked: Asked, rows: Rows, frame: pa.Table) -> dict[str, float]:
    """The answer of plain SQL, by group."""
    with duckdb.connect() as connection:
        connection.register("every_row", frame)
        owned = f"(SELECT * FROM every_row WHERE {rows.person} IS NOT NULL)"
        found = connection.execute(asked.sql.replace(f"FROM {rows.name}", f"FROM {owned}")).fetchall()
    return {str(row[0]) if asked.is_grouped else "": float(row[-1]) for row in sorted(found)}


def _column(asked: Asked, rows: Rows, table: pa.Table, end: str) -> list[float]:
    """The answers of a release, or ends of their intervals, in the order of the truth's groups."""
    names = [str(key) for key in table[rows.group].to_pylist()] if asked.is_grouped else [""]
    numbers = [np.nan if each is None else float(each) for each in table[f"answer{end}"].to_pylist()]
    return [number for _, number in sorted(zip(names, numbers, strict=True))]


def _found(asked: Asked, truth: Floats, value: Floats, low: Floats, high: Floats) -> Found:
    slack = 1e-9 * np.abs(truth)
    covered = (low <= truth + slack) & (truth - slack <= high)
    half = np.where(high > low, (high - low) / 2, np.nan)  # a sum far below 0 has an interval of nothing but 0
    shift = np.nanmean((value - truth) / half)
    size = np.maximum(np.abs(truth), 1e-12)
    return Found(
        asked,
        float(covered.mean()),
        float(covered.mean(axis=0).min()),
        float(np.median(np.median(high - low, axis=0) / size)),
        float(np.nanmedian(np.sqrt(_mean_square(value - truth)) / size)),
        float(shift),
        float((truth + slack < low).mean()),
        float(np.isnan(value).mean()),
    )


def _mean_square(errors: Floats) -> Floats:
    """By group, over the releases with a value; nan where there is none."""
    told = ~np.isnan(errors)
    with np.errstate(invalid="ignore"):
        return np.asarray((np.where(told, errors, 0.0) ** 2).sum(axis=0) / told.sum(axis=0))


def show(title: str, found: list[Found]) -> None:
    """A table of questions."""
    table = Table(title=title)
    for column in ("question", "covered", "worst group", "truth below", "width", "error", "shift", "untold"):
        table.add_column(column)
    for one in found:
        table.add_row(
            one.asked.words,
            f"{one.coverage:.3f}",
            f"{one.worst:.3f}",
            f"{one.below:.3f}",
            *(f"{100 * number:.2g}%" for number in (one.width, one.error)),
            f"{one.shift:+.2f}",
            f"{one.untold:.2f}",
        )
    Console(width=150).print(table)


def claims(found: list[Found]) -> list[Claim]:
    """The mean and the lowest coverage, of all rows and by group."""
    said = []
    for is_grouped, kind in ((False, "one group"), (True, "by group")):
        own = [one for one in found if one.asked.is_grouped is is_grouped]
        mean, lowest = float(np.mean([one.coverage for one in own])), min(own, key=lambda one: one.coverage)
        words = lowest.asked.words
        said += [
            Claim(f"{kind}: mean coverage", mean, MEAN[is_grouped], False, f"{mean:.3f}"),
            Claim(
                f"{kind}: lowest coverage", lowest.coverage, LEAST[is_grouped], False, f"{lowest.coverage:.3f}, {words}"
            ),
        ]
    return said
