"""Whole questions over ten million rows, cold, on one core: Tacit against OpenDP, SmartNoise SQL and plain DuckDB."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.claims import Claim, report
from bench.events import LARGE, QUESTIONS, SMALL, events

ROUNDS = 5
HERE = Path(__file__).parent
PEERS = HERE.parent / ".venv-peers-query"
OURS = [sys.executable, "-m", "bench.query_ours"]
CONTESTANTS = {
    "Tacit": OURS,
    "OpenDP": [str(PEERS / "opendp" / "bin" / "python"), str(HERE / "peers" / "opendp_query.py")],
    "SmartNoise": [str(PEERS / "smartnoise" / "bin" / "python"), str(HERE / "peers" / "smartnoise_query.py")],
    "DuckDB": [sys.executable, str(HERE / "peers" / "duckdb_query.py")],
}
CANNOT = {("SmartNoise", "W4")}
CORE = "0"
ALONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "PYTHONWARNINGS": "ignore"}
LEAN = ("W1", "W2", "W3")  # where memory is compared


@dataclass(frozen=True)
class Turn:
    """What one answer took."""

    seconds: float
    megabytes: float


def turn(contestant: str, workload: str) -> Turn:
    """A fresh process on one core answers one workload."""
    files = [str(events(SMALL)), str(events(LARGE))]
    command = ["taskset", "-c", CORE, *CONTESTANTS[contestant], workload, *files]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **ALONE}, cwd=HERE.parent)
    if done.returncode != 0:
        sys.exit(f"{contestant} failed at {workload}:\n{done.stderr}")
    said = json.loads(done.stdout.splitlines()[-1])
    return Turn(said["seconds"], said["megabytes"])


def race(workload: str, rounds: int) -> dict[str, Turn]:
    """Contestants take turns; the medians of each."""
    runners = [name for name in CONTESTANTS if (name, workload) not in CANNOT]
    turns: dict[str, list[Turn]] = {name: [] for name in runners}
    for _ in range(rounds):
        for name in runners:
            turns[name].append(turn(name, workload))
    return {name: Turn(median(t.seconds for t in own), median(t.megabytes for t in own)) for name, own in turns.items()}


def speed(workload: str, found: dict[str, Turn]) -> Claim:
    ours, floor = found["Tacit"].seconds, found["DuckDB"].seconds
    peers = {name: found[name].seconds for name in ("OpenDP", "SmartNoise") if name in found}
    told = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in peers.items())
    detail = f"{told}, Tacit {ours:.2f} s, without privacy {floor:.2f} s"
    return Claim(f"faster peer / Tacit, {workload}", min(peers.values()) / ours, 2, False, detail)


def memory(workload: str, found: dict[str, Turn]) -> Claim:
    ours, theirs = found["Tacit"].megabytes, found["SmartNoise"].megabytes
    detail = f"{ours:.0f} MB against {theirs:.0f} MB; OpenDP {found['OpenDP'].megabytes:.0f} MB"
    return Claim(f"peak memory / SmartNoise, {workload}", ours / theirs, 1, True, detail)


def main() -> None:
    missing = [name for name, (program, *_) in CONTESTANTS.items() if not Path(program).exists()]
    if missing:
        sys.exit(f"Not installed: {', '.join(missing)}. Run `make bench-peers` first.")
    found = {workload: race(workload, ROUNDS) for workload in QUESTIONS}
    claims = [speed(workload, found[workload]) for workload in QUESTIONS]
    report("Query", claims + [memory(workload, found[workload]) for workload in LEAN])
