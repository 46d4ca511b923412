"""People's totals on real and made-up data: what `bench coverage` draws releases of.

A cell is one question: a matrix with one row per person and one column per group. The cells are in two halves:
`shaping` ones may be used to choose constants, `held out` ones only to measure. `is_ordinary` decides which cells are
ordinary, from the people's totals only.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bench.events import CACHE
from bench.flights import flights as all_flights

Floats = NDArray[np.float64]
GAP = 3.0  # times the next amount: people above such a gap are a giant or a hidden cluster
FEW = 0.02  # share of the people that may be such a cluster
HEAVY = 1.2  # exponent of a power law whose tail no histogram can bound


@dataclass(frozen=True)
class Cell:
    """One question's people, by how much they have: `totals` has one row per person and one column per group."""

    name: str
    half: str
    totals: Floats
    is_sum: bool = False  # of a column, not of rows

    @cached_property
    def norms(self) -> Floats:
        return np.sqrt((self.totals**2).sum(axis=1))

    @property
    def groups(self) -> int:
        return int(self.totals.shape[1])

    @property
    def truth(self) -> Floats:
        """The answer of plain SQL."""
        return np.asarray(self.totals.sum(axis=0))

    @cached_property
    def _below(self) -> Floats:
        return np.vstack([np.zeros(self.groups), np.cumsum(self.totals, axis=0)])

    @cached_property
    def _above(self) -> Floats:
        units = np.cumsum((self.totals / self.norms[:, None])[::-1], axis=0)[::-1]
        return np.vstack([units, np.zeros(self.groups)])

    def bounded(self, limits: Floats) -> Floats:
        """The sums where each person's norm is cut to a limit: one row per limit."""
        place = np.searchsorted(self.norms, limits, side="right")
        return np.asarray(self._below[place] + limits[:, None] * self._above[place])


def is_ordinary(norms: Floats) -> bool:
    """Neither a giant, nor a hidden clump, nor a pure power law of exponent 1.2 or less. `norms` rise."""
    few = max(1, int(FEW * len(norms)))
    top = norms[::-1][: few + 1]
    has_gap = len(top) > 1 and bool((top[:-1] >= GAP * top[1:]).any())
    return not has_gap and not _hill(norms, max(20, few)) <= HEAVY


def _hill(norms: Floats, many: int) -> float:
    """Hill's estimate of the exponent, from the largest so many."""
    top = np.log(norms[::-1][: min(many, len(norms) - 1) + 1])
    mean = float((top[:-1] - top[-1]).mean())
    return 1 / mean if mean > 0 else np.inf


def _cell(name: str, half: str, person: Any, values: Any = None, groups: Any = None) -> Cell:
    who = pd.factorize(np.asarray(person))[0]
    what, many = (np.zeros(len(who), int), 1) if groups is None else _numbered(groups)
    totals = np.zeros((who.max() + 1, many))
    np.add.at(totals, (who, what), 1.0 if values is None else np.round(np.asarray(values, float)))
    norms = np.sqrt((totals**2).sum(axis=1))
    order = np.argsort(norms, kind="stable")
    return Cell(name, half, totals[order[norms[order] > 0]], values is not None)


def _numbered(groups: Any) -> tuple[NDArray[np.int64], int]:
    numbers, names = pd.factorize(np.asarray(groups))
    return numbers, len(names)


def cells(half: str) -> Iterator[Cell]:
    """All cells of one half: "shaping" or "held out"."""
    for make in (_flights, _insurance, _orders, _events, _made):
        yield from make(half)


def _flights(half: str) -> Iterator[Cell]:
    flights = all_flights()
    flights = flights[flights.tailnum.notna()]
    everything: dict[str, tuple[str | None, str | None, Callable[[Any], Any] | None]] = {
        "count": (None, None, None),
        "distance": ("distance", None, None),
        "count, to BOS": (None, None, lambda f: f.dest == "BOS"),
        "count, month 1": (None, None, lambda f: f.month == 1),
        "count, UA": (None, None, lambda f: f.carrier == "UA"),
        "count, from EWR": (None, None, lambda f: f.origin == "EWR"),
        "distance, month 1": ("distance", None, lambda f: f.month == 1),
        "by month": (None, "month", None),
        "by carrier": (None, "carrier", None),
        "by dest": (None, "dest", None),
        "distance by month": ("distance", "month", None),
    }
    unseen: dict[str, tuple[str | None, str | None, Callable[[Any], Any] | None]] = {
        "air time": ("air_time", None, None),
        "count, to ATL": (None, None, lambda f: f.dest == "ATL"),
        "count, month 7": (None, None, lambda f: f.month == 7),
        "count, DL": (None, None, lambda f: f.carrier == "DL"),
        "count, from JFK": (None, None, lambda f: f.origin == "JFK"),
        "count, late": (None, None, lambda f: f.arr_delay > 60),
        "air time, month 7": ("air_time", None, lambda f: f.month == 7),
        "by hour": (None, "hour", None),
        "by origin": (None, "origin", None),
        "air time by carrier": ("air_time", "carrier", None),
    }
    for name, (value, group, where) in (everything if half == "shaping" else unseen).items():
        rows = flights if where is None else flights[where(flights)]
        rows = rows if value is None else rows[rows[value].notna()]
        yield _cell(f"flights {name}", half, rows.tailnum, value and rows[value], group and rows[group])


def _insurance(half: str) -> Iterator[Cell]:
    import statsmodels

    path = Path(statsmodels.__file__).parent / "datasets" / "randhie" / "src" / "randhie.csv"
    rows = pd.read_csv(path)
    sums = {"shaping": ("mdvis", "meddol"), "held out": ("outpdol", "drugdol", "notmdvis", "inpdol")}[half]
    for column in sums:
        yield _cell(f"insurance {column}", half, rows.zper, rows[column].fillna(0))
    if half == "shaping":
        yield _cell("insurance count", half, rows.zper)
        yield _cell("insurance mdvis by year", half, rows.zper, rows.mdvis, rows.year)
        yield _cell("insurance meddol by plan", half, rows.zper, rows.meddol, rows.plan)
    else:
        yield _cell("insurance drugdol by year", half, rows.zper, rows.drugdol, rows.year)
        yield _cell("insurance outpdol by site", half, rows.zper, rows.outpdol, rows.site)


def _orders(half: str) -> Iterator[Cell]:
    """TPC-H's customers, at scale 0.05 or, held out, 0.02."""
    scale = {"shaping": "0.05", "held out": "0.02"}[half]
    folder = CACHE / f"tpch-{scale}"
    if not (folder / "lineitem.parquet").exists():
        command = [str(Path(sys.executable).with_name("tpchgen-cli")), "parquet", "-s", scale]
        subprocess.run([*command, "--tables=orders,lineitem", f"--output-dir={folder}"], check=True)
    orders = pd.read_parquet(folder / "orders.parquet", columns=["o_orderkey", "o_custkey", "o_orderpriority"])
    columns = ["l_orderkey", "l_extendedprice", "l_quantity", "l_shipmode"]
    items = pd.read_parquet(folder / "lineitem.parquet", columns=columns)
    items = items.merge(orders, left_on="l_orderkey", right_on="o_orderkey")
    if half == "shaping":
        yield _cell("orders", half, orders.o_custkey)
        yield _cell("items", half, items.o_custkey)
        yield _cell("items price", half, items.o_custkey, items.l_extendedprice.astype(float))
        by_air = items[items.l_shipmode == "AIR"]
        yield _cell("items, by air", half, by_air.o_custkey)
        yield _cell("items price by mode", half, items.o_custkey, items.l_extendedprice.astype(float), items.l_shipmode)
    else:
        yield _cell("items quantity", half, items.o_custkey, items.l_quantity.astype(float))
        urgent = items[items.o_orderpriority == "1-URGENT"]
        yield _cell("items price, urgent", half, urgent.o_custkey, urgent.l_extendedprice.astype(float))
        yield _cell("orders by priority", half, orders.o_custkey, None, orders.o_orderpriority)


def _events(half: str) -> Iterator[Cell]:
    """Few people with many rows, many with few."""
    people, rows, power, seed = (100_000, 1_000_000, 0.8, 5) if half == "shaping" else (30_000, 200_000, 0.6, 11)
    random = np.random.default_rng(seed)
    activity = (np.arange(people) + 20.0) ** -power
    more = np.searchsorted(np.cumsum(activity) / activity.sum(), random.random(rows - people)).clip(0, people - 1)
    person = np.concatenate([np.arange(people), more])
    amount = np.round(np.exp(random.normal(3, 1, rows))) + 1
    weights = 1 / (np.arange(50) + 3.0)
    home = random.choice(50, people, p=weights / weights.sum())
    region = np.where(random.random(rows) < 0.8, home[person], random.choice(50, rows, p=weights / weights.sum()))
    yield _cell("events", half, person)
    yield _cell("events amount", half, person, amount)
    yield _cell("events by region", half, person, None, region)


def _made(half: str) -> Iterator[Cell]:
    """Rows by a law, values lognormal."""
    seed = 7 if half == "shaping" else 1007
    random = np.random.default_rng(seed)

    def spread(name: str, rows: NDArray[np.int64], deviation: float, many: int = 0) -> Iterator[Cell]:
        person = np.repeat(np.arange(len(rows)), rows)
        yield _cell(f"{name} count", half, person)
        yield _cell(f"{name} sum", half, person, np.ceil(100 * np.exp(random.normal(0, deviation, len(person)))))
        if many:
            yield _cell(f"{name} by {many}", half, person, None, random.integers(0, many, len(person)))

    if half == "shaping":
        yield from spread("zipf", np.minimum(random.zipf(2.0, 5000), 2000), 1.3, 12)
        yield from spread("mild 3000", 1 + random.poisson(4, 3000), 0.8, 12)
        yield from spread("mild 300", 1 + random.poisson(4, 300), 0.8)
        yield from spread("one row", np.ones(5000, int), 0.8, 12)
        yield from spread("giant", np.append(1 + random.poisson(4, 3000), 6400), 0.8)
        return
    yield from spread("geometric 4000", random.geometric(0.12, 4000), 1.0, 7)
    yield from spread("lognormal rows", np.ceil(np.exp(random.normal(1, 1, 8000))).astype(int), 0.5, 20)
    yield from spread("weibull rows", np.ceil(5 * random.weibull(0.6, 6000)).astype(int), 1.0)
    yield from spread("pareto 2.2", np.ceil(random.pareto(2.2, 10_000) + 0.2).astype(int).clip(1), 0.6, 5)
    yield from spread("pareto 1.5", np.ceil(random.pareto(1.5, 4000) + 0.2).astype(int).clip(1), 0.6)
    yield from spread("two kinds", np.where(random.random(5000) < 0.2, 30, 3) + random.poisson(2, 5000), 0.7, 9)
    yield from spread("uniform rows", random.integers(1, 41, 1500), 0.4)
    yield from spread("pareto 1.0", np.ceil(random.pareto(1.0, 5000) + 0.2).astype(int).clip(1, 100_000), 0.6)
    yield from spread("clump", np.append(1 + random.poisson(4, 4980), np.full(20, 100)), 0.6)
