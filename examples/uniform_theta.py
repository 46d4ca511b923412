"""Exercise 7.36: how well is θ known from Uniform[0, θ], by those who see the sample and by those who must not.

Four ways to the same number, for n people whose values lie in [0, θ], θ ≤ 1 unknown:

- sample: whoever sees the values takes the largest, times (n+1)/n; the error falls like 1/n.
- central, ε-private: a curator selects a point that about k people exceed (exponential mechanism; k covers the noise)
  and multiplies by n/(n−k); the error falls like 1/(nε) too.
- local, ε-private: everyone reports on their own value; twice the mean, with an error like 1/(ε√n).
- statistical queries, ε-local: bisection asks what share lies beyond u, each query put to fresh people.

The exercise's own first ideas, the largest value plus Laplace noise and the largest of noised values, are in the table:
noise of the size of the answer does not average out of a maximum.

    python examples/uniform_theta.py            a table, and the figure uniform_theta.png
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from math import ceil, log, log2
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacit.local.means.mean_estimate import population_error
from tacit.local.means.optimal_mean import best_mean
from tacit.local.statistical_queries import LocalOracle, Rehearsed
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.selection.candidates import Exponential
from tacit.noise.bits import Seeded

THETA, EPSILON, RUNS = 0.6, 1, 30
SIZES = (300, 1_000, 3_000, 10_000, 30_000, 100_000)
POINTS = 1 << 14  # where the curator looks
MISS = Fraction(1, 20)

Floats = NDArray[np.float64]
Estimator = Callable[[Floats, Seeded], float]


def by_sample(values: Floats, bits: Seeded) -> float:
    return float(values.max()) * (values.size + 1) / values.size


def by_curator(values: Floats, bits: Seeded) -> float:
    beyond = ceil(2 / EPSILON * log(POINTS * values.size))  # or a point beyond θ is chosen once in n times
    points = np.arange(1, POINTS + 1) / POINTS
    exceeding = values.size - np.searchsorted(np.sort(values), points, "right")
    selection = Exponential.for_loss(Pure(EPSILON), POINTS, 1, Relation.REPLACE)
    found = int(selection.rehearse(-np.abs(exceeding - beyond), bits).value)
    return float(points[found]) * values.size / max(1, values.size - beyond)


def by_reports(values: Floats, bits: Seeded) -> float:
    response = best_mean(EPSILON)
    reports = response.rehearse(2 * values - 1, bits)
    return response.estimate(reports).value + 1


def by_queries(values: Floats, bits: Seeded) -> float:
    steps, tolerance = affordable(values.size)
    oracle = LocalOracle(Rehearsed(values, bits), EPSILON, tolerance, steps, MISS)
    share = float(tolerance) / 2  # a query is ±1, so that a share is known to half its tolerance
    low, high = 0.0, 1.0
    for _ in range(steps):
        middle = (low + high) / 2
        beyond = (1 + oracle.ask(lambda x, u=middle: np.where(x >= u, 1.0, -1.0))) / 2
        low, high = (middle, high) if beyond > share else (low, middle)
    return min(1.0, (low + high) / 2 / (1 - min(share, 0.5)))


def affordable(people: int) -> tuple[int, Fraction]:
    """As many steps of bisection as the tolerance deserves that so many people, shared out among the steps, allow."""
    steps = 1
    while True:
        tolerance = population_error(best_mean(EPSILON), people // steps, 1 - MISS / steps)
        if steps >= log2(4 / tolerance):
            return steps, tolerance
        steps += 1


def largest_plus_noise(values: Floats, bits: Seeded) -> float:
    return float(Laplace.for_reals(EPSILON, 1, Relation.REPLACE).rehearse(float(values.max()), bits).value)


def largest_of_noised(values: Floats, bits: Seeded) -> float:
    noise = Laplace.for_reals(EPSILON, 1, Relation.REPLACE)
    return float(np.max(values + noise.law.draw(values.size, bits) * float(noise.step)))


WAYS: dict[str, Estimator] = {
    "sample": by_sample,
    "central": by_curator,
    "local": by_reports,
    "queries": by_queries,
}
FIRST_IDEAS: dict[str, Estimator] = {"largest + noise": largest_plus_noise, "largest of noised": largest_of_noised}


def error(way: Estimator, people: int, runs: int = RUNS) -> float:
    """The root mean square error over seeded samples: the same samples for every way."""
    found = []
    for run in range(runs):
        values = np.random.default_rng([people, run]).uniform(0, THETA, people)
        found.append(way(values, Seeded(people + run)) - THETA)
    return float(np.sqrt(np.mean(np.square(found))))


def draw(errors: dict[str, list[float]], sizes: tuple[int, ...], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = {
        "sample": "sample: the largest value",
        "central": "central: exponential mechanism",
        "local": "local: twice the mean",
        "queries": "statistical queries, local",
    }
    figure, axes = plt.subplots(figsize=(7.5, 4.8), layout="constrained")
    for (way, line), mark in zip(errors.items(), "os^D", strict=True):
        axes.loglog(sizes, line, marker=mark, markersize=5, linewidth=1.8, label=names[way])
    axes.set(xlabel="people, n", ylabel="root mean square error of θ")
    axes.set_title(
        f"Uniform[0, θ], θ = {THETA}, ε = {EPSILON}: who may see what decides the rate", loc="left", fontsize=11
    )
    axes.grid(which="major", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower left")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(path: Path, sizes: tuple[int, ...] = SIZES, runs: int = RUNS) -> dict[str, list[float]]:
    errors = {name: [error(way, people, runs) for people in sizes] for name, way in (WAYS | FIRST_IDEAS).items()}
    print(f"root mean square error of θ = {THETA} at ε = {EPSILON}, {runs} samples each")
    print("n".rjust(18) + "".join(f"{people:>10,}" for people in sizes))
    for name, line in errors.items():
        print(name.rjust(18) + "".join(f"{value:>10.2g}" for value in line))
    draw({name: errors[name] for name in WAYS}, sizes, path)
    print(f"figure: {path}")
    return errors


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "uniform_theta.png"))
