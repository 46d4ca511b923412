"""The panels of a figure: bars with error bars, lines with bands."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from matplotlib import dates
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from tacit.printable import printable
from tacit.query.post_noise.estimates import Estimates, Floats
from tacit.release.cells import TOO_FEW
from tacit.release.layout import Bars, Lines

_COLOURS: Final = ("#2f6690", "#d1495b", "#3a8f6b", "#b8860b", "#6a4c93", "#00798c", "#8d5524", "#5c677d")
_INK: Final = "#22303c"
_BAR: Final = "#7aa0be"
_FAINT: Final = "#8a8a8a"
_STEPS: Final = (1, 2, 2.5, 5, 10)
_DATES: Final[Any] = dates  # its classes carry no types


def draw_bars(panel: Axes, shape: Bars, numbers: Estimates) -> None:
    """A bar a row, with its interval; words where there is no number."""
    places = np.arange(len(shape.labels))
    value = numbers.value[: len(places)]
    shown, missing = np.nan_to_num(value), np.isnan(value)
    errors = _errors(numbers, len(places))
    style: Any = {"color": _BAR, "error_kw": {"ecolor": _INK, "elinewidth": 1.2, "capsize": 3}}
    labels = [plain(label) for label in shape.labels]
    if shape.horizontal:
        panel.barh(places, shown, xerr=errors, height=0.7, **style)
        panel.set_yticks(places, labels)
        panel.set_ylim(len(places) - 0.4, -0.6)
    else:
        panel.bar(places, shown, yerr=errors, width=0.65, **style)
        panel.set_xticks(places, labels)
        panel.set_xlim(-0.6, len(places) - 0.4)
    for place in places[missing]:
        x, y = (0, place) if shape.horizontal else (place, 0)
        align: Any = (
            {"ha": "left", "va": "center"} if shape.horizontal else {"ha": "center", "va": "bottom", "rotation": 90}
        )
        panel.text(x, y, f" {TOO_FEW} ", color=_FAINT, fontsize=8, fontstyle="italic", **align)
    _furnish(panel, along="x" if shape.horizontal else "y")


def draw_lines(panel: Axes, shape: Lines, numbers: Estimates) -> None:
    """A line for each series, in its band; a gap where there is no number."""
    for colour, (label, rows) in zip(_COLOURS, shape.series, strict=False):
        places, value = shape.places[rows], numbers.value[rows]
        low, high = (_drawn(end[rows], value) for end in (numbers.low, numbers.high))
        panel.fill_between(places, low, high, color=colour, alpha=0.2, linewidth=0)
        marker = "o" if len(rows) <= 40 else ""
        panel.plot(places, value, color=colour, linewidth=1.6, marker=marker, markersize=3.5, label=plain(label))
    if shape.is_time:
        locator = _DATES.AutoDateLocator(minticks=3, maxticks=9)
        panel.xaxis.set_major_locator(locator)
        panel.xaxis.set_major_formatter(_DATES.ConciseDateFormatter(locator))
    elif bool((shape.places[~np.isnan(shape.places)] % 1 == 0).all()):
        panel.xaxis.set_major_locator(MaxNLocator(integer=True, steps=_STEPS))
    panel.margins(x=0.02)
    _furnish(panel, along="y")


def plain(text: str) -> str:
    """The text with no mark that a figure would read as a formula, or that could not be printed."""
    return printable(text).replace("$", r"\$")


def _errors(numbers: Estimates, size: int) -> Floats:
    """How far each interval reaches below and above its number; nothing where there is none or it has no end."""
    value = numbers.value[:size]
    reach = np.stack([value - numbers.low[:size], numbers.high[:size] - value])
    return np.where(np.isfinite(reach), np.maximum(reach, 0), 0)


def _drawn(end: Floats, value: Floats) -> Floats:
    return np.where(np.isfinite(end) & ~np.isnan(value), end, np.nan)


def _furnish(panel: Axes, along: str) -> None:
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        panel.spines[side].set_color(_FAINT)
    panel.tick_params(colors=_INK, labelsize=9)
    panel.grid(axis="x" if along == "x" else "y", color="#e4e4e4", linewidth=0.8)
    panel.set_axisbelow(True)
    axis = panel.xaxis if along == "x" else panel.yaxis
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_major_locator(MaxNLocator(nbins=6, min_n_ticks=3, steps=_STEPS))
