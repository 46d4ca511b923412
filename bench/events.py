"""Synthetic events for the query benchmarks: few people with many rows, many with one.

A person has a home region, where four in five of its events fall; categories have a long tail; amounts are lognormal.
The files are made once, from one seed, and kept in `.bench/`, outside version control.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

CACHE = Path(__file__).parent.parent / ".bench"
SEED = 20240601
HUGE = (100_000_000, 10_000_000)  # rows, people
LARGE = (10_000_000, 1_000_000)
MEDIUM = (1_000_000, 100_000)
SMALL = (1_000, 100)
REGIONS = [f"R{i:02d}" for i in range(50)]
CATEGORIES = [f"C{i:04d}" for i in range(2000)]
YEAR = 365 * 86_400  # seconds
ROW_GROUP = 1_000_000
PIECE = 5_000_000  # rows of a file that is drawn piece by piece

QUESTIONS = {
    "W1": "SELECT COUNT(*) AS count, SUM(amount) AS sum, AVG(amount) AS mean FROM events",
    "W2": "SELECT region, COUNT(*) AS count, SUM(amount) AS sum, AVG(amount) AS mean FROM events GROUP BY region",
    "W3": "SELECT category, COUNT(*) AS count, SUM(amount) AS sum FROM events GROUP BY category",
    "W4": "SELECT MEDIAN(amount) AS median, QUANTILE_CONT(amount, 0.9) AS p90 FROM events",
    "W5": "SELECT region, COUNT(DISTINCT user_id) AS people FROM events GROUP BY region",
}
"""The workloads, as they are asked of Tacit and of plain DuckDB."""

Answers = dict[str, dict[str, float]]
"""For each key ("" where there is none): name → value."""


def events(size: tuple[int, int] = LARGE) -> Path:
    """The file with so many rows and people; made if it is not there."""
    rows, people = size
    path = CACHE / f"events-{rows}.parquet"
    if not path.exists():
        CACHE.mkdir(exist_ok=True)
        unfinished = path.with_suffix(".part")
        pieces = draw_in_pieces(rows, people) if size == HUGE else iter([draw(rows, people)])
        first = next(pieces)
        with pq.ParquetWriter(unfinished, first.schema, compression="snappy") as writer:
            for piece in chain([first], pieces):
                writer.write_table(piece, row_group_size=ROW_GROUP)
        unfinished.rename(path)
    return path


def draw(rows: int, people: int) -> pa.Table:
    """The table. The data depend on the order of the draws."""
    rng = np.random.default_rng(SEED)
    activity = (np.arange(people) + 20.0) ** -0.8
    names = rng.permutation(people)
    more = np.searchsorted(np.cumsum(activity) / activity.sum(), rng.random(rows - people)).clip(0, people - 1)
    person = np.concatenate([np.arange(people), names[more]]).astype(np.int64)  # everyone once, the rest by activity
    rng.shuffle(person)
    home = homes(rng, people)
    region, category = regions(rng, home[person]), categories(rng, rows)
    age = ages(rng, people)
    return table(rng, person, region, category, age[person])


def draw_in_pieces(rows: int, people: int) -> Iterator[pa.Table]:
    """The same kind of table, piece by piece, in little memory; a person's rows are anywhere in it."""
    rng = np.random.default_rng(SEED)
    activity = np.cumsum((np.arange(people) + 20.0) ** -0.8)
    activity /= activity[-1]
    names, everybody = rng.permutation(people), rng.permutation(people)
    home, age = homes(rng, people), ages(rng, people)
    for once in np.array_split(everybody, rows // PIECE):
        more = np.searchsorted(activity, rng.random(PIECE - len(once))).clip(0, people - 1)
        person = np.concatenate([once, names[more]]).astype(np.int64)
        rng.shuffle(person)
        region, category = regions(rng, home[person]), categories(rng, PIECE)
        yield table(rng, person, region, category, age[person])


def homes(rng: np.random.Generator, people: int) -> Any:
    return rng.choice(len(REGIONS), size=people, p=falling(len(REGIONS), 0.9)).astype(np.int32)


def ages(rng: np.random.Generator, people: int) -> Any:
    return np.clip(np.round(rng.gamma(6.0, 7.0, people)), 18, 90).astype(np.int64)


def regions(rng: np.random.Generator, home: Any) -> Any:
    at_home = rng.random(len(home)) < 0.8
    away = rng.choice(len(REGIONS), size=len(home), p=falling(len(REGIONS), 0.9))
    return np.where(at_home, home, away).astype(np.int32)


def categories(rng: np.random.Generator, rows: int) -> Any:
    return rng.choice(len(CATEGORIES), size=rows, p=falling(len(CATEGORIES), 1.6)).astype(np.int32)


def table(rng: np.random.Generator, person: Any, region: Any, category: Any, age: Any) -> pa.Table:
    amount = np.minimum(np.round(rng.lognormal(3.3, 1.0, len(person)), 2), 500.0)
    time = np.datetime64("2023-01-01", "us") + rng.integers(0, YEAR, len(person)).astype("timedelta64[s]")
    return pa.table(
        {
            "user_id": person,
            "region": words(region, REGIONS),
            "category": words(category, CATEGORIES),
            "age": age,
            "amount": amount,
            "ts": time.astype("datetime64[us]"),
        }
    )


def falling(count: int, power: float) -> Any:
    """Shares that fall with the rank."""
    weights = 1.0 / (np.arange(count) + 1.0) ** power
    return weights / weights.sum()


def words(codes: Any, meaning: list[str]) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(meaning)).cast(pa.string())


def keyed(table: pa.Table) -> Answers:
    """A table of answers by key, without Tacit's further columns."""
    keys = [name for name in table.column_names if name in ("region", "category")]
    beside = ("_low", "_high", "_bounded")
    names = [name for name in table.column_names if name not in keys and not name.endswith(beside)]
    return {
        row[keys[0]] if keys else "": {name: math.nan if row[name] is None else float(row[name]) for name in names}
        for row in table.to_pylist()
    }


def truth(size: tuple[int, int] = LARGE) -> dict[str, Answers]:
    """The true answers of each workload, stored beside the file."""
    path = events(size).with_suffix(".json")
    if not path.exists():
        connection = duckdb.connect(config={"threads": 1})
        connection.read_parquet(str(events(size))).create_view("events")
        found = {name: keyed(connection.sql(sql).to_arrow_table()) for name, sql in QUESTIONS.items()}
        path.write_text(json.dumps(found))
    kept: dict[str, Answers] = json.loads(path.read_text())
    return kept
