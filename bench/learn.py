"""Models beside peers at δ = 1e-5: Adult, Census-Income KDD and Diamonds, on the same splits; then flights by plane.

Settings are fixed beforehand (`bench.learn_settings`). Those of classifiers were chosen on a part of Census-Income, of
ours and of peers: on Adult they are from another data set, and on Census-Income all are favoured alike. Regressions
have their defaults; ours were chosen on flights. Peers have fewer splits than ours, as the tables say, and gaps are
means over the splits that both have. All seconds are of CPU.

`python -m bench.learn adult` (census, diamonds, flights) runs a part.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from bench.claims import Claim, report
from bench.learn_compare import Comparison, Model
from bench.learn_data import adult, census, diamonds
from bench.learn_peers import Peer
from bench.learn_person import person_level

EPSILONS = ("0.1", "1", "8")
SPLITS, SOME, FEW = 10, 5, 3
ADDITIVE = Model("Tacit additive")
TUNED_EBM = {"rate": 0.1, "rounds": 300}
DIFFPRIVLIB = {"C": 0.01}
ON_BINS = {"of": "bins", "epochs": 20, "batch": 1024, "rate": 0.02}
LARGE = {"epochs": 10, "batch": 4096, "rate": 0.02}  # about as many steps on six times the rows


def adult_comparison() -> Comparison:
    """Accuracy is what the claims are about."""
    peers = (
        Peer("diffprivlib logistic", "diffprivlib", FEW, DIFFPRIVLIB),
        Peer("Opacus logistic", "opacus", FEW),
        Peer("Opacus on our bins", "opacus", SOME, ON_BINS),
        Peer("DP-EBM, default", "dp_ebm", FEW),
        Peer("DP-EBM, tuned", "dp_ebm", SOME, TUNED_EBM),
        Peer("logistic", "plain", FEW, is_private=False),
        Peer("logistic on our bins", "plain", FEW, {"of": "bins"}, is_private=False),
        Peer("boosting", "boosting", FEW, is_private=False),
    )
    aims = {"0.1": 0.8468, "1": 0.8575, "8": 0.8586}
    title = "Adult: who earns more"
    return Comparison(title, adult(), (ADDITIVE,), peers, EPSILONS, SPLITS, ("accuracy", "AUC"), aims, 0.5)


def census_comparison() -> Comparison:
    """The area under the curve: one in sixteen earns more."""
    peers = (
        Peer("diffprivlib logistic", "diffprivlib", FEW, DIFFPRIVLIB),
        Peer("Opacus logistic", "opacus", FEW, LARGE),
        Peer("Opacus on our bins", "opacus", FEW, {"of": "bins", **LARGE}),
        Peer("DP-EBM, default", "dp_ebm", FEW),
        Peer("DP-EBM, tuned", "dp_ebm", FEW, TUNED_EBM),
        Peer("boosting", "boosting", FEW, is_private=False),
        Peer("logistic on our bins", "plain", FEW, {"of": "bins"}, is_private=False),
    )
    aims = {"0.1": 0.917, "8": 0.940}
    title = "Census-Income KDD: who earns more"
    return Comparison(title, census(), (ADDITIVE,), peers, EPSILONS, SPLITS, ("AUC",), aims)


def diamonds_comparison() -> Comparison:
    """The root of the mean squared error; claims are about the linear model."""
    peers = (
        Peer("diffprivlib linear", "diffprivlib", SPLITS),
        Peer("Opacus linear", "opacus", FEW),
        Peer("Opacus on our bins", "opacus", FEW, {"of": "bins"}),
        Peer("DP-EBM, default", "dp_ebm", FEW),
        Peer("DP-EBM, tuned", "dp_ebm", FEW, TUNED_EBM),
        Peer("linear", "plain", FEW, is_private=False),
        Peer("boosting", "boosting", FEW, is_private=False),
    )
    aims = {"0.1": 0.550, "1": 0.206, "8": 0.139}
    title = "Diamonds: logarithm of the price"
    ours = (Model("Tacit linear", "linear"), ADDITIVE)
    return Comparison(title, diamonds(), ours, peers, EPSILONS, SPLITS, ("RMSE",), aims)


PARTS: dict[str, Callable[[], tuple[Table, list[Claim]]]] = {
    "adult": lambda: adult_comparison().run(),
    "census": lambda: census_comparison().run(),
    "diamonds": lambda: diamonds_comparison().run(),
    "flights": person_level,
}


def main(names: Sequence[str] = ()) -> None:
    """Fit, judge, print."""
    console, claims = Console(width=140), list[Claim]()
    for name in names or PARTS:
        table, held = PARTS[name]()
        console.print(table)
        claims += held
    report("Models", claims)


if __name__ == "__main__":
    main(sys.argv[1:])
