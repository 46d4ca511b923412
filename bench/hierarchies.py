"""`python -m bench hierarchies`: tables by levels of a hierarchy, beside the least error of any Gaussian noise.

Everything is public: no data are read. The tables are by region, by region and ward, and in total, over balanced and
unbalanced trees; errors are weighted total variances at one price, as ratios to a certified lower end.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bench.claims import Claim, report
from tacit.workload.factorisation.optimal_strategy import optimal_strategy
from tacit.workload.factorisation.question_matrix import QuestionMatrix
from tacit.workload.residual_basis import Weighting, best_strategy
from tacit.workload.table_estimates import TableLaw
from tacit.workload.tree import LevelTree

TREES = {
    "6 regions of 6 wards": (6,) * 6,
    "20 regions of 1 to 20 wards": tuple(range(1, 21)),
    "20 regions of 1 ward, one of 100": (*(1,) * 20, 100),
}
TARGET = 1.02


def main() -> None:
    shown = Table(title="Weighted variance over the certified least")
    for column in ("tree", "weight", "tacit", "best split between tables", "equal split", "wards alone"):
        shown.add_column(column)
    claims = []
    for name, wards in TREES.items():
        for weighting in Weighting:
            found = [f"{ratio:.3f}" for ratio in ratios(wards, weighting)]
            shown.add_row(name, weighting.value, *found)
            claims.append(
                Claim(f"{name}, by {weighting.value}", float(found[0]), TARGET, True, f"best split {found[1]}")
            )
    Console(width=140).print(shown)
    report("Hierarchies", claims)


def ratios(wards: tuple[int, ...], weighting: Weighting) -> tuple[float, ...]:
    """The error of the tables, and of naive ways, over the least."""
    regions, leaves = len(wards), sum(wards)
    parents = tuple(region for region, many in enumerate(wards) for _ in range(many))
    tree = LevelTree((0, 1), (tuple(range(regions)), tuple(range(leaves))), ((0,) * regions, parents))
    weights = [weighting.of([size]) for size in (1, regions, leaves)]
    rows = questions(parents, regions)
    least = float(optimal_strategy(QuestionMatrix.of(rows, each_weight(weights, (1, regions, leaves)))).optimum_down)
    tables = [(), (0,), (0, 1)]
    strategy = best_strategy(tables, [regions, leaves], weighting, tree=tree)
    law = TableLaw(strategy, Fraction(1), Fraction(1))
    ours = sum(float(weight) * float(law.variances(table).sum()) for weight, table in zip(weights, tables, strict=True))
    totals = [float(weight) * size for weight, size in zip(weights, (1, regions, leaves), strict=True)]
    alone = leaves * float(weights[2]) + sum(
        float(weight) * sum(many) for weight, many in ((weights[0], (leaves,)), (weights[1], wards))
    )
    best_split, equal_split = sum(total**0.5 for total in totals) ** 2, 3 * sum(totals)
    return tuple(each / least for each in (ours * float(strategy.squared_norm), best_split, equal_split, alone))


def questions(parents: tuple[int, ...], regions: int) -> NDArray[np.int64]:
    """A row for the total, for each region and for each ward, over wards."""
    by_region = np.arange(regions)[:, None] == np.array(parents)
    return np.vstack([np.ones((1, len(parents))), by_region, np.eye(len(parents))]).astype(np.int64)


def each_weight(weights: list[Fraction], sizes: tuple[int, ...]) -> tuple[Fraction, ...]:
    return tuple(weight for weight, size in zip(weights, sizes, strict=True) for _ in range(size))


if __name__ == "__main__":
    main()
