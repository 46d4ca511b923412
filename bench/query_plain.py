"""Plain DuckDB's turn: one thread, no privacy at all. The floor."""

from __future__ import annotations

from collections.abc import Callable

import duckdb

from bench.events import QUESTIONS, Answers, keyed
from bench.query_turn import take_turn


def open_file(path: str, _: str) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET enable_progress_bar = false")
    connection.read_parquet(path).create_view("events")
    return connection


def asking(sql: str) -> Callable[[duckdb.DuckDBPyConnection], Answers]:
    return lambda connection: keyed(connection.sql(sql).to_arrow_table())


if __name__ == "__main__":
    take_turn(open_file, {name: asking(sql) for name, sql in QUESTIONS.items()}, is_second=True)
