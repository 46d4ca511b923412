"""The curves of membership attacks as a picture, on logarithmic axes: what matters is who is found with certainty."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tacit.audit.membership.played import Played
from tacit.exact import Number, nonnegative, probability

_COLOURS = ("#31688e", "#d1495b", "#35b779", "#440154", "#b5a20b")
_ALARMS = 0.01


def draw_curves(
    path: Path, games: Mapping[str, Played], epsilon: Number | None = None, delta: Number = 0, least: float = 1e-4
) -> None:
    """Members found against false alarms; shaded what no attack on an (ε, δ)-private release can reach.

    The title says how many of 100 members each game exposes where one of 100 others is taken for a member.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 5.2), layout="constrained")
    axes = figure.subplots()
    rates = np.logspace(np.log10(least), 0, 400)
    for colour, (name, played) in zip(_COLOURS, games.items(), strict=False):
        alarms, hits = played.curve()
        reached = hits[np.searchsorted(alarms, rates, side="right") - 1]
        axes.plot(rates, np.maximum(reached, least), color=colour, linewidth=2, label=name)
    axes.plot(rates, rates, color="grey", linestyle=":", linewidth=1, label="a blind guess")
    if epsilon is not None:
        level, slack = float(nonnegative(epsilon, "epsilon")), float(probability(delta, "delta"))
        most = np.minimum(np.exp(level) * rates + slack, 1 - np.exp(-level) * (1 - slack - rates))
        axes.fill_between(rates, np.clip(most, least, 1), 1, color="#d9d9d9", label=f"out of reach at ε = {level:g}")
    axes.set(xscale="log", yscale="log", xlim=(least, 1), ylim=(least, 1))
    axes.set(xlabel="others taken for members", ylabel="members found", aspect="equal")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=9, loc="lower right")
    axes.set_title(_conclusion(games), fontsize=12)
    figure.savefig(path, dpi=150)


def _conclusion(games: Mapping[str, Played]) -> str:
    (first, bare), *others = games.items()
    rest = "".join(f",\n{round(100 * played.found(_ALARMS))} by {name}" for name, played in others)
    head = f"{round(100 * bare.found(_ALARMS))} of 100 members exposed by {first}"
    return f"{head}{rest}\n(1 of 100 others wrongly taken for one)"
