"""Whole questions over ten million rows, cold, on one core: Tacit against OpenDP, SmartNoise SQL and plain DuckDB."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import astuple, dataclass
from pathlib import Path
from statistics import median

from bench.claims import Claim, report
from bench.events import LARGE, QUESTIONS, SMALL, events

ROUNDS = 5
HERE = Path(__file__).parent
PEERS = HERE.parent / ".venv-peers-query"
CONTESTANTS = {
    "Tacit": [sys.executable, "-m", "bench.query_ours"],
    "OpenDP": [str(PEERS / "opendp" / "bin" / "python"), str(HERE / "peers" / "opendp_query.py")],
    "SmartNoise": [str(PEERS / "smartnoise" / "bin" / "python"), str(HERE / "peers" / "smartnoise_query.py")],
    "DuckDB": [sys.executable, "-m", "bench.query_plain"],
}
CANNOT = {("SmartNoise", "W4")}
CORE = "0"
ALONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "PYTHONWARNINGS": "ignore"}
LEAN = ("W1", "W2", "W3")  # where memory is compared


@dataclass(frozen=True)
class Turn:
    """What one answer took: by the clock, of the processor, and of memory at its peak."""

    seconds: float
    processor: float
    megabytes: float

    @classmethod
    def middle(cls, turns: list[Turn]) -> Turn:
        """The medians."""
        return cls(*(median(each) for each in zip(*(astuple(turn) for turn in turns), strict=True)))


def turn(contestant: str, workload: str) -> Turn:
    """A fresh process on one core answers one workload."""
    files = [str(events(SMALL)), str(events(LARGE))]
    command = ["taskset", "-c", CORE, *CONTESTANTS[contestant], workload, *files]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **ALONE}, cwd=HERE.parent)
    if done.returncode != 0:
        sys.exit(f"{contestant} failed at {workload}:\n{done.stderr}")
    said = json.loads(done.stdout.splitlines()[-1])
    return Turn(said["seconds"], said["processor"], said["megabytes"])


def race(workload: str, rounds: int) -> dict[str, Turn]:
    """Contestants take turns; the medians of each."""
    runners = [name for name in CONTESTANTS if (name, workload) not in CANNOT]
    turns: dict[str, list[Turn]] = {name: [] for name in runners}
    for _ in range(rounds):
        for name in runners:
            turns[name].append(turn(name, workload))
    return {name: Turn.middle(own) for name, own in turns.items()}


def speed(workload: str, found: dict[str, Turn]) -> Claim:
    ours, floor = found["Tacit"], found["DuckDB"]
    peers = {name: found[name] for name in ("OpenDP", "SmartNoise") if name in found}
    ratio = min(peer.seconds for peer in peers.values()) / ours.seconds
    steady = min(peer.processor for peer in peers.values()) / ours.processor  # if others use the core too
    told = ", ".join(f"{name} {peer.seconds:.2f} s" for name, peer in peers.items())
    detail = f"{told}, Tacit {ours.seconds:.2f} s, plain {floor.seconds:.2f} s ({steady:.2f}x by processor time)"
    return Claim(f"faster peer / Tacit, {workload}", ratio, 2, False, detail)


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
