"""A first description of a data set, from its header alone; the steward declares what remains."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.schema.catalogue import base_type, natural_kind
from tacit.schema.description import Source
from tacit.schema.kind import Kind
from tacit.schema.names import check_name, folded, suggestion
from tacit.schema.sources import DATABASE, address_of
from tacit.words import key_text, quoted


class Wish(Enum):
    """A declaration that a column still needs."""

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
    """A line of the file, and the declaration that its column needs."""

    column: str
    text: str
    wish: Wish


def column_lines(header: Sequence[tuple[str, str]], unit_column: str | None) -> list[ColumnLine]:
    """A line for each column, in the header's order; a column that cannot be declared is a comment with the reason."""
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


_HEAD = """\
# What Tacit knows of these data. Written from the names and types of columns; no value was read.
# Declare what is known to everyone or chosen by you, never what you saw in the data: it shows in answers.

[dataset]
name = {name}
"""
_PERSON = """\
# What is hidden: whoever sees all answers cannot tell whether one {column} is in the data. Say it in your words.
unit = {{ id = {id}, hides = {hides} }}
"""
_ROW = """\
# What is hidden: whoever sees all answers cannot tell whether one row is in the data. If a person may have
# several rows, name the column that tells people apart instead: unit = { id = "...", hides = "..." }
unit = { row = true, hides = "one row" }
"""
_BUDGET = """\
# The budget for everything ever released of these data. Choose it before the first query; it stays.
# epsilon: how much one person may show (1 is careful, 4 is common, 10 protects little). delta: the chance of failure,
# far below one in the number of people. Without delta: pure, and without Gaussian noise or private keys.
# budget = { epsilon = 1, delta = 1e-7 }
# Shares of it that analysts may use at most:
# analysts = { alice = "50%" }
"""
_TABLE = """
[tables.{table}]
source = {source}{more}
# How much of one person counts. Left out, it is chosen privately.
# limits = {{ rows = ... }}
{possible}
# A column in a line; those left out cannot be asked about.
# min, max: smaller values count as min, larger ones as max; sums and means need both.
# keys: the values known to everyone, as ["a", "b"], {{ from = 1, to = 9 }} or {{ lookup = "...", column = "..." }};
#       any other value counts as missing. Without keys, which values appear is itself private.
# nullable = false: a missing value counts as min, or as the first key.
[tables.{table}.columns]
"""
_POSSIBLE = """\
# The most that one person can have, if everybody may know it: a bed holds one patient a night, so 366 nights a year.
# Never the most that you saw. It makes --interval guaranteed possible and usual intervals narrower.
# at_most = { rows = 366, totals = { cost = 90000 } }
"""


@frozen
class FirstFile:
    """The text of a first description, and the columns that still need declarations."""

    text: str
    columns: tuple[str, ...]
    bounds: tuple[str, ...]
    keys: tuple[str, ...]
    left_out: tuple[str, ...]


def first_description(
    source: Source,
    header: Sequence[tuple[str, str]],
    unit_column: str | None,
    name: str,
    folder: Path | None = None,
) -> FirstFile:
    """A description of a source by its header, (name, DuckDB type) for each column; without `unit`, each row is a unit.

    The budget is left out on purpose: the unedited file is refused for exactly this. If `folder` (the place of the
    file) is given, a source below it is written as a relative path.
    """
    names = [column for column, _ in header]
    if unit_column is not None and unit_column not in names:
        raise Refused(f"the unit {unit_column}", "There is no such column.", suggestion(unit_column, names))
    for given in (name, unit_column):
        if given is not None:
            check_name(given)
    lines = column_lines(header, unit_column)
    text = (
        _HEAD.format(name=quoted(name))
        + _unit(unit_column)
        + _BUDGET
        + _table(source, folder, is_possible=unit_column is not None)
    )
    return FirstFile(
        text=text + "".join(f"{line.text}\n" for line in lines),
        columns=tuple(names),
        bounds=_wishing(lines, Wish.BOUNDS),
        keys=_wishing(lines, Wish.KEYS),
        left_out=_wishing(lines, Wish.LEFT_OUT),
    )


def _wishing(lines: Sequence[ColumnLine], wish: Wish) -> tuple[str, ...]:
    return tuple(line.column for line in lines if line.wish is wish)


def _unit(column: str | None) -> str:
    if column is None:
        return _ROW
    return _PERSON.format(column=quoted(column), id=quoted(column), hides=quoted(f"one {column}, all its rows"))


def _table(source: Source, folder: Path | None, is_possible: bool) -> str:
    more = f"\ntable = {quoted(source.table)}" if source.table is not None else ""
    if source.format == "csv" and source.delimiter != ",":
        more += f"\ndelimiter = {quoted(source.delimiter)}"
    written: Path | str = source.path
    if source.format == DATABASE:
        written = address_of(source)
    elif folder is not None and (real := Path(os.path.realpath(folder))) in source.path.parents:
        written = source.path.relative_to(real)
    possible = _POSSIBLE if is_possible else ""
    return _TABLE.format(table=_table_name(source), source=quoted(str(written)), more=more, possible=possible)


def _table_name(source: Source) -> str:
    """A table name for queries: the table's, the file's, or the folder's if there are many files."""
    many = any(sign in source.path.name for sign in "*?[")
    written = (source.table or "").rpartition(".")[2] or (source.path.parent.name if many else source.path.stem)
    name = re.sub(r"[^A-Za-z0-9_]+", "_", written).strip("_")
    return name if name[:1].isalpha() else f"table_{name}".rstrip("_")
