"""Plain DuckDB, one thread, no privacy at all: the floor."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import duckdb

from bench.events import QUESTIONS, keyed
from bench.query_turn import take_turn


def open_file(path, _):
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET enable_progress_bar = false")
    connection.read_parquet(path).create_view("events")
    return connection


def asking(sql):
    return lambda connection: keyed(connection.sql(sql).to_arrow_table())


take_turn(open_file, {name: asking(sql) for name, sql in QUESTIONS.items()})
