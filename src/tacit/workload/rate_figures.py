"""Figures of errors against the number of people, by model of privacy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tacit.loss.plans.account_figures import empty_axes, save_figure
from tacit.workload.rates import Reached


def draw_rates(file: Path, rows: Sequence[tuple[int, Sequence[Reached]]], title: str) -> None:
    """Our errors as lines, the rates below them dotted."""
    canvas, axes = empty_axes()
    people = [each for each, _ in rows]
    for place, model in enumerate(rows[0][1]):
        label = f"{model.guarantee}: {model.mechanism}"
        axes.plot(people, [found[place].error for _, found in rows], color=f"C{place}", lw=2, label=label)
        axes.plot(people, [found[place].rate for _, found in rows], color=f"C{place}", lw=1, ls=":")
    axes.plot([], [], color="grey", lw=1, ls=":", label="its rate, without constants")
    axes.axhline(0.5, color="grey", lw=1, ls="--", label="the guess “one half”")
    axes.set(xscale="log", yscale="log", xlabel="people", ylabel="error of all answers at once, share", title=title)
    axes.legend(frameon=False, fontsize="small")
    save_figure(canvas, file)


def draw_models(file: Path, rows: Sequence[tuple[int, Mapping[str, float]]], title: str) -> None:
    """The root mean squared error of a share, one line a model."""
    canvas, axes = empty_axes()
    for name in rows[0][1]:
        axes.plot([people for people, _ in rows], [errors[name] for _, errors in rows], lw=2, label=name)
    axes.set(xscale="log", yscale="log", xlabel="people", ylabel="root mean squared error of a share", title=title)
    axes.legend(frameon=False)
    save_figure(canvas, file)
