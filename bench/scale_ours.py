"""Tacit's turn within two gigabytes: five rows per person count, or as many as a query finds without a profile."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.events import QUESTIONS
from bench.events_description import PEERS_LIMIT, open_events
from bench.query_ours import asking
from bench.query_turn import take_turn
from tacit.curator.dataset import Dataset

MEMORY = "2GB"
FOUND = {"W1, limits found": QUESTIONS["W1"]}


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as whole:

        def open_file(path: str, name: str) -> Dataset:
            rows = None if name in FOUND else PEERS_LIMIT
            return open_events(Path(path), Path(tempfile.mkdtemp(dir=whole)), rows, MEMORY)

        take_turn(open_file, {name: asking(sql) for name, sql in {**QUESTIONS, **FOUND}.items()})


if __name__ == "__main__":
    main()
