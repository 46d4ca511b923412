"""The overhead of a question beside reading the data: 1,000 rows, each time at a new price, charged and stored."""

from __future__ import annotations

import tempfile
from functools import partial
from itertools import count
from pathlib import Path

import duckdb

from bench.claims import Claim, report
from bench.clock import take_turns
from bench.events import QUESTIONS, SMALL, events
from bench.events_description import PEERS_LIMIT, open_events
from tacit.curator.dataset import Dataset

ROUNDS = 21
TARGET = 0.030  # seconds


def main() -> None:
    plain = duckdb.connect(config={"threads": 1})
    plain.read_parquet(str(events(SMALL))).create_view("events")
    rising = count(1)  # a higher price each time, so that no earlier release answers

    def asking(dataset: Dataset, sql: str) -> object:
        return dataset.query(sql, epsilon=1 + next(rising) / 1000, interval="bounded").table

    def asking_plainly(sql: str) -> object:
        return plain.sql(sql).to_arrow_table()

    claims = []
    with (
        tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder,
        open_events(events(SMALL), Path(folder), PEERS_LIMIT) as dataset,
    ):
        for name, sql in QUESTIONS.items():
            ours, floor = take_turns([partial(asking, dataset, sql), partial(asking_plainly, sql)], ROUNDS)
            detail = f"{ours * 1e3:.1f} ms against plain DuckDB's {floor * 1e3:.1f} ms: {ours / floor:.0f}x"
            claims.append(Claim(f"{name} on 1,000 rows / 30 ms", ours / TARGET, 1, True, detail))
    report("Query overhead", claims)
