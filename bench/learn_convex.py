"""Convex models: accuracy on Adult of the three ways at five prices, and the time of a fit.

Adult's own split of training and test rows, the bins of `bench.learn_adult`; each price is paid five times.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bench.claims import Claim, report
from bench.learn_adult import DELTA, SQL, area, opened
from bench.learn_adult import test_columns as held_out
from tacit.curator.dataset import Dataset

REPEATS = 5
AIMS = {  # float prototypes on dense columns, which are no releases
    "output": {"0.1": 0.779, "0.5": 0.785, "1": 0.797, "3": 0.818, "8": 0.824},
    "objective": {"0.1": 0.831, "0.5": 0.844, "1": 0.846, "3": 0.847, "8": 0.847},
    "gradient": {"0.1": 0.8468, "0.5": 0.8565, "1": 0.8575, "3": 0.8585, "8": 0.8586},
}


def main() -> None:
    """Fit, judge, print."""
    columns, truth = held_out()
    table = Table("way", "ε", "accuracy", "± s.e.", "AUC", "seconds of CPU", title="Adult, logistic, δ = 1e-5")
    claims = []
    with opened() as data:
        for way, aims in AIMS.items():
            for epsilon, aim in aims.items():
                found = np.array([_fit(data, way, epsilon, columns, truth) for _ in range(REPEATS)])
                accuracy, auc, seconds = found.mean(axis=0)
                error = float(found[:, 0].std(ddof=1) / REPEATS**0.5)
                table.add_row(way, epsilon, f"{accuracy:.4f}", f"{error:.4f}", f"{auc:.4f}", f"{seconds:.2f}")
                detail = f"{accuracy:.4f} ± {error:.4f} to {aim:.4f}; two standard errors are let in"
                ratio = float((accuracy + 2 * error) / aim)
                claims.append(Claim(f"accuracy by {way} at ε = {epsilon} to prototypes", ratio, 1.0, False, detail))
    Console().print(table)
    report("Convex models", claims)


def _fit(
    data: Dataset, way: str, epsilon: str, columns: dict[str, Sequence[object]], truth: NDArray[np.bool_]
) -> tuple[float, float, float]:
    begun = process_time()
    model = data.learn(SQL, target="income", model="logistic", by=way, epsilon=epsilon, delta=DELTA, fresh=True).model
    seconds = process_time() - begun
    chances = model.probabilities(columns)
    assert chances is not None
    return float(((chances[:, 1] > 0.5) == truth).mean()), area(truth, chances[:, 1]), seconds


if __name__ == "__main__":
    main()
