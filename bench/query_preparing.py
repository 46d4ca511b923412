"""The timing of `prepare`: the forms of some files, each with a ledger in a folder named for it.

The last line printed is JSON: the time of the last one, and the size of its form relative to the source.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter, process_time

from bench.events_description import at_home, describe
from tacit.curator.open_data import open_data
from tacit.query.engines.duckdb.engine import DuckDBEngine

EVERYBODYS = 20_000  # rows of a person; no one has more


def prepare(source: Path, folder: Path) -> dict[str, float]:
    """Make the form of a file on one thread, its ledger in a new folder."""
    folder.mkdir()
    at_home(folder)
    with open_data(describe(source, folder, EVERYBODYS), engine=DuckDBEngine(threads=1)) as opened:
        start, used = perf_counter(), process_time()
        form = opened.preparation.make(lambda *_: None)
        taken = {"seconds": perf_counter() - start, "processor": process_time() - used}
    return {**taken, "size": form.stat().st_size / source.stat().st_size}


def main() -> None:
    whole, *sources = map(Path, sys.argv[1:])
    *_, last = [prepare(source, whole / source.stem) for source in sources]
    print(json.dumps(last))


if __name__ == "__main__":
    main()
