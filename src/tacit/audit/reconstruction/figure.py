"""The share of people recovered as a picture: against noise, and with the ledger on and off."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tacit.audit.reconstruction.study import Recovery

_COLOURS = ("#31688e", "#35b779", "#b5a20b", "#440154", "#d1495b")


def draw_recovery(
    path: Path, shown: tuple[int, int], blind: float, by_noise: Sequence[Recovery], by_ledger: tuple[Recovery, Recovery]
) -> None:
    """Two panels side by side; the dotted line is what giving everybody the commoner value gets.

    `shown` is how many people the curves are about, and of how many they were taken.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, PercentFormatter

    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    panels = (
        (left, by_noise, "noise of a count (standard deviation over √n)"),
        (right, by_ledger, "number of answers"),
    )
    for axes, curves, label in panels:
        for colour, curve in zip(_COLOURS, curves, strict=False):
            axes.plot(curve.places, curve.shares, "o-", color=colour, linewidth=2, markersize=4, label=curve.name)
        name = f"guessing the commoner value for all ({blind:.0%})"
        axes.axhline(blind, color="black", linestyle=":", linewidth=1.5, label=name)
        lowest = min(0.5, blind, *(share for each in (*by_noise, *by_ledger) for share in each.shares))
        axes.set(xscale="log", xlabel=label, ylim=(max(0.0, lowest - 0.08), 1.02))
        axes.set_xticks(sorted({place for curve in curves for place in curve.places}), minor=False)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda place, _: f"{place:g}"))
        axes.minorticks_off()
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=9)
    left.set_ylabel("people whose secret is recovered")
    left.set_title("Every count noised alone", loc="left", fontsize=11)
    right.set_title("With the ledger off and on", loc="left", fontsize=11)
    people, attacked = shown
    without, guarded = (round(each.shares[-1] * people) for each in by_ledger)
    blindly = round(blind * people)
    than = "as many as" if guarded == blindly else "fewer than" if guarded < blindly else "more than"
    which = f"{people:,}" if people == attacked else f"{people:,} (of the {attacked:,})"
    title = f"{without:,} of {which} people exposed without a ledger; with one, {guarded:,}"
    figure.suptitle(f"{title}: {than} the {blindly:,} that guessing gets", fontsize=12)
    figure.savefig(path, dpi=150)
