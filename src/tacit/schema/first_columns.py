"""The lines of a first description, one for each column of a file's header."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.schema.engine_types import base_type, natural_kind
from tacit.schema.kind import Kind
from tacit.schema.names import check_name, folded
from tacit.toml_text import key_text


class Wish(Enum):
    """What a column still wants to be told."""

    NOTHING = "nothing"
    BOUNDS = "bounds"
    KEYS = "keys"
    LEFT_OUT = "left out"


_NOTES = {
    Wish.NOTHING: "",
    Wish.BOUNDS: "  # declare: min = ..., max = ...",
    Wish.KEYS: "  # declare: keys = [...], or leave them private",
}


@frozen
class ColumnLine:
    """A line of the file, and what its column wants."""

    column: str
    text: str
    wish: Wish


def column_lines(header: Sequence[tuple[str, str]], unit_column: str | None) -> list[ColumnLine]:
    """A line for each column, in the header's order; what cannot be declared is a comment that says why."""
    lines: list[ColumnLine] = []
    taken: set[str] = set() if unit_column is None else {folded(unit_column)}
    for name, engine_type in header:
        if name == unit_column:
            lines.append(ColumnLine(name, f"# {key_text(name)} says whose a row is; it needs no line.", Wish.NOTHING))
        elif folded(name) in taken:
            lines.append(_left_out(name, "to SQL another column has the same name"))
        else:
            taken.add(folded(name))
            lines.append(_line(name, engine_type))
    return lines


def _line(name: str, engine_type: str) -> ColumnLine:
    try:
        check_name(name)
    except Refused:
        return _left_out(name, "its name is reserved or cannot be printed")
    natural = natural_kind(engine_type)
    if natural is None:
        return _left_out(name, f"its type, {base_type(engine_type)}, cannot be asked about")
    kind, scale = natural
    wish = _wish(kind, engine_type)
    digits = f", scale = {scale}" if kind is Kind.DECIMAL else ""
    return ColumnLine(name, f'{key_text(name)} = {{ type = "{kind}"{digits} }}{_NOTES[wish]}', wish)


def _wish(kind: Kind, engine_type: str) -> Wish:
    if kind.is_number or kind.is_time:
        return Wish.BOUNDS
    return Wish.KEYS if kind is Kind.TEXT and base_type(engine_type) != "UUID" else Wish.NOTHING


def _left_out(name: str, why: str) -> ColumnLine:
    return ColumnLine(name, f"# {key_text(name)} is left out: {why}.", Wish.LEFT_OUT)
