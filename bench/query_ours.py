"""Tacit's turn: SQL in, a private answer out, charged to a ledger on disk; five rows a person count, as for its peers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tacit
from bench.events import QUESTIONS, Answers, keyed
from bench.events_description import describe
from bench.query_turn import take_turn
from tacit.query.engines.duckdb_engine import DuckDBEngine

LIMIT = 5


def open_file(path: str, _: str) -> Any:
    folder = Path(tempfile.mkdtemp(prefix="tacit-bench-"))
    return tacit.open(describe(Path(path), folder, LIMIT), engine=DuckDBEngine(threads=1))


def asking(sql: str) -> Callable[[Any], Answers]:
    return lambda dataset: keyed(dataset.query(sql, epsilon=1.0).table)


if __name__ == "__main__":
    take_turn(open_file, {name: asking(sql) for name, sql in QUESTIONS.items()})
