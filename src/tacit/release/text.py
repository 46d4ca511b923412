"""A release as text: columns that line up, then what is to be known about them, wrapped."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from tacit.printable import printable
from tacit.query.post_noise.estimates import OutputColumn, Rendered
from tacit.release.cells import Cell, cells
from tacit.release.folding import folded

_GAP = "    "


def table_text(rendered: Rendered, most: int | None = None) -> str:
    """The table, at most so many rows of it; one row without keys is written downwards."""
    if rendered.size == 1 and not any(column.is_key for column in rendered.columns):
        return _downwards(rendered.columns)
    columns = [[_head(column), *cells(column)] for column in rendered.first(most).columns]
    padded = [_padded(column) for column in columns]
    lines = [" " + _GAP.join(row).rstrip() for row in zip(*padded, strict=True)]
    hidden = rendered.size - (len(lines) - 1)
    if hidden > 0:
        lines.append(f" … and {hidden:,} more groups")
    if rendered.size == 0:
        lines.append(" (no groups)")
    return "\n".join(lines)


def notes_text(notes: Sequence[str], width: int) -> str:
    """The notes, a paragraph each."""
    return "\n".join(folded(printable(note), width, " ") for note in notes)


def _head(column: OutputColumn) -> Cell:
    return Cell(printable(column.name), is_words=True)


def _downwards(columns: Sequence[OutputColumn]) -> str:
    names = _padded([_head(column) for column in columns])
    values = _padded([cells(column)[0] for column in columns])
    return "\n".join(f" {name}{_GAP}{value}".rstrip() for name, value in zip(names, values, strict=True))


def _padded(column: Sequence[Cell]) -> list[str]:
    """The cells at one width: values end under one another, what follows them starts there, words start at the left."""
    value = max((cell_len(cell.value) for cell in column if not cell.is_words), default=0)
    lined = [str(cell) if cell.is_words else " " * (value - cell_len(cell.value)) + str(cell) for cell in column]
    width = max(cell_len(text) for text in lined)
    return [text + " " * (width - cell_len(text)) for text in lined]
