"""A release as a figure: one panel per number, bars with error bars or lines with bands."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib import dates
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, MaxNLocator

from tacit.errors import Refused
from tacit.printable import printable
from tacit.query.post_noise.estimates import Estimates, Floats
from tacit.release.cells import TOO_FEW
from tacit.release.plot_layout import Bars, Lines, arrange
from tacit.words import folded

if TYPE_CHECKING:
    from tacit.release.release import Release

_COLOURS: Final = ("#2f6690", "#d1495b", "#3a8f6b", "#b8860b", "#6a4c93", "#00798c", "#8d5524", "#5c677d")
_INK: Final = "#22303c"
_BAR: Final = "#7aa0be"
_FAINT: Final = "#8a8a8a"
_STEPS: Final = (1, 2, 2.5, 5, 10)
_DATES: Final[Any] = dates  # its classes have no type annotations


def draw_bars(panel: Axes, shape: Bars, numbers: Estimates) -> None:
    """One bar per row, with its interval; words where there is no number."""
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
    """The text without characters that a figure would read as a formula, or that cannot be printed."""
    return printable(text).replace("$", r"\$")


def _errors(numbers: Estimates, size: int) -> Floats:
    """The distances from each number to the ends of its interval; 0 where there is no finite interval."""
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


_MOST_PANELS: Final = 12
_REMARKS: Final = "#666666"
_LETTERS: Final = 16  # characters of a remark per inch


class Drawing(Figure):
    """A figure that a notebook displays."""

    def _repr_png_(self) -> bytes:
        image = BytesIO()
        self.savefig(image, format="png")
        return image.getvalue()


def draw(release: Release) -> Drawing:
    """Lines with bands where a key is a date or a number, bars with error bars otherwise."""
    drawn = release.rendered.measured
    columns = drawn.columns
    numbers = [(column.name, column.values) for column in columns if isinstance(column.values, Estimates)]
    if not 1 <= len(numbers) <= _MOST_PANELS:
        asked = f"a figure of {len(numbers)} numbers"
        raise Refused(asked, "Each number is a panel of its own.", f"a query with 1 to {_MOST_PANELS} aggregates.")
    if not release.rendered.size > 0:
        raise Refused(
            "a figure of no groups", "There is nothing to draw.", "a query whose HAVING and LIMIT leave some."
        )
    shape = arrange(drawn)
    across = isinstance(shape, Bars) and shape.horizontal
    grid = (1, len(numbers)) if across else (len(numbers), 1)
    figure = Drawing(
        figsize=_size(shape, len(numbers)),
        dpi=144,
        layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1),
        facecolor="white",
    )
    panels = figure.subplots(*grid, squeeze=False, sharex=not across, sharey=across).ravel()
    for (name, values), panel in zip(numbers, panels, strict=True):
        if isinstance(shape, Lines):
            draw_lines(panel, shape, values)
        else:
            draw_bars(panel, shape, values)
        panel.set_title(plain(name), loc="left", fontsize=11, fontweight="bold")
    if isinstance(shape, Lines):
        panels[-1].set_xlabel(plain(shape.title))
        if len(shape.series) > 1:
            panels[0].legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    remarks = "; ".join(part for part in (release.interval_words, *shape.remarks) if part)
    across_all = int(figure.get_figwidth() * _LETTERS)
    figure.supxlabel(folded(plain(remarks), across_all), fontsize=8, color=_REMARKS, x=0.01, ha="left")
    return figure


def _size(shape: Bars | Lines, panels: int) -> tuple[float, float]:
    if isinstance(shape, Lines):
        return 8.0, 0.8 + 2.8 * panels
    bars = len(shape.labels)
    if shape.horizontal:
        return 3.0 + 4.0 * min(panels, 4), 1.4 + 0.3 * bars
    return max(4.5, min(10.0, 1.5 + 0.8 * bars)), 0.8 + 2.8 * panels
