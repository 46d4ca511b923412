"""A first description, from names and types alone: what remains to be declared is left to the steward."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.schema.database_source import DATABASE, address_of
from tacit.schema.description import Source
from tacit.schema.first_columns import ColumnLine, Wish, column_lines
from tacit.schema.names import check_name, suggestion
from tacit.toml_text import quoted

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

# A column in a line; those left out cannot be asked about.
# min, max: smaller values count as min, larger ones as max; sums and means need both.
# keys: the values known to everyone, as ["a", "b"], {{ from = 1, to = 9 }} or {{ lookup = "...", column = "..." }};
#       any other value counts as missing. Without keys, which values appear is itself private.
# nullable = false: a missing value counts as min, or as the first key.
[tables.{table}.columns]
"""


@frozen
class FirstFile:
    """The text of a first description, and which columns still want a word of the steward."""

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
    """A description of a source by its header, (name, DuckDB type) for each column; None as unit: each row is a person.

    The budget is left out on purpose: read unedited, the file is refused with just that. If `folder`, where the file
    will be, is given, a source below it is written as seen from there.
    """
    names = [column for column, _ in header]
    if unit_column is not None and unit_column not in names:
        raise Refused(f"the unit {unit_column}", "There is no such column.", suggestion(unit_column, names))
    for given in (name, unit_column):
        if given is not None:
            check_name(given)
    lines = column_lines(header, unit_column)
    text = _HEAD.format(name=quoted(name)) + _unit(unit_column) + _BUDGET + _table(source, folder)
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


def _table(source: Source, folder: Path | None) -> str:
    more = f"\ntable = {quoted(source.table)}" if source.table is not None else ""
    if source.format == "csv" and source.delimiter != ",":
        more += f"\ndelimiter = {quoted(source.delimiter)}"
    written: Path | str = source.path
    if source.format == DATABASE:
        written = address_of(source)
    elif folder is not None and (real := Path(os.path.realpath(folder))) in source.path.parents:
        written = source.path.relative_to(real)
    return _TABLE.format(table=_table_name(source), source=quoted(str(written)), more=more)


def _table_name(source: Source) -> str:
    """A name to ask by: the table's, the file's, or that of the folder if the files are many."""
    many = any(sign in source.path.name for sign in "*?[")
    written = (source.table or "").rpartition(".")[2] or (source.path.parent.name if many else source.path.stem)
    name = re.sub(r"[^A-Za-z0-9_]+", "_", written).strip("_")
    return name if name[:1].isalpha() else f"table_{name}".rstrip("_")
