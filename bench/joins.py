"""The cost of the bounds on joins within people: joins with and without them, in one run.

400,000 visits, 200,000 calls and 400,000 drugs of 100,000 patients, none of whom is near a bound. An engine counts the
rows of people once, for the first question; one is measured with that, the others without. One thread; processor time
of whole answers, planned, charged and stored, since wall-clock time includes other processes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from statistics import median

import duckdb

from bench.claims import Claim, report
from bench.events_description import at_home
from bench.second_line import processor
from tacit.curator.dataset import Dataset, open_dataset
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.sql import from_clause
from tacit.query.sql.joins import join_private

ROUNDS = 9
PAIRS, CHAINS = 1.1, 1.2  # at most so many times as long, of two tables and of three
FIRST = 1.6  # of two tables, where the rows of people must be counted first
_PERSON = "(hash(i + {}) % 100000)::BIGINT AS patient"
TABLES = {
    "visits": f"SELECT i AS visit, {_PERSON.format(0)}, (i % 100)::INTEGER AS age, "
    "(hash(i * 7) % 20000)::BIGINT AS cost FROM range(400000) t(i)",
    "calls": f"SELECT {_PERSON.format(10**6)}, (i % 60)::INTEGER AS minutes FROM range(200000) t(i)",
    "drugs": "SELECT (hash(i + 2000000) % 400000)::BIGINT AS visit, (i % 10)::INTEGER AS dose FROM range(400000) t(i)",
}
_TEXT = """\
[dataset]
name = "clinic"
unit = { id = "patient", hides = "one patient" }
budget = { rho = 100000, delta = 1e-4 }
floor = 0

[tables.visits]
source = "visits.parquet"
limits = { rows = 40 }
[tables.visits.columns]
visit = { type = "int" }
age = { type = "int", min = 0, max = 110, nullable = false }
cost = { type = "int", min = 0, max = 20000, nullable = false }

[tables.calls]
source = "calls.parquet"
limits = { rows = 40 }
columns = { minutes = { type = "int", min = 0, max = 120, nullable = false } }

[tables.drugs]
source = "drugs.parquet"
unit = { column = "visit", table = "visits", key = "visit" }
limits = { rows = 60 }
columns = { dose = { type = "int", min = 0, max = 10, nullable = false }, visit = { type = "int" } }
"""
_CALLS = "visits v JOIN calls c ON v.patient = c.patient"
QUESTIONS = {
    "visits and calls": (f"SELECT COUNT(*), SUM(v.cost + c.minutes) FROM {_CALLS}", PAIRS),
    "visits and their drugs": (
        "SELECT SUM(v.cost * d.dose) FROM visits v JOIN drugs d ON v.patient = d.patient AND v.visit = d.visit",
        PAIRS,
    ),
    "visits and visits": (
        "SELECT SUM(v.cost + w.age) FROM visits v JOIN visits w ON v.patient = w.patient AND v.visit < w.visit",
        PAIRS,
    ),
    "visits and calls, few of them": (f"SELECT SUM(v.cost + c.minutes) FROM {_CALLS} WHERE v.age = 5", PAIRS),
    "visits and calls, counted first": (f"SELECT COUNT(*), SUM(v.cost - c.minutes) FROM {_CALLS}", FIRST),
    "visits, calls and drugs": (
        f"SELECT SUM(v.cost * d.dose + c.minutes) FROM {_CALLS} JOIN drugs d ON d.patient = v.patient",
        CHAINS,
    ),
}


@contextmanager
def whole() -> Iterator[None]:
    """Joins are planned without bounds."""
    bounded = from_clause.linked
    from_clause.linked = lambda left, right, join, kind, condition: join_private(left, right, kind, condition)
    try:
        yield
    finally:
        from_clause.linked = bounded


def cost(dataset: Dataset, engine: DuckDBEngine, name: str, sql: str, target: float) -> Claim:
    """Both in turn, after one answer to warm up; the medians."""
    rising = count(1)  # a higher price each time, so that no earlier release answers

    def asked() -> object:
        return dataset.query(sql, epsilon=1 + next(rising) / 1000, interval="bounded").table

    taken = []
    for _ in range(1 + ROUNDS):
        if target == FIRST:
            engine.__dict__.pop("_counted", None)
        bounded = processor(asked)
        with whole():
            taken.append((bounded, processor(asked)))
    both, alone = (median(each) for each in zip(*taken[1:], strict=True))
    detail = f"{both * 1e3:.0f} ms against {alone * 1e3:.0f} ms of the processor"
    return Claim(f"bounded / whole, {name}", both / alone, target, True, detail)


def costs() -> list[Claim]:
    """The cost of bounds for each question."""
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as place:
        folder = Path(place)
        at_home(folder)
        for table, rows in TABLES.items():
            duckdb.execute(f"COPY ({rows}) TO '{folder / table}.parquet'")
        (folder / "clinic.toml").write_text(_TEXT)
        engine = DuckDBEngine(threads=1)
        with open_dataset(folder / "clinic.toml", engine=engine) as dataset:
            return [cost(dataset, engine, name, sql, target) for name, (sql, target) in QUESTIONS.items()]


def main() -> None:
    report("Bounded joins", costs())


if __name__ == "__main__":
    main()
