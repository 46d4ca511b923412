"""Where rows are, from the way a steward writes it: two ways to write the same place give the same source."""

from __future__ import annotations

import os
from pathlib import Path

from tacit.errors import Refused
from tacit.schema.database_source import is_database, read_database
from tacit.schema.description import Source
from tacit.schema.names import check_name

FORMATS = (
    "a .parquet file, a pattern such as parts/*.parquet, a folder of Parquet files, a .csv or a .duckdb file; "
    'a database as "postgresql://host/database"; '
    'or "frame", for a data frame that is given when the data set is opened.'
)
FRAME = "frame"
_PATTERN = frozenset("*?[")


def read_source(written: str, folder: Path, table: str | None = None, delimiter: str | None = None) -> Source:
    """The source that `written` names, seen from a folder. Nothing is opened, and the file need not be there yet."""
    if is_database(written):
        return read_database(written, table, delimiter)
    if not written.strip() or not written.isprintable() or "://" in written:
        raise Refused("a source", "It is not a path on this machine.", FORMATS)
    place, has_pattern = _place(written, folder)
    kind = Path(place).suffix.lower()
    if kind == ".parquet":
        _refuse(table is not None, "table", "Only a .duckdb file holds several tables.", "leave table out.")
        _refuse(delimiter is not None, "delimiter", "Only a .csv file has one.", "leave delimiter out.")
        return Source("parquet", Path(place))
    _refuse(has_pattern, written, "Only Parquet files are read by pattern.", FORMATS)
    if kind == ".csv":
        _refuse(table is not None, "table", "Only a .duckdb file holds several tables.", "leave table out.")
        return Source("csv", Path(place), delimiter=_delimiter(delimiter))
    if kind == ".duckdb":
        _refuse(delimiter is not None, "delimiter", "Only a .csv file has one.", "leave delimiter out.")
        if table is None:
            raise Refused("a .duckdb file", "It may hold several tables.", 'the one meant: table = "visits".')
        check_name(table)
        return Source("duckdb", Path(place), table=_lower(table))
    raise Refused(written, "Its format is not known.", FORMATS)


def read_frame_source(dataset: str, name: str, table: str | None, delimiter: str | None) -> Source:
    """The source `"frame"`: rows that are given when the data set is opened, and known by their name alone."""
    _refuse(table is not None, "table", "A data frame is one table.", "leave table out.")
    _refuse(delimiter is not None, "delimiter", "Only a .csv file has one.", "leave delimiter out.")
    return Source(FRAME, Path(dataset), table=name)


def _place(written: str, folder: Path) -> tuple[str, bool]:
    """The real path, links followed, and whether it is a pattern; of one, what precedes the first sign is a path."""
    if written.endswith(("/", os.sep)) or os.path.isdir(os.path.join(folder, written)):
        written = os.path.join(written, "*.parquet")
    parts = Path(written).parts
    first = next((index for index, part in enumerate(parts) if _PATTERN & set(part)), len(parts))
    head, tail = os.path.realpath(os.path.join(folder, *parts[:first])), parts[first:]
    _refuse(".." in tail, written, "A pattern with .. in it names files in more than one way.", "a path without them.")
    _refuse(bool(_PATTERN & set(head)), written, "A folder on its way has *, ? or [ in its name.", "another folder.")
    return os.path.join(head, *tail), bool(tail)


def _delimiter(written: str | None) -> str:
    if written is None:
        return ","
    if not len(written) == 1 or written.isalnum() or written in "\"'\\\r\n":
        raise Refused("a delimiter", "It cannot stand between two values.", 'one sign, such as ";" or "\\t".')
    return written


def _lower(table: str) -> str:
    """The name as DuckDB compares it: A to Z are as good as a to z."""
    return "".join(sign.lower() if sign.isascii() else sign for sign in table)


def _refuse(wrong: bool, asked: str, why: str, accepted: str) -> None:
    if wrong:
        raise Refused(asked, why, accepted)
