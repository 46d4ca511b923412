"""The exposures of every attack on an anonymised table, as a bar chart."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill

from tacit.audit.anonymity.attacks import AnonymityReport

_SECRET, _WORD = "#d1495b", "#31688e"


def draw_exposures(path: Path, report: AnonymityReport) -> None:
    """The share of people exposed by each attack; k-anonymity promises that it is zero."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch
    from matplotlib.ticker import PercentFormatter

    shown = report.exposures[::-1]
    figure = Figure(figsize=(10, 1.3 + 0.9 * len(shown)), layout="constrained")
    axes = figure.subplots()
    shares = [each.said / each.people for each in shown]
    colours = [_SECRET if each.is_secret else _WORD for each in shown]
    axes.barh([each.attack for each in shown], shares, 0.55, color=colours)
    most = max(max(shares), 0.01)
    for place, (each, share) in enumerate(zip(shown, shares, strict=True)):
        right = "" if each.right == each.said else f" (right about {each.right / each.said:.0%})"
        joined = f" ({each.parts})" if each.parts else ""
        words = fill(f"{each.said:,} of {each.people:,} {each.words}{joined}{right}", 52)
        axes.text(share + most / 60, place, words, va="center", fontsize=9)
    axes.set(xlim=(0, 2.1 * most), xlabel="people about whom the attack says more than the table")
    axes.set_xticks([tick for tick in axes.get_xticks() if tick <= 1.05 * most])
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(exposure_title(report), loc="left", fontsize=12)
    kinds = {_SECRET: "the secret is learned", _WORD: "a finer word is learned than was published"}
    axes.legend([Patch(color=colour) for colour in kinds], kinds.values(), frameon=False, fontsize=9, loc="upper right")
    figure.savefig(path, dpi=150)


def exposure_title(report: AnonymityReport) -> str:
    """A title: the attack that adds the largest share of exposed secrets, and the part that one table alone exposes."""
    secrets = [each for each in report.exposures if each.is_secret]
    worst = max(secrets, key=lambda each: (each.said - (each.alone or 0)) / each.people)
    parts = f" ({worst.parts})" if worst.parts else ""
    return fill(
        f"{worst.said:,} of {worst.people:,} people exposed by {worst.attack.lower()}{parts}, "
        f"though the table is {report.table.k}-anonymous",
        90,
    )
