"""A release as HTML for a notebook; every text in it is escaped, since keys are whatever people typed."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from tacit.printable import printable
from tacit.query.post_noise.estimates import Rendered
from tacit.release.cells import Cell, cells

_CELL: Final = "padding:0.2em 0.9em;border-bottom:1px solid #8883;white-space:nowrap;"
_LEFT: Final = _CELL + "text-align:left;"
_VALUE: Final = _CELL + "text-align:right;padding-right:0;font-variant-numeric:tabular-nums;"
_REST: Final = _CELL + "text-align:left;padding-left:0.3em;opacity:0.65;font-variant-numeric:tabular-nums;"


def release_html(rendered: Rendered, notes: Sequence[str], most: int) -> str:
    """The table and, under it, the notes."""
    columns = [cells(column) for column in rendered.first(most).columns]
    head = "".join(
        f'<th{"" if column.is_key else " colspan=2"} style="{_LEFT}">{_text(column.name)}</th>'
        for column in rendered.columns
    )
    widths = [1 if column.is_key else 2 for column in rendered.columns]
    rows = "".join(
        "<tr>" + "".join(_cell(cell, width) for cell, width in zip(row, widths, strict=True)) + "</tr>"
        for row in zip(*columns, strict=True)
    )
    hidden = rendered.size - min(most, rendered.size)
    more = [f"… and {hidden:,} more groups"] if hidden else []
    under = "".join(f'<div style="opacity:0.75;max-width:60em">{_text(note)}</div>' for note in [*more, *notes])
    table = f'<table style="border-collapse:collapse"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    return f"<div>{table}{under}</div>"


def _text(text: str) -> str:
    return escape(printable(text))


def _cell(cell: Cell, width: int) -> str:
    if cell.is_words:
        span = "" if width == 1 else " colspan=2"
        return f'<td{span} style="{_LEFT}">{escape(str(cell))}</td>'
    return f'<td style="{_VALUE}">{escape(cell.value)}</td><td style="{_REST}">{escape(cell.rest.strip())}</td>'
