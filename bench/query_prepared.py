"""Tacit's turn on prepared data: the form exists in the folder given first, and all rows count."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from bench.events import QUESTIONS, Answers, keyed
from bench.events_description import open_events
from bench.query_preparing import EVERYBODYS
from bench.query_turn import take_turn
from tacit.curator.dataset import Dataset


def open_file(path: str, _: str) -> Dataset:
    source = Path(path)
    return open_events(source, Path(sys.argv[1]) / source.stem, EVERYBODYS)


def asking(sql: str) -> Callable[[Dataset], Answers]:
    return lambda dataset: keyed(dataset.query(sql, epsilon=1.0, interval="bounded", fresh=True).table)


if __name__ == "__main__":
    take_turn(open_file, {name: asking(sql) for name, sql in QUESTIONS.items()}, is_second=True)
