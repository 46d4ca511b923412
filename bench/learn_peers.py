"""Peers at work on splits that are handed over, in an environment of their own.

They are given rows as arrays: raw numbers with their bounds, keys as numbers, and the levels of our own model. They
return scores of held-out rows.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.learn_data import PYTHON, Problem

Floats = NDArray[np.float64]
SCRIPT = Path(__file__).parent / "peers" / "learn_models.py"
Answers = Callable[[], tuple[dict[str, Floats], dict[str, float]]]


@dataclass(frozen=True)
class Peer:
    """A method of a peer, and how many splits it has time for."""

    name: str
    method: str
    splits: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    is_private: bool = True


def plan(peers: Sequence[Peer], epsilons: Sequence[str]) -> list[list[Any]]:
    """What the script is asked for; without privacy, once."""
    listed = []
    for peer in peers:
        for epsilon in map(float, epsilons if peer.is_private else ["0"]):
            listed += [[peer.name, peer.method, epsilon, split, dict(peer.settings)] for split in range(peer.splits)]
    return listed


@contextmanager
def started(problem: Problem, bins: NDArray[np.intp], levels: list[int], asked: list[list[Any]]) -> Iterator[Answers]:
    """Peers at work beside us; what is given gives their scores and seconds when they are done."""
    if not PYTHON.exists():
        sys.exit("The peers are not installed: make .venv-peers-learn/ready")
    with TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "problem.npz", **arrays(problem, bins, levels, max(each[3] for each in asked) + 1))
        (folder / "plan.json").write_text(json.dumps(asked))
        with subprocess.Popen([PYTHON, "-W", "ignore", SCRIPT, folder], stdout=subprocess.DEVNULL) as running:

            def done() -> tuple[dict[str, Floats], dict[str, float]]:
                if running.wait():
                    sys.exit("The peers failed.")
                return dict(np.load(folder / "scores.npz")), json.loads((folder / "seconds.json").read_text())

            try:
                yield done
            finally:
                running.kill()


def arrays(problem: Problem, bins: NDArray[np.intp], levels: list[int], splits: int) -> dict[str, Any]:
    """The rows and splits of a problem as the script reads them."""
    column = problem.rows.column
    places = {name: {value: place for place, value in enumerate(values)} for name, values in problem.keys.items()}
    keys = [[places[name][value] for value in column(name).to_pylist()] for name in problem.keys]
    ends = np.array(list(problem.numbers.values()), float)
    found = {
        "numbers": np.column_stack([column(name).to_numpy() for name in problem.numbers]).astype(float),
        "low": ends[:, 0],
        "high": ends[:, 1],
        "skewed": np.array([name in problem.skewed for name in problem.numbers]),
        "keys": np.array(keys).T,
        "sizes": np.array([len(values) for values in problem.keys.values()]),
        "bins": bins,
        "levels": np.array(levels),
        "target": problem.truth,
        "is_regression": np.array(problem.is_regression),
        "ends": np.array(problem.values if problem.is_regression else (0, 1), float),
    }
    for split in range(splits):
        found[f"train{split}"], found[f"test{split}"] = problem.split(split)
    return found
