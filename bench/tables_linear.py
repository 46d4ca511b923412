"""Intervals where no unit is scaled: of cells, and of implied answers; and whether files add up to the last digit.

A CUBE of Adult by four columns, each release in a ledger of its own, so that every free answer is from that release.
Random questions: subsets of values, coarser keys, and means, compared with plain SQL.
"""

from __future__ import annotations

import csv
import io
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

import tacit
from bench.adult import adult
from bench.claims import Claim
from bench.events_description import at_home
from tacit.query.post_noise.estimates import Estimates, Keys
from tacit.release.release import Release
from tacit.release.tables_release import TablesRelease

RELEASES, QUESTIONS = 60, 40
KEYS = ("workclass", "relationship", "race", "income")
SIZES = {"workclass": 9, "relationship": 6, "race": 5, "income": 2}
HOURS = "hours"
_LISTED = ", ".join(KEYS)
SQL = f"SELECT {_LISTED}, COUNT(*) AS n, SUM({HOURS}) AS s, AVG({HOURS}) AS a FROM adult GROUP BY CUBE({_LISTED})"
LEAST, MOST = 0.94, 0.965
_TEXT = """\
[dataset]
name = "adult"
unit = {{ row = true, hides = "one person" }}
budget = {{ epsilon = 10, delta = 1e-6 }}

[tables.adult]
source = "frame"

[tables.adult.columns]
{columns}
"""


@dataclass
class Held:
    """The number of intervals of a kind that contain the truth, and their total number."""

    held: int = 0
    of: int = 0

    def add(self, found: Estimates, truth: list[float]) -> None:
        true = np.array(truth)  # NaN, which no interval is held against, is a mean of no rows
        slack = 1e-9 * np.abs(true)
        self.held += int(((found.low <= true + slack) & (true - slack <= found.high)).sum())
        self.of += int((~np.isnan(true)).sum())

    @property
    def share(self) -> float:
        return self.held / self.of


def linear_claims() -> list[Claim]:
    """Coverage of cells and of implied answers; sums of files."""
    frame, draw = _frame(), random.Random(1703)
    kinds = {kind: Held() for kind in ("cells: counts", "cells: sums", "cells: means", *_IMPLIED)}
    exact = 0
    with duckdb.connect() as connection:
        connection.register("adult", frame)
        for _ in range(RELEASES):
            with tempfile.TemporaryDirectory(prefix="tacit-linear-") as folder:
                at_home(Path(folder))
                path = Path(folder) / "adult.toml"
                path.write_text(_TEXT.format(columns=_columns()))
                with tacit.open(path, frames={"adult": frame}, threads=1) as data:
                    found = data.tables(SQL, epsilon=1, delta=1e-9)
                    _hold_cells(found, connection, kinds)
                    for kind, sql in _questions(draw):
                        answer = data.query(sql.replace("AVG", "SUM(hours) AS y, AVG"))  # centred as the tables are
                        kinds[kind].add(_estimates(answer, "x"), _truth(connection, sql, answer))
                exact += _adds_up(found)
    claims = [Claim("linear: releases whose files add up to the last digit", exact / RELEASES, 1, False, "")]
    for kind, held in kinds.items():
        said = f"{held.share:.4f} of {held.of:,}"
        claims += [Claim(f"linear: {kind}, at least", held.share, LEAST, False, said)]
        if "means" not in kind:  # those are cut to declared bounds, and few rows have no value
            claims += [Claim(f"linear: {kind}, at most", held.share, MOST, True, said)]
    return claims


def _frame() -> pa.Table:
    data = adult()
    columns = {name: data.column(name).astype("int32") for name in KEYS}
    return pa.table({**columns, HOURS: data.column("hours-per-week").astype("int32")})


def _columns() -> str:
    sizes = {**SIZES, HOURS: 32}
    return "\n".join(
        f'{name} = {{ type = "int", min = 0, max = {size - 1}, nullable = false }}' for name, size in sizes.items()
    )


def _hold_cells(found: TablesRelease, connection: duckdb.DuckDBPyConnection, kinds: dict[str, Held]) -> None:
    for size in range(len(KEYS) + 1):
        for keys in combinations(KEYS, size):
            table = found.table(*keys)
            listed = ", ".join([*keys, "COUNT(*)", f"SUM({HOURS})"])
            rows = connection.execute(f"SELECT {listed} FROM adult GROUP BY ALL").fetchall()
            truth = {tuple(row[:-2]): row[-2:] for row in rows}
            columns = [table.rendered[key].values.values for key in keys]  # type: ignore[union-attr]
            cells = list(zip(*columns, strict=True)) if columns else [()]
            pairs = [truth.get(cell, (0, 0)) for cell in cells]
            kinds["cells: counts"].add(_estimates(table, "n"), [float(n) for n, _ in pairs])
            kinds["cells: sums"].add(_estimates(table, "s"), [float(s) for _, s in pairs])
            some = np.array([n > 0 for n, _ in pairs])
            means = [s / n for n, s in pairs if n > 0]
            kinds["cells: means"].add(_estimates(table, "a").take(np.flatnonzero(some)), means)


def _questions(draw: random.Random) -> Iterator[tuple[str, str]]:
    for place in range(QUESTIONS):
        kind = tuple(_IMPLIED)[place % len(_IMPLIED)]
        chosen = draw.sample(KEYS, 2)
        values = [draw.sample(range(SIZES[key]), draw.randint(1, SIZES[key])) for key in chosen]
        listed = [", ".join(map(str, sorted(each))) for each in values]
        yield kind, _IMPLIED[kind].format(a=chosen[0], b=chosen[1], first=listed[0], second=listed[1])


_IMPLIED = {
    "implied: subsets": "SELECT {a}, COUNT(*) AS x FROM adult WHERE {b} IN ({second}) GROUP BY {a} ORDER BY {a}",
    "implied: coarser keys": "SELECT CASE WHEN {a} IN ({first}) THEN 1 ELSE 0 END AS k, {b}, SUM(hours) AS x "
    "FROM adult GROUP BY k, {b} ORDER BY k, {b}",
    "implied: means": "SELECT AVG(hours) AS x FROM adult WHERE {a} IN ({first}) AND {b} IN ({second})",
}


def _estimates(release: Release, name: str) -> Estimates:
    values = release.rendered[name].values
    assert isinstance(values, Estimates)
    return values


def _truth(connection: duckdb.DuckDBPyConnection, sql: str, answer: Release) -> list[float]:
    """What plain SQL gives in the groups of an answer: 0 in those that it leaves out, NaN for a mean of no rows."""
    listed = connection.execute(sql).fetchall()
    rows = {tuple(row[:-1]): float("nan") if row[-1] is None else float(row[-1]) for row in listed}
    columns = [each.values.values for each in answer.rendered.columns if isinstance(each.values, Keys)]
    return [rows.get(group, 0.0) for group in zip(*columns, strict=True)] if columns else list(rows.values())


def _adds_up(found: TablesRelease) -> bool:
    """Whether every margin is the sum of the finest table's cells, in the digits of the files, and none is negative."""
    csvs = [each.release.presented("csv").decode() for each in found]
    tables = [list(csv.DictReader(io.StringIO(text))) for text in csvs]
    finest = max(tables, key=len)
    for rows in tables:
        keys = [key for key in KEYS if key in rows[0]]
        for of in ("n", "s", "n_published"):
            sums: dict[tuple[str, ...], Fraction] = {}
            for row in finest:
                cell = tuple(row[key] for key in keys)
                sums[cell] = sums.get(cell, Fraction(0)) + Fraction(row[of])
            if any(sums[tuple(row[key] for key in keys)] != Fraction(row[of]) for row in rows):
                return False
            if of == "n_published" and any(Fraction(row[of]) < 0 for row in rows):
                return False
    (total,) = min(tables, key=len)
    return Fraction(total["n_published"]) == round(Fraction(total["n"]))
