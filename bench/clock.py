"""Fair timing: contestants take turns in one process, and medians are compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

PEERS = Path(__file__).parent.parent / ".venv-peers" / "bin" / "python"


def take_turns(contestants: list[Callable[[], object]], rounds: int = 9) -> list[float]:
    """Median seconds of each, after one warm-up."""
    for run in contestants:
        run()
    times: list[list[float]] = [[] for _ in contestants]
    for _ in range(rounds):
        for run, taken in zip(contestants, times, strict=True):
            start = perf_counter()
            run()
            taken.append(perf_counter() - start)
    return [median(taken) for taken in times]


def ask_peer(script: str) -> dict[str, float]:
    """The result of a peer's script, run now on this machine in its own environment."""
    if not PEERS.exists():
        sys.exit("The peers are not installed: run `make bench-peers` first.")
    path = Path(__file__).parent / "peers" / script
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([PEERS, path], check=True, capture_output=True, text=True, env=alone)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured
