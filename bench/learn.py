"""Models beside peers: Adult, Census-Income KDD and Diamonds, on the same splits in one run, at δ = 1e-5.

Settings are fixed beforehand. Those of classifiers were chosen on Census-Income, ours and peers', so on Adult they are
from another data set, and on Census-Income all are favoured alike. Those of regressions were chosen on flights, or are
the defaults. Peers that are slow have three splits instead of ten. All seconds are of CPU.
"""

from __future__ import annotations

import sys

from rich.console import Console

from bench.claims import Claim, report
from bench.learn_compare import Comparison, Model
from bench.learn_data import adult, census, diamonds
from bench.learn_peers import Peer

EPSILONS = ("0.1", "1", "8")
SPLITS, FEW = 10, 3
COMPARISONS = {
    "adult": lambda: Comparison(
        "Adult: who earns more",
        adult(),
        (Model("Tacit additive"),),
        (
            Peer("diffprivlib logistic", "diffprivlib", SPLITS),
            Peer("Opacus logistic", "opacus", SPLITS),
            Peer("Opacus on our bins", "opacus", SPLITS, {"of": "bins"}),
            Peer("DP-EBM", "dp_ebm", SPLITS),
            Peer("logistic", "plain", SPLITS, is_private=False),
            Peer("logistic on our bins", "plain", SPLITS, {"of": "bins"}, is_private=False),
            Peer("boosting", "boosting", SPLITS, is_private=False),
        ),
        EPSILONS,
        SPLITS,
        ("accuracy", "AUC"),
        {"0.1": 0.8468, "1": 0.8575, "8": 0.8586},
    ),
    "census": lambda: Comparison(
        "Census-Income KDD: who earns more",
        census(),
        (Model("Tacit additive"),),
        (
            Peer("diffprivlib logistic", "diffprivlib", FEW),
            Peer("Opacus logistic", "opacus", FEW),
            Peer("Opacus on our bins", "opacus", FEW, {"of": "bins"}),
            Peer("DP-EBM", "dp_ebm", FEW),
            Peer("logistic on our bins", "plain", FEW, {"of": "bins"}, is_private=False),
            Peer("boosting", "boosting", FEW, is_private=False),
        ),
        EPSILONS,
        SPLITS,
        ("AUC",),
        {"0.1": 0.917, "8": 0.940},
    ),
    "diamonds": lambda: Comparison(
        "Diamonds: logarithm of the price",
        diamonds(),
        (Model("Tacit linear", "linear"), Model("Tacit additive")),
        (
            Peer("diffprivlib linear", "diffprivlib", SPLITS),
            Peer("Opacus linear", "opacus", FEW),
            Peer("Opacus on our bins", "opacus", FEW, {"of": "bins"}),
            Peer("DP-EBM", "dp_ebm", FEW),
            Peer("linear", "plain", SPLITS, is_private=False),
            Peer("boosting", "boosting", SPLITS, is_private=False),
        ),
        EPSILONS,
        SPLITS,
        ("RMSE",),
        {"0.1": 0.550, "1": 0.206, "8": 0.139},
    ),
}


def main() -> None:
    """Fit, judge, print."""
    console, claims = Console(width=140), list[Claim]()
    for name in sys.argv[2:] or COMPARISONS:
        table, held = COMPARISONS[name]().run()
        console.print(table)
        claims += held
    report("Models", claims)


if __name__ == "__main__":
    main()
