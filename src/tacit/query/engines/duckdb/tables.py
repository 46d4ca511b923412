"""How DuckDB reads each described table: the SELECT of a session's view of it."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping

import duckdb

from tacit.errors import Refused
from tacit.query.catalogue import Catalogue
from tacit.query.engines.duckdb.moments import has_moments, readable
from tacit.query.engines.duckdb.parquet import coarse_moments, from_arrow, mended, parquet_sql, read_by_arrow
from tacit.query.engines.duckdb.shards import Seen
from tacit.query.sql.rows import in_type, quoted, unit_type
from tacit.schema.description import Lookup, OwnColumn, Source, Table
from tacit.schema.tables import identifiers


def seen_by(connection: duckdb.DuckDBPyConnection, table: Table | Lookup, catalogue: Catalogue, attached: str) -> Seen:
    """A table in a session on this connection, with the owners of its rows."""
    types = _types(table, catalogue)
    coarse = _register_coarse(connection, table.source, types, f"__{attached}")
    place = f'"__{attached}"' if coarse else reading(table.source, attached)
    rows = f"SELECT {_listed(table, types, _identifying(table, catalogue), coarse)} FROM {place}"
    owner = table.owner if isinstance(table, Table) else None
    if not isinstance(owner, OwnColumn):
        return Seen(table.name, rows)
    kind = catalogue.physical_type(table.name, owner.column)
    return Seen(table.name, rows, in_type(quoted(owner.column), kind, unit_type(catalogue)))


def _register_coarse(
    connection: duckdb.DuckDBPyConnection, source: Source, types: Mapping[str, str], name: str
) -> frozenset[str]:
    """The columns that require reading a source by Arrow, registered in the connection; none if there are none."""
    moments = {column.lower() for column, kind in types.items() if has_moments(kind)}
    if source.format != "parquet" or not moments:
        return frozenset()
    found = coarse_moments(connection, source) & moments
    if found:
        connection.register(name, read_by_arrow(source, types))
    return frozenset(found)


def _types(table: Table | Lookup, catalogue: Catalogue) -> dict[str, str]:
    """The columns that the description names, with the types of the plan; none where these are unknown."""
    types = {
        name: catalogue.physical_type(table.name, name) for name in (*table.columns, *_identifying(table, catalogue))
    }
    known = {name: kind for name, kind in types.items() if kind is not None}
    return known if len(known) == len(types) else {}


def _identifying(table: Table | Lookup, catalogue: Catalogue) -> list[str]:
    return identifiers(table, catalogue.description.tables) if isinstance(table, Table) else []


def _listed(
    table: Table | Lookup, types: Mapping[str, str], identifying: Collection[str], coarse: Collection[str]
) -> str:
    """The columns in the types of the plan, even if the file has changed since; NULL where a value does not fit.

    The engine drops a cast to the type that a column already has. Columns outside the description are not read.
    """
    listed = []
    for name, kind in types.items():
        value = quoted(name)
        if coarse:
            value = from_arrow(value, kind, name.lower() in coarse)
        elif table.source.format == "parquet":
            value = mended(value, kind, name in identifying)
        listed.append(f"TRY_CAST({readable(value, kind)} AS {kind}) AS {quoted(name)}")
    return ", ".join(listed) or "*"


def reading(source: Source, attached: str) -> str:
    """The rows of a source; a CSV file's cells are all text, so that no row decides how another is read.

    For the same reason it is read from its beginning, not in parallel: a reader that starts in the middle may take a
    new line inside quotes for the end of a row, and its starting point depends on the length of all rows.
    """
    if source.format == "duckdb":
        table = (source.table or "").replace('"', '""')
        return f'{attached}."{table}"'
    if source.format == "frame":
        return f'"__{attached}"'
    if source.format == "csv":
        columns = ", ".join(f"{text(name)}: 'VARCHAR'" for name in _csv_names(source))
        return (
            f"read_csv({text(str(source.path))}, delim = {text(source.delimiter)}, header = true, "
            f"columns = {{{columns}}}, auto_detect = false, quote = '\"', escape = '\"', null_padding = true, "
            "strict_mode = false, ignore_errors = true, nullstr = '', parallel = false)"
        )
    return parquet_sql(source)


def _csv_names(source: Source) -> list[str]:
    """The names in a CSV file's first line, for any octets after it."""
    try:
        with source.path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            names = next(csv.reader(file, delimiter=source.delimiter), [])
    except OSError as error:
        why = f"It cannot be read ({error.strerror})."
        raise Refused(f"the source {source.path.name}", why, "a CSV file that is there.") from None
    except csv.Error:
        names = []
    is_text = not any("\ufffd" in name for name in names)
    if not names or len({name.lower() for name in names}) < len(names) or not all(names) or not is_text:
        raise Refused(
            f"the source {source.path.name}",
            "Its first line does not name its columns, each once.",
            "a CSV file in UTF-8 whose first line names the columns.",
        )
    return names


def text(value: str) -> str:
    """A text as SQL."""
    return "'" + value.replace("'", "''") + "'"
