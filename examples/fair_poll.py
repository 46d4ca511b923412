"""A poll on real answers to a sensitive question: who had an affair, asked so that nobody has to trust the pollster.

Fair's survey of 1974 (6,366 married women, as `statsmodels` ships it) stands for the truth. Each woman is asked again
by several designs, answers by chance as the design tells her, and the poll sees her report alone. It should find the
share without ever having seen an answer, and the wider its interval, the better its design protects.

    python examples/fair_poll.py [figure.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacit.local.polls.designs.design import OneSample
from tacit.local.polls.designs.randomized_response import ForcedDesign, Kuk, WarnerDesign
from tacit.local.polls.estimation.logistic_regression import logistic
from tacit.local.polls.estimation.prevalence import Prevalence
from tacit.noise.bits import ENTROPY, Bits

DESIGNS: list[tuple[str, WarnerDesign | ForcedDesign | Kuk]] = [
    ("truth with probability 3/4", WarnerDesign("3/4")),
    ("the die: 4 truth, 1 yes, 1 no", ForcedDesign("4/6", "1/6", "1/6")),
    ("two decks, 80% and 20% red", Kuk("4/5", "1/5")),
    ("truth with probability 0.62", WarnerDesign.within("1/2")),
    ("truth with probability 0.98", WarnerDesign.within(4)),
]


def answers() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Whether each woman had an affair; her rating of the marriage (5 is best) and its years."""
    from statsmodels.datasets import fair

    data = fair.load_pandas().data
    return (data.affairs > 0).to_numpy().astype(np.int64), data[["rate_marriage", "yrs_married"]].to_numpy(np.float64)


def ask(truth: NDArray[np.int64], bits: Bits = ENTROPY) -> list[tuple[str, OneSample, Prevalence]]:
    """The same people polled by every design."""
    return [(name, design, design.estimate(design.table.draw_many(truth, bits))) for name, design in DESIGNS]


def draw(path: Path, share: float, polls: list[tuple[str, OneSample, Prevalence]]) -> None:
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    ax = figure.subplots()
    ax.axvline(share, color="#777", linestyle="--", linewidth=1)
    ax.annotate("what the answers say", (share, -0.75), (4, 0), textcoords="offset points", color="#555", fontsize=9)
    for place, (_, _, found) in enumerate(polls):
        ax.plot(found.interval(), [place, place], color="#31688e", linewidth=3, solid_capstyle="butt")
        ax.plot([found.value], [place], "o", color="#1b1b1b", markersize=6)
    words = [f"{name}\nε = {design.protection.epsilon:.2f}" for name, design, _ in polls]
    ax.set_yticks(range(len(polls)), words, fontsize=9)
    ax.set_ylim(len(polls) - 0.5, -1)
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.set_xlabel("estimated share who had an affair, 95% intervals")
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    figure.savefig(path, dpi=150)


def main(figure: Path | None) -> None:
    truth, about = answers()
    print(f"Of {truth.size:,} women {truth.mean():.1%} had an affair. Polls that never saw an answer say:")
    polls = ask(truth)
    for name, design, found in polls:
        print(f"  {name:30} {design.protection!s:18} {found.describe()}")
    reports = WarnerDesign("3/4").table.draw_many(truth, ENTROPY)
    print("What goes with it, from reports told truly with probability 3/4:")
    print(logistic(WarnerDesign("3/4").channel, reports, about, ["rating of the marriage", "years married"]))
    if figure is not None:
        draw(figure, float(truth.mean()), polls)
        print(f"Drawn to {figure}.")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
