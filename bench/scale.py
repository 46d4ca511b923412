"""Ten times the rows and people, far more than memory holds: one thread, two gigabytes, cold, a fresh process each.

A hundred million rows of ten million people take about a minute per question. Times are processor times, including
temporary files, since others may use the machine too; wall-clock times are shown beside them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from bench.claims import Claim, report
from bench.events import HUGE, LARGE, QUESTIONS, SMALL, events
from bench.scale_ours import FOUND, MEMORY
from tacit.query.engines.duckdb.memory import read_memory

ROUNDS = 2  # of the smaller file, before and after the larger
TIMES = HUGE[0] / LARGE[0]
ALONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
Turn = dict[str, float]


def turn(workload: str, size: tuple[int, int]) -> Turn:
    """The cost of one workload in a fresh process."""
    command = [sys.executable, "-m", "bench.scale_ours", workload, str(events(SMALL)), str(events(size))]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **ALONE}, cwd=Path(__file__).parent.parent
    )
    if done.returncode != 0:
        sys.exit(f"{workload} failed at {size[0]:,} rows:\n{done.stderr}")
    said: Turn = json.loads(done.stdout.splitlines()[-1])
    return said


def measured(workload: str) -> list[Claim]:
    """Time and memory of one workload."""
    few = [turn(workload, LARGE) for _ in range(ROUNDS)]
    many = turn(workload, HUGE)
    few += [turn(workload, LARGE) for _ in range(ROUNDS)]
    taken = median(each["processor"] for each in few)
    clock = median(each["seconds"] for each in few)
    times = f"{taken:.1f} s and {many['processor']:.1f} s; by the clock {clock:.1f} s and {many['seconds']:.1f} s"
    limit = read_memory(MEMORY) or 0
    peak, less = many["megabytes"], max(each["megabytes"] for each in few)
    held = f"{peak:.0f} MiB of {limit / 2**20:.0f}; at {LARGE[0]:,} rows {less:.0f}"
    return [
        Claim(f"100M rows / (10 × 10M rows), {workload}", many["processor"] / taken / TIMES, 2, True, times),
        Claim(f"peak memory / {MEMORY}, {workload}", peak * 2**20 / limit, 1, True, held),
    ]


def main() -> None:
    claims = [claim for workload in (*QUESTIONS, *FOUND) for claim in measured(workload)]
    report("Scale", claims)
