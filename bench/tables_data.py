"""Publications of people with several rows each, on which released tables are compared with plain SQL.

Real data (flights by plane, doctors' visits by person, TPC-H's orders by customer) and made-up ones. The ordinary ones
have no giant, and no small group with far more than all others.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bench.coverage_data import CACHE
from bench.flights import flights

_TEXT = """\
[dataset]
name = "{name}"
unit = {{ id = "person", hides = "one person, all rows" }}
budget = {{ rho = 1000000, delta = 1e-5 }}
floor = 0

[tables.{name}]
source = "frame"
{at_most}
[tables.{name}.columns]
{columns}
"""
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Publication:
    """Rows of people, tables by their keys, and the measures; `columns` describes each column but `person`."""

    name: str
    make: Callable[[], pd.DataFrame]
    columns: list[str]
    keys: tuple[str, ...]
    measures: tuple[str, ...]
    is_rollup: bool = False
    is_ordinary: bool = True

    def description(self, at_most: str = "") -> str:
        return _TEXT.format(name=self.name, columns="\n".join(self.columns), at_most=at_most)

    @property
    def sets(self) -> list[tuple[str, ...]]:
        """The grouping sets."""
        if self.is_rollup:
            return [self.keys[:size] for size in range(len(self.keys), -1, -1)]
        return [each for size in range(len(self.keys), -1, -1) for each in combinations(self.keys, size)]

    def sql(self, measures: tuple[str, ...]) -> str:
        listed = ", ".join([*self.keys, *(f"{each} AS m{place}" for place, each in enumerate(measures))])
        word = "ROLLUP" if self.is_rollup else "CUBE"
        return f"SELECT {listed} FROM {self.name} GROUP BY {word}({', '.join(self.keys)})"


def publications() -> Iterator[Publication]:
    """All of them: real ones first."""
    yield Publication(
        "flights",
        _flights,
        [
            _words("carrier", _CARRIERS),
            _words("origin", _ORIGINS),
            _number("month", 1, 12),
            _number("distance", 0, 5000),
            'dep_delay = { type = "int", min = -60, max = 1320 }',
        ],
        ("carrier", "origin", "month"),
        ("COUNT(*)", "SUM(distance)", "AVG(dep_delay)"),
    )
    yield Publication(
        "insurance",
        _insurance,
        [_number("site", 1, 6), _number("year", 1, 5), _number("visits", 0, 100), _number("net", -4000, 40_000)],
        ("site", "year"),
        ("COUNT(*)", "SUM(visits)", "SUM(net)", "AVG(visits)"),
    )
    yield Publication(
        "orders",
        _orders,
        [
            _words("priority", _PRIORITIES),
            _number("year", 1992, 1998),
            _number("quarter", 1, 4),
            _number("price", 0, 1_000_000),
        ],
        ("year", "quarter", "priority"),
        ("COUNT(*)", "SUM(price)", "AVG(price)"),
        is_rollup=True,
    )
    for name, made in _MADE.items():
        yield Publication(
            name,
            made,
            [_number("place", 0, 7), _number("kind", 0, 4), _number("amount", 0, 20_000)],
            ("place", "kind"),
            ("COUNT(*)", "SUM(amount)", "AVG(amount)"),
            is_ordinary=name != "clump",
        )


def _flights() -> pd.DataFrame:
    rows = flights()[["tailnum", "carrier", "origin", "month", "distance", "dep_delay"]]
    return rows.rename(columns={"tailnum": "person"}).astype({"dep_delay": "Int64"})


def _insurance() -> pd.DataFrame:
    """Doctors' visits by person and year; `net` is what was paid, less 50 a visit."""
    import statsmodels

    rows = pd.read_csv(Path(statsmodels.__file__).parent / "datasets" / "randhie" / "src" / "randhie.csv")
    net = (rows.meddol - 50 * rows.mdvis).round().astype(int)
    return pd.DataFrame({"person": rows.zper, "site": rows.site, "year": rows.year, "visits": rows.mdvis, "net": net})


def _orders() -> pd.DataFrame:
    folder = CACHE / "tpch-0.05"
    if not (folder / "orders.parquet").exists():
        command = [str(Path(sys.executable).with_name("tpchgen-cli")), "parquet", "-s", "0.05"]
        subprocess.run([*command, "--tables=orders,lineitem", f"--output-dir={folder}"], check=True)
    rows = pd.read_parquet(folder / "orders.parquet")
    day = pd.to_datetime(rows.o_orderdate)
    columns = {"person": rows.o_custkey, "priority": rows.o_orderpriority, "year": day.dt.year}
    price = rows.o_totalprice.astype(float).round().astype(int)
    return pd.DataFrame({**columns, "quarter": day.dt.quarter, "price": price})


def _spread(rows: Ints, seed: int, deviation: float) -> pd.DataFrame:
    """People with so many rows each: most of a person's rows are of one place, and places are of uneven sizes."""
    random = np.random.default_rng(seed)
    person = np.repeat(np.arange(len(rows)), rows)
    shares = 1 / (np.arange(8) + 1.0)
    home = random.choice(8, len(rows), p=shares / shares.sum())[person]
    place = np.where(random.random(len(person)) < 0.7, home, random.integers(0, 8, len(person)))
    amount = np.ceil(50 * np.exp(random.normal(0, deviation, len(person)))).clip(0, 20_000).astype(int)
    kind = random.integers(0, 5, len(person))
    return pd.DataFrame({"person": person, "place": place, "kind": kind, "amount": amount})


def _zipf() -> pd.DataFrame:
    return _spread(np.minimum(np.random.default_rng(2101).zipf(2.2, 8000), 2000), 2102, 1.0)


def _lognormal() -> pd.DataFrame:
    return _spread(np.ceil(np.exp(np.random.default_rng(2111).normal(1, 1, 8000))).astype(int), 2112, 1.3)


def _mild() -> pd.DataFrame:
    return _spread(1 + np.random.default_rng(2121).poisson(4, 4000), 2122, 0.8)


def _clump() -> pd.DataFrame:
    return _spread(np.append(1 + np.random.default_rng(2131).poisson(4, 4980), np.full(20, 100)), 2132, 0.6)


_MADE = {"zipf": _zipf, "lognormal": _lognormal, "mild": _mild, "clump": _clump}
_CARRIERS = ["9E", "AA", "AS", "B6", "DL", "EV", "F9", "FL", "HA", "MQ", "OO", "UA", "US", "VX", "WN", "YV"]
_ORIGINS = ["EWR", "JFK", "LGA"]
_PRIORITIES = ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"]


def _words(name: str, keys: list[str]) -> str:
    listed = ", ".join(f'"{key}"' for key in keys)
    return f'{name} = {{ type = "text", keys = [{listed}], nullable = false }}'


def _number(name: str, least: int, most: int) -> str:
    return f'{name} = {{ type = "int", min = {least}, max = {most}, nullable = false }}'
