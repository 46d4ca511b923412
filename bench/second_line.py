"""What the second line costs: DuckDB's TRY around analysts' expressions, with it and without in one run.

W1 to W5 hardly compute; the ten questions of W6 do little else. Ten million rows, one thread; processor time of whole
answers, planned, charged and stored, since that of the clock is shared with whatever else runs. The statements without
are the same ones, each `TRY(x)` read as `(x)` just before it is run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from bench.claims import Claim, report
from bench.events import LARGE, QUESTIONS, events
from bench.events_description import PEERS_LIMIT, open_events
from tacit.curator.dataset import Dataset
from tacit.query.engines.duckdb_session import DuckDBSession

ROUNDS = 3
PLAIN, COMPUTED = 1.1, 1.3  # at most so many times as long, on W1 to W5 and on W6
COLUMNS = """\
age = { type = "int", min = 0, max = 120 }
ts = { type = "timestamp", min = 2023-01-01T00:00:00, max = 2024-01-01T00:00:00 }
"""
EXPRESSIONS = {
    "casts": "SELECT SUM(CAST(amount * 1.19 AS DECIMAL(10, 1))), AVG(CAST(amount AS INTEGER)) FROM events",
    "text to number": "SELECT AVG(CAST(SUBSTRING(category, 2) AS INTEGER) % 100) FROM events "
    "WHERE CAST(RIGHT(region, 2) AS INTEGER) < 25",
    "dates": "SELECT COUNT(*), SUM(date_diff('hour', TIMESTAMP '2023-01-01', ts) % 24) FROM events "
    "WHERE ts - INTERVAL 1 MONTH >= TIMESTAMP '2023-02-28'",
    "months": "SELECT date_trunc('month', ts) AS m, COUNT(*), SUM(amount) FROM events GROUP BY m",
    "arithmetic": "SELECT SUM((amount * 3 - age) / (age + 1)), AVG((age * age) % 37 + amount / 7) FROM events",
    "logarithms": "SELECT AVG(LN(amount + 1)), SUM(SQRT(amount) * 2), AVG(ROUND(EXP(-age / 30.0), 3)) FROM events",
    "cases": "SELECT CASE WHEN age < 30 THEN 'young' WHEN age < 60 THEN 'grown' ELSE 'old' END AS g, "
    "SUM(CASE WHEN amount / (age - 17) > 1 THEN amount * 2 ELSE 0 END) FROM events GROUP BY g",
    "texts": "SELECT COUNT(*) FROM events "
    "WHERE LOWER(CONCAT(region, '-', category)) LIKE 'r0%' AND LENGTH(TRIM(category)) > 4",
    "computed keys": "SELECT age // 10 AS decade, EXTRACT(month FROM ts) AS m, AVG(amount * 2 + 1) FROM events "
    "GROUP BY decade, m",
    "each person": "SELECT AVG(spent), SUM(CASE WHEN n > 3 THEN 1 ELSE 0 END) FROM (SELECT user_id, "
    "LEAST(SUM(CAST(amount * age / 40 AS DECIMAL(12, 2))), 5000) AS spent, LEAST(COUNT(*), 50) AS n FROM events "
    "WHERE CAST(age AS DOUBLE) / 2 > 10 GROUP BY user_id) AS p",
}
"""W6: casts, dates, CASE, arithmetic and text functions in WHERE, in arguments, in keys and in people's sub-queries."""
_RUNNING = ("run", "few", "add_up", "add_few_up", "keep")
_TRY = "TRY("


@contextmanager
def reading(change: Callable[[str], str]) -> Iterator[None]:
    """Statements are changed, just before sessions run them."""
    real = {name: getattr(DuckDBSession, name) for name in _RUNNING}

    def changed(name: str) -> Callable[..., Any]:
        return lambda session, *given: real[name](session, *given[:-1], change(given[-1]))

    for name in _RUNNING:
        setattr(DuckDBSession, name, changed(name))
    try:
        yield
    finally:
        for name, method in real.items():
            setattr(DuckDBSession, name, method)


def tries(ask: Callable[[], object]) -> int:
    """How many TRY there are in the statements of a question."""
    sent: list[str] = []

    def seen(sql: str) -> str:
        sent.append(sql)
        return sql

    with reading(seen):
        ask()
    return sum(sql.count(_TRY) for sql in sent)


def processor(ask: Callable[[], object], change: Callable[[str], str]) -> float:
    """Seconds that one answer takes of the processor."""
    with reading(change):
        start = process_time()
        ask()
        return process_time() - start


def cost(name: str, ask: Callable[[], object], target: float) -> Claim:
    """Both in turn, after one answer to warm up; the medians."""
    held, taken = (
        tries(ask),
        [(processor(ask, str), processor(ask, lambda sql: sql.replace(_TRY, "("))) for _ in range(ROUNDS)],
    )
    two, one = (median(each) for each in zip(*taken, strict=True))
    detail = f"{two * 1e3:.0f} ms against {one * 1e3:.0f} ms of the processor; {held} TRY"
    return Claim(f"two lines / one, {name}", two / one, target, True, detail)


def second_line() -> list[Claim]:
    """What two lines cost to one, of each question."""
    rising = count(1)  # a dearer question each time: no earlier release answers it

    def asking(dataset: Dataset, sql: str) -> object:
        return dataset.query(sql, epsilon=1 + next(rising) / 1000).table

    with (
        tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder,
        open_events(events(LARGE), Path(folder), PEERS_LIMIT, more=COLUMNS) as dataset,
    ):
        plain = [cost(name, partial(asking, dataset, sql), PLAIN) for name, sql in QUESTIONS.items()]
        return plain + [
            cost(f"W6 {name}", partial(asking, dataset, sql), COMPUTED) for name, sql in EXPRESSIONS.items()
        ]


def main() -> None:
    report("The second line", second_line())


if __name__ == "__main__":
    main()
