"""How settings of peers were chosen: candidates on part of Census-Income, of Adult's size, at ε = 1, by AUC.

`python -m bench.learn_settings` prints what each candidate reaches; the best of a method is what `bench.learn` fixes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from rich.console import Console

from bench.learn_compare import Comparison, Model
from bench.learn_data import Problem, census
from bench.learn_peers import Peer

ROWS, TRAIN, SPLITS = 48_842, 32_561, 2
CANDIDATES: Mapping[str, list[dict[str, Any]]] = {
    "diffprivlib": [{"C": size} for size in (0.01, 1.0, 100.0)],
    "opacus": [
        {"of": of, "epochs": epochs, "batch": batch, "rate": rate}
        for of in ("dense", "bins")
        for epochs, batch, rate in (
            (10, 1024, 0.02),
            (20, 1024, 0.02),
            (20, 2048, 0.05),
            (40, 4096, 0.05),
            (5, 512, 0.01),
        )
    ],
    "dp_ebm": [
        {"rate": rate, "rounds": rounds}
        for rate, rounds in ((0.01, 300), (0.03, 300), (0.1, 300), (0.1, 50), (0.3, 50), (0.3, 20))
    ],
}


def small_census() -> Problem:
    """As many rows as Adult has."""
    whole = census()
    order = np.random.default_rng(1994).permutation(whole.rows.num_rows)[:ROWS]
    return replace(whole, rows=whole.rows.take(order), train=TRAIN)


def main() -> None:
    peers = [
        Peer(f"{method} {settings}", method, SPLITS, settings)
        for method, candidates in CANDIDATES.items()
        for settings in candidates
    ]
    ours = (Model("Tacit additive"), Model("Tacit logistic, gradient", "logistic", {"by": "gradient"}))
    found = Comparison("Settings", small_census(), ours, tuple(peers), ("1",), SPLITS, ("AUC", "accuracy"), {})
    Console(width=180).print(found.run()[0])


if __name__ == "__main__":
    main()
