"""`python -m bench workloads`: the best noise for many linear questions, both ends certified, beside naive ways.

Everything is public: no data are read. Errors are total variances at one price, as ratios. Time is that of a process
with one thread, because waiting BLAS threads would count as processor time on a shared machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from time import process_time

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bench.claims import Claim, report
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Relation
from tacit.mechanisms.continual.continual_sum import ContinualSum
from tacit.workload.factorisation.optimal_strategy import OptimalStrategy, optimal_strategy
from tacit.workload.factorisation.question_matrix import QuestionMatrix
from tacit.workload.linear.naive_ways import binary_tree, noise_on_answers, noise_on_cells

Integers = NDArray[np.int64]


def prefixes(cells: int) -> Integers:
    return np.tril(np.ones((cells, cells), np.int64))


def all_ranges(cells: int) -> Integers:
    places = np.arange(cells)
    low, high = np.triu_indices(cells)
    return ((low[:, None] <= places) & (places <= high[:, None])).astype(np.int64)


def random_ranges(questions: int, cells: int) -> Integers:
    ends = np.sort(np.random.default_rng(1).integers(0, cells, (questions, 2)), axis=1)
    places = np.arange(cells)
    return ((ends[:, :1] <= places) & (places <= ends[:, 1:])).astype(np.int64)


def random_subsets(questions: int, cells: int) -> Integers:
    return (np.random.default_rng(1).random((questions, cells)) < 0.5).astype(np.int64)


CASES: dict[str, Callable[[], Integers]] = {
    "prefix 256": lambda: prefixes(256),
    "prefix 1024": lambda: prefixes(1024),
    "all ranges 256": lambda: all_ranges(256),
    "2,000 ranges × 1024": lambda: random_ranges(2000, 1024),
    "500 subsets × 1024": lambda: random_subsets(500, 1024),
    "prefix 32 × 32": lambda: np.kron(prefixes(32), prefixes(32)),
    "2,000 ranges × 4096": lambda: random_ranges(2000, 4096),
}


def measured(rows: Integers) -> tuple[QuestionMatrix, OptimalStrategy, float]:
    """The questions, their strategy with both ends certified, and the seconds of processor time."""
    begin = process_time()
    questions = QuestionMatrix.of(rows)
    best = optimal_strategy(questions)
    assert best.ratio_up >= 1
    return questions, best, process_time() - begin


def toeplitz_ratio(cells: int, best: OptimalStrategy) -> float:
    """The ratio of the total variance of continual counting to the least."""
    stream = ContinualSum.for_loss(Gdp(1), cells, Relation.ADD_REMOVE)
    return float((stream.deviations() ** 2).sum() / float(best.optimum_down))


def main() -> None:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-m", "bench.workloads"], env=environment, check=True)


def measure() -> None:
    table = Table(title="Total variance as a multiple of the certified least of any Gaussian noise")
    for column in ("questions", "cells", "ours", "cells, added", "each answer", "binary tree", "√Toeplitz", "CPU s"):
        table.add_column(column)
    ratios, seconds, streams = {}, {}, {}
    for name in CASES:
        questions, best, seconds[name] = measured(CASES[name]())
        least, tree = float(best.optimum_down), binary_tree(questions)
        naive = [noise_on_cells(questions), noise_on_answers(questions)]
        shown = [f"{float(variances.sum()) / least:.3g}" for variances in naive]
        shown.append("" if tree is None else f"{float(tree.sum()) / least:.3g}")
        stream = toeplitz_ratio(questions.cells, best) if name in ("prefix 256", "prefix 1024") else None
        shown.append("" if stream is None else f"{stream:.4f}")
        if stream is not None:
            streams[name] = stream
        ratios[name] = best.ratio_up
        table.add_row(name, f"{questions.cells:,}", f"{best.ratio_up:.5f}", *shown, f"{seconds[name]:.1f}")
    Console(width=140).print(table)
    report("Workloads", _claims(ratios, seconds, streams))


def _claims(ratios: dict[str, float], seconds: dict[str, float], streams: dict[str, float]) -> list[Claim]:
    """Ratios to the certified least, and times relative to their limits."""
    claims = []
    for name, ratio in ratios.items():
        target = 1.01 if "4096" in name else 1.001
        claims.append(Claim(f"{name}: error to the least", ratio, target, True, f"{ratio:.5f}, certified"))
    for name, most in (("prefix 1024", 10), ("2,000 ranges × 4096", 180)):
        if name in seconds:
            claims.append(Claim(f"{name}: time", seconds[name] / most, 1, True, f"{seconds[name]:.1f} of {most} s"))
    for name, ratio in streams.items():
        claims.append(Claim(f"{name}: as it arrives", ratio, 1.14, True, f"{ratio:.4f}, certified"))
    return claims


if __name__ == "__main__":
    measure()
