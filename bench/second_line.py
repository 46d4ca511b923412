"""The cost of the second line: queries with and without DuckDB's TRY around analysts' expressions, in one run.

W1 to W5 hardly compute; the ten questions of W6 do little else. Ten million rows, one thread; processor time of whole
answers, planned, charged and stored, since wall-clock time includes other processes. Without it, the engine also uses
the optimizer that is incompatible with TRY.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from statistics import median
from time import process_time

from bench.claims import Claim, report
from bench.events import LARGE, QUESTIONS, events
from bench.events_description import PEERS_LIMIT, open_events
from tacit.curator.dataset import Dataset
from tacit.query.engines.duckdb import engine as duckdb_engine
from tacit.query.sql.expressions import second_line

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


@contextmanager
def one_line() -> Iterator[None]:
    """Statements are planned, and databases opened, without the second line."""
    settings = duckdb_engine._SETTINGS.copy()
    second_line.IS_ON = False
    del duckdb_engine._SETTINGS["disabled_optimizers"]
    try:
        yield
    finally:
        second_line.IS_ON = True
        duckdb_engine._SETTINGS.update(settings)


def processor(ask: Callable[[], object]) -> float:
    """The processor time of one answer."""
    start = process_time()
    ask()
    return process_time() - start


def tries(dataset: Dataset, sql: str) -> int:
    """The number of TRY in the statements of a question."""
    return str(dataset.explain(sql, epsilon=1, interval="bounded")).count("TRY(")


def cost(name: str, sql: str, datasets: tuple[Dataset, Dataset], target: float) -> Claim:
    """Both in turn, after one answer to warm up; the medians."""
    two, one = datasets
    rising = count(1)  # a higher price each time, so that no earlier release answers

    def asking(dataset: Dataset) -> Callable[[], object]:
        return lambda: dataset.query(sql, epsilon=1 + next(rising) / 1000, interval="bounded").table

    taken: list[tuple[float, float]] = []
    for _ in range(1 + ROUNDS):
        with_it = processor(asking(two))
        with one_line():
            taken.append((with_it, processor(asking(one))))
    both, alone = (median(each) for each in zip(*taken[1:], strict=True))
    held = tries(two, sql)
    detail = f"{both * 1e3:.0f} ms against {alone * 1e3:.0f} ms of the processor; {held} TRY"
    return Claim(f"two lines / one, {name}", both / alone, target, True, detail)


def costs() -> list[Claim]:
    """The cost of two lines relative to one, for each question."""
    with ExitStack() as stack:

        def opened() -> Dataset:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tacit-bench-")))
            return stack.enter_context(open_events(events(LARGE), folder, PEERS_LIMIT, more=COLUMNS))

        two = opened()
        with one_line():
            datasets = two, opened()
        plain = [cost(name, sql, datasets, PLAIN) for name, sql in QUESTIONS.items()]
        computed = [cost(f"W6 {name}", sql, datasets, COMPUTED) for name, sql in EXPRESSIONS.items()]
        if not all(tries(two, sql) for sql in EXPRESSIONS.values()):
            sys.exit("A question of W6 has no second line: nothing was measured.")
    return plain + computed


def main() -> None:
    report("The second line", costs())


if __name__ == "__main__":
    main()
