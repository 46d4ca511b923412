"""Figures of composition: bounds against the number of releases, and privacy regions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tacit.errors import Refused
from tacit.loss.families.approx import Approx
from tacit.loss.families.precision import Bracket

_STYLES = {"basic": ":", "advanced": "-.", "KOV closed form": "--", "exact": "-"}


def draw_comparison(file: Path, part: Approx, rows: Sequence[tuple[int, Mapping[str, float]]]) -> None:
    """ε against the number of releases, one line for each bound."""
    canvas, axes = empty_axes()
    for name in rows[0][1]:
        counts, values = [count for count, _ in rows], [bounds[name] for _, bounds in rows]
        axes.plot(counts, values, _STYLES[name], label=name, lw=2.4 if name == "exact" else 1.6)
    axes.set(xlabel="number of releases", ylabel="ε of all together", title=f"Each release: {part}")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    save_figure(canvas, file)


def draw_regions(file: Path, part: Approx, curves: Mapping[int, Sequence[tuple[float, float]]]) -> None:
    """The least miss rate at each false-alarm rate, one curve for each number of releases."""
    canvas, axes = empty_axes()
    colours = plt.get_cmap("viridis")
    for place, (count, corners) in enumerate(curves.items()):
        colour = colours(0.9 * place / max(1, len(curves) - 1))
        alarms, misses = zip(*corners, strict=True)
        axes.plot(alarms, misses, color=colour, lw=2, label=f"after {count} release{'s' if count > 1 else ''}")
    axes.plot([0, 1], [1, 0], color="grey", lw=1, ls=":", label="a blind guess")
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="false alarms", ylabel="misses", aspect="equal")
    axes.set_title(f"What a test of membership can reach\neach release: {part}")
    axes.legend(frameon=False)
    save_figure(canvas, file)


def draw_profile(file: Path, releases: Sequence[str], brackets: Sequence[tuple[float, Bracket]]) -> None:
    """ε against δ, as a band between the two certified ends."""
    canvas, axes = empty_axes()
    deltas = [delta for delta, _ in brackets]
    axes.fill_between(deltas, [b.lower for _, b in brackets], [b.upper for _, b in brackets], alpha=0.35)
    axes.plot(deltas, [b.upper for _, b in brackets], lw=2, label="certified upper end")
    axes.plot(deltas, [b.lower for _, b in brackets], lw=1, ls="--", label="certified lower end")
    axes.set(xscale="log", xlabel="δ", ylabel="ε", title="\n".join(releases[:4]))
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    save_figure(canvas, file)


def draw_calibration(
    file: Path, name: str, target: float, found: float, costs: Sequence[tuple[float, Bracket]]
) -> None:
    """ε against the calibrated parameter, with the target and the value found."""
    canvas, axes = empty_axes()
    axes.plot([value for value, _ in costs], [bracket.upper for _, bracket in costs], lw=2)
    axes.axhline(target, color="grey", lw=1, ls=":")
    axes.plot([found], [target], "o", color="C3")
    axes.annotate(f"{name} = {found:.4g}", (found, target), (8, 8), textcoords="offset points")
    axes.set(xlabel=name, ylabel="ε of all together", title=f"Where ε = {target:g} is kept")
    axes.set_ylim(bottom=0)
    save_figure(canvas, file)


def empty_axes() -> tuple[Figure, Axes]:
    """An empty figure of the usual size."""
    canvas, axes = plt.subplots(figsize=(6, 5), layout="constrained")
    axes.spines[["top", "right"]].set_visible(False)
    return canvas, axes


def save_figure(canvas: Figure, file: Path) -> None:
    """The figure as a PNG or SVG file; refused where it cannot be written."""
    if file.suffix.lower() not in {".png", ".svg"}:
        raise Refused(f"a figure in {file.name}", "Its ending is neither .png nor .svg.", "region.png, region.svg.")
    try:
        canvas.savefig(file, dpi=150)
    except OSError as error:
        why = f"The file cannot be written: {error.strerror}."
        raise Refused(f"a figure in {file}", why, "a file in a folder that exists.") from None
    finally:
        plt.close(canvas)
