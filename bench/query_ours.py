"""Tacit's turn: SQL in, a private answer out, charged to a ledger on disk; five rows per person count, as for peers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.events import QUESTIONS, Answers, keyed
from bench.events_description import PEERS_LIMIT, open_events
from bench.query_turn import take_turn
from tacit.curator.dataset import Dataset


def asking(sql: str) -> Callable[[Dataset], Answers]:
    return lambda dataset: keyed(dataset.query(sql, epsilon=1.0, interval="bounded").table)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as whole:

        def open_file(path: str, _: str) -> Dataset:
            return open_events(Path(path), Path(tempfile.mkdtemp(dir=whole)), PEERS_LIMIT)

        take_turn(open_file, {name: asking(sql) for name, sql in QUESTIONS.items()})


if __name__ == "__main__":
    main()
