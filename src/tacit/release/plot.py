"""A release as a figure: one panel a number, each with its uncertainty drawn."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Final

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from tacit.errors import Refused
from tacit.mechanisms.answer import percent
from tacit.query.post_noise.estimates import Estimates
from tacit.release.cells import is_exact
from tacit.release.layout import Bars, Lines, arrange
from tacit.release.panels import draw_bars, draw_lines, plain

if TYPE_CHECKING:
    from tacit.release.release import Release

_MOST_PANELS: Final = 12
_FAINT: Final = "#666666"


class Drawing(Figure):
    """A figure that a notebook shows by itself."""

    def _repr_png_(self) -> bytes:
        image = BytesIO()
        self.savefig(image, format="png")
        return image.getvalue()


def draw(release: Release) -> Drawing:
    """Lines with bands where a key is a date or a number, bars with error bars otherwise."""
    columns = release.rendered.columns
    numbers = [(column.name, column.values) for column in columns if isinstance(column.values, Estimates)]
    if not 1 <= len(numbers) <= _MOST_PANELS:
        asked = f"a figure of {len(numbers)} numbers"
        raise Refused(asked, "Each number is a panel of its own.", f"a query with 1 to {_MOST_PANELS} aggregates.")
    if not release.rendered.size > 0:
        raise Refused(
            "a figure of no groups", "There is nothing to draw.", "a query whose HAVING and LIMIT leave some."
        )
    shape = arrange(release.rendered)
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
    exact = all(is_exact(column) for column in columns)
    remarks = ([] if exact else [f"{percent(release.confidence)} intervals"]) + list(shape.remarks)
    figure.supxlabel(plain("; ".join(remarks)), fontsize=8, color=_FAINT, x=0.01, ha="left")
    return figure


def _size(shape: Bars | Lines, panels: int) -> tuple[float, float]:
    if isinstance(shape, Lines):
        return 8.0, 0.8 + 2.8 * panels
    bars = len(shape.labels)
    if shape.horizontal:
        return 3.0 + 4.0 * min(panels, 4), 1.4 + 0.3 * bars
    return max(4.5, min(10.0, 1.5 + 0.8 * bars)), 0.8 + 2.8 * panels
