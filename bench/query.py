"""Whole questions over ten million rows on one core: Tacit against OpenDP, SmartNoise SQL and plain DuckDB.

Cold, five rows per person count, as for the peers. On a prepared form, all rows count. Last, the cost of the second
line, which needs no peers: `python -m bench second_line` shows only that.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from statistics import median

from bench.claims import Claim, report
from bench.events import LARGE, QUESTIONS, SMALL, events
from bench.second_line import costs

ROUNDS = 5
HERE = Path(__file__).parent
PEERS = HERE.parent / ".venv-peers-query"
CONTESTANTS = {
    "Tacit": [sys.executable, "-m", "bench.query_ours"],
    "Tacit prepared": [sys.executable, "-m", "bench.query_prepared"],
    "OpenDP": [str(PEERS / "opendp" / "bin" / "python"), str(HERE / "peers" / "opendp_query.py")],
    "SmartNoise": [str(PEERS / "smartnoise" / "bin" / "python"), str(HERE / "peers" / "smartnoise_query.py")],
    "DuckDB": [sys.executable, "-m", "bench.query_plain"],
}
CANNOT = {("SmartNoise", "W4")}
CORE = "0"
ALONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "PYTHONWARNINGS": "ignore"}
LEAN = ("W1", "W2", "W3")  # where memory is compared
FASTER = {"W1": 4, "W2": 2.5, "W3": 2.5, "W4": 2, "W5": 2}  # than the faster peer, cold
OVER_PLAIN = {"W1": 1.0, "W2": 1.0, "W3": 1.5, "W4": 1.0, "W5": 1.0}  # prepared
FAR_FASTER = {"W1": 50, "W2": 50}  # than the faster peer, prepared
PREPARING = 25  # seconds
SIZE = 1.5  # of a form, to its source


@dataclass(frozen=True)
class Turn:
    """The cost of one answer: wall-clock time, processor time, and peak memory."""

    seconds: float
    processor: float
    megabytes: float

    @classmethod
    def middle(cls, turns: list[Turn]) -> Turn:
        """The medians."""
        return cls(*(median(each) for each in zip(*(astuple(turn) for turn in turns), strict=True)))


Found = dict[str, Turn]
"""The cost of each contestant for one workload."""


def on_one_core(command: Sequence[str], subject: str) -> dict[str, float]:
    """The last line of a fresh process, as JSON."""
    pinned = ["taskset", "-c", CORE, *command]
    done = subprocess.run(pinned, capture_output=True, text=True, env={**os.environ, **ALONE}, cwd=HERE.parent)
    if done.returncode != 0:
        sys.exit(f"{subject} failed:\n{done.stderr}")
    said: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return said


def turn(contestant: str, workload: str, forms: Path) -> Turn:
    """A fresh process answers one workload."""
    files = [str(events(SMALL)), str(events(LARGE))]
    own = [str(forms)] if contestant == "Tacit prepared" else []
    said = on_one_core([*CONTESTANTS[contestant], *own, workload, *files], f"{contestant}, {workload}")
    return Turn(said["seconds"], said["processor"], said["megabytes"])


def race(workload: str, rounds: int, forms: Path) -> Found:
    """Contestants take turns; the medians of each."""
    runners = [name for name in CONTESTANTS if (name, workload) not in CANNOT]
    turns: dict[str, list[Turn]] = {name: [] for name in runners}
    for _ in range(rounds):
        for name in runners:
            turns[name].append(turn(name, workload, forms))
    return {name: Turn.middle(own) for name, own in turns.items()}


def speed(workload: str, found: Found, name: str, target: float) -> Claim:
    """How much faster than the faster peer."""
    ours = found[name]
    peers = {peer: found[peer] for peer in ("OpenDP", "SmartNoise") if peer in found}
    ratio = min(peer.seconds for peer in peers.values()) / ours.seconds
    steady = min(peer.processor for peer in peers.values()) / ours.processor  # if other processes use the core too
    told = ", ".join(f"{peer} {taken.seconds:.2f} s" for peer, taken in peers.items())
    detail = f"{told}, {name} {ours.seconds:.3f} s ({steady:.2f}x by processor time)"
    return Claim(f"faster peer / {name}, {workload}", ratio, target, False, detail)


def over_plain(workload: str, found: Found) -> Claim:
    """The time on a prepared data set relative to an answer without privacy."""
    ours, floor = found["Tacit prepared"], found["DuckDB"]
    ratio, steady = ours.seconds / floor.seconds, ours.processor / floor.processor
    detail = f"{ours.seconds * 1e3:.0f} ms, plain {floor.seconds * 1e3:.0f} ms ({steady:.2f}x by processor time)"
    return Claim(f"Tacit prepared / DuckDB, {workload}", ratio, OVER_PLAIN[workload], True, detail)


def memory(workload: str, found: Found) -> Claim:
    ours, theirs = found["Tacit"].megabytes, found["SmartNoise"].megabytes
    detail = f"{ours:.0f} MB against {theirs:.0f} MB; OpenDP {found['OpenDP'].megabytes:.0f} MB"
    return Claim(f"peak memory / SmartNoise, {workload}", ours / theirs, 1, True, detail)


def prepare(forms: Path) -> list[Claim]:
    """Make the forms for the prepared contestant, and measure their time and size."""
    files = [str(events(SMALL)), str(events(LARGE))]
    said = on_one_core([sys.executable, "-m", "bench.query_preparing", str(forms), *files], "The preparation")
    detail = f"{said['seconds']:.1f} s ({said['processor']:.1f} s of the processor)"
    return [
        Claim(f"preparing / {PREPARING} s", said["seconds"] / PREPARING, 1, True, detail),
        Claim("prepared form / Parquet source", said["size"], SIZE, True, "octets on disk"),
    ]


def main() -> None:
    missing = [name for name, (program, *_) in CONTESTANTS.items() if not Path(program).exists()]
    if missing:
        sys.exit(f"Not installed: {', '.join(missing)}. Run `make bench-peers` first.")
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        claims = prepare(Path(folder))
        found = {workload: race(workload, ROUNDS, Path(folder)) for workload in QUESTIONS}
    claims += [over_plain(workload, found[workload]) for workload in QUESTIONS]
    claims += [speed(workload, found[workload], "Tacit prepared", target) for workload, target in FAR_FASTER.items()]
    claims += [speed(workload, found[workload], "Tacit", target) for workload, target in FASTER.items()]
    claims += [memory(workload, found[workload]) for workload in LEAN]
    report("Query", claims + costs())
