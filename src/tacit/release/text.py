"""A release as text, in aligned columns with remarks below, and as HTML for a notebook.

Every text in the HTML is escaped, since keys are user input.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Final

from rich.cells import cell_len

from tacit.printable import printable
from tacit.query.post_noise.estimates import OutputColumn, Rendered
from tacit.release.cells import Cell, cells, cells_of, number_cells
from tacit.words import counted, folded

_GAP = "    "


def table_text(rendered: Rendered, most: int | None = None) -> str:
    """The table with at most this many rows; a single row without keys is written vertically."""
    if rendered.is_one_row:
        return _downwards(rendered.columns)
    shown = rendered.first(most)
    columns = [[_head(column), *read] for column, read in zip(shown.columns, cells_of(shown), strict=True)]
    padded = [_padded(column) for column in columns]
    lines = [" " + _GAP.join(row).rstrip() for row in zip(*padded, strict=True)]
    hidden = rendered.size - (len(lines) - 1)
    if hidden > 0:
        lines.append(f" … and {counted(hidden, 'more group')}")
    if rendered.size == 0:
        lines.append(" (no groups)")
    return "\n".join(lines)


def bounded_text(rendered: Rendered) -> str:
    """One row's numbers with intervals of the noise alone, or a reference to those of a table.

    Empty if there are none.
    """
    if not rendered.has_bounded:
        return ""
    if not rendered.is_one_row:
        return "Bounded intervals, of the noise alone, are in csv, json and parquet."
    texts = []
    for column in rendered.columns:
        name = f"{printable(column.name)} " if len(rendered.columns) > 1 else ""
        if column.bounded is not None and number_cells(column.bounded) != cells(column):
            texts.append(f"{name}{number_cells(column.bounded)[0]}")
    return f"Bounded (noise alone): {'; '.join(texts)}." if texts else ""


def notes_text(notes: Sequence[str], width: int) -> str:
    """The notes, one paragraph each."""
    return "\n".join(folded(printable(note), width, " ") for note in notes)


def _head(column: OutputColumn) -> Cell:
    return Cell(printable(column.name), is_words=True)


def _downwards(columns: Sequence[OutputColumn]) -> str:
    names = _padded([_head(column) for column in columns])
    values = _padded([cells(column)[0] for column in columns])
    return "\n".join(f" {name}{_GAP}{value}".rstrip() for name, value in zip(names, values, strict=True))


def _padded(column: Sequence[Cell]) -> list[str]:
    """The cells padded to one width: values right-aligned, the text after them left-aligned, words left-aligned."""
    value = max((cell_len(cell.value) for cell in column if not cell.is_words), default=0)
    lined = [str(cell) if cell.is_words else " " * (value - cell_len(cell.value)) + str(cell) for cell in column]
    width = max(cell_len(text) for text in lined)
    return [text + " " * (width - cell_len(text)) for text in lined]


_CELL: Final = "padding:0.2em 0.9em;border-bottom:1px solid #8883;white-space:nowrap;"
_LEFT: Final = _CELL + "text-align:left;"
_VALUE: Final = _CELL + "text-align:right;padding-right:0;font-variant-numeric:tabular-nums;"
_REST: Final = _CELL + "text-align:left;padding-left:0.3em;opacity:0.65;font-variant-numeric:tabular-nums;"


def release_html(rendered: Rendered, notes: Sequence[str], most: int) -> str:
    """The table and, under it, the notes."""
    columns = cells_of(rendered.first(most))
    widths = [1 if column.is_key and not rendered.is_published(column) else 2 for column in rendered.columns]
    head = "".join(
        f'<th{"" if width == 1 else " colspan=2"} style="{_LEFT}">{html_text(column.name)}</th>'
        for column, width in zip(rendered.columns, widths, strict=True)
    )
    rows = "".join(
        "<tr>" + "".join(_cell(cell, width) for cell, width in zip(row, widths, strict=True)) + "</tr>"
        for row in zip(*columns, strict=True)
    )
    hidden = rendered.size - min(most, rendered.size)
    more = [f"… and {counted(hidden, 'more group')}"] if hidden else []
    under = "".join(f'<div style="opacity:0.75;max-width:60em">{html_text(note)}</div>' for note in [*more, *notes])
    table = f'<table style="border-collapse:collapse"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    return f"<div>{table}{under}</div>"


def html_text(text: str) -> str:
    """The text escaped for HTML, in printable characters only."""
    return escape(printable(text))


def _cell(cell: Cell, width: int) -> str:
    if cell.is_words:
        span = "" if width == 1 else " colspan=2"
        return f'<td{span} style="{_LEFT}">{escape(str(cell))}</td>'
    return f'<td style="{_VALUE}">{escape(cell.value)}</td><td style="{_REST}">{escape(cell.rest.strip())}</td>'


_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def html_page(title: str, body: str) -> str:
    """A page with the style sheet of all pages; it may load nothing and run nothing."""
    style = files("tacit.release").joinpath("publication.css").read_text("utf-8")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{html_text(title)}</title>
<style>
{style}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""
