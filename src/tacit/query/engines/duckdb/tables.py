"""How DuckDB reads each described table: the SELECT of a session's view of it.

Parquet files are read such that no value in them makes DuckDB fail. Its reader repairs text that is not UTF-8: invalid
octets become question marks. Timestamps in milliseconds may lie beyond DuckDB's calendar, where its own reader fails;
files with such a column are read by Arrow, as whole numbers.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping
from glob import escape
from typing import TYPE_CHECKING, Any, Final

import duckdb

from tacit.errors import Refused
from tacit.query.engines.duckdb.memory import Seen
from tacit.query.engines.duckdb.moments import IN_MILLISECONDS, from_milliseconds, has_moments, readable
from tacit.query.sql.rows import in_type, quoted, unit_type
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Lookup, OwnColumn, Source, Table
from tacit.schema.file_identity import files_of
from tacit.schema.tables import identifiers

if TYPE_CHECKING:
    import pyarrow.dataset as ds


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


_UNITS_SQL: Final = f"""
SELECT lower(name), bool_or({IN_MILLISECONDS}) AS coarse, bool_and({IN_MILLISECONDS}) AS only
FROM parquet_schema(?) WHERE num_children IS NULL GROUP BY lower(name) HAVING coarse
"""


def parquet_sql(source: Source) -> str:
    """The rows of Parquet files, for DuckDB's own reader.

    It gets the files by name, not a pattern: its patterns find hidden files too, which belong to no account here. It is
    told that there may be NaN. A file's least and greatest values ignore NaN, so otherwise one row's value could decide
    whether a comparison is proven, and so how every NaN is read.
    """
    files = ", ".join("'" + path.replace("'", "''") + "'" for path in _by_name(source))
    options = "union_by_name = true, hive_partitioning = false, can_have_nan = true, utf8_validation = 'replace'"
    return f"read_parquet([{files}], {options})"


def _by_name(source: Source) -> list[str]:
    """The paths of the files, escaped, because DuckDB reads every path as a pattern."""
    return [escape(path) for path in files_of(source)]


def check_names(connection: duckdb.DuckDBPyConnection, source: Source, names: Collection[str]) -> None:
    """Refuse files in which two columns differ only in case: the reader renames one of them."""
    written = connection.execute("SELECT DISTINCT name FROM parquet_schema(?)", [_by_name(source)]).fetchall()
    if not set(names) <= {name for (name,) in written}:
        why = "Two of its columns differ in upper and lower case alone: no query could say which is meant."
        raise Refused(f"the source {source.path.name}", why, "columns whose names differ by more than case.")


def coarse_moments(connection: duckdb.DuckDBPyConnection, source: Source) -> frozenset[str]:
    """The columns of timestamps in milliseconds, in lower case, from the files' footers only."""
    found = connection.execute(_UNITS_SQL, [_by_name(source)]).fetchall()
    for name, _, is_coarse_everywhere in found:
        if not is_coarse_everywhere:
            why = "Some of the files have it in milliseconds, and some do not."
            raise Refused(f"the column {name} of {source.path.name}", why, "files of one schema, written in one way.")
    return frozenset(name for name, *_ in found)


def check_moments(connection: duckdb.DuckDBPyConnection, source: Source) -> None:
    """Refuse files whose timestamps must be read by Arrow and cannot be."""
    found = coarse_moments(connection, source)
    if found:
        read_by_arrow(source, found)


def mended(reference: str, kind: str, is_identifying: bool) -> str:
    """A column of DuckDB's own reader, without statistics.

    Claim: whether a row meets a condition depends on its own value only. The reader's statistics are those of the
    octets before the repair: if the column were compared directly, whole blocks would be skipped by the least and
    greatest of all values, whether or not they include a repaired row. For `concat` no least or greatest value is
    known. An identifier with a question mark may be several repaired ones: its row belongs to no one, and for all
    others the statistics hold.
    """
    if kind != "VARCHAR":
        return reference
    if is_identifying:
        return f"CASE WHEN NOT contains({reference}, '?') THEN {reference} END"
    return f"CASE WHEN {reference} IS NOT NULL THEN concat({reference}, '') END"


def read_by_arrow(source: Source, names: Collection[str]) -> ds.Dataset:
    """These columns of the files, text as octets, timestamps in milliseconds and durations as whole numbers."""
    import pyarrow as pa  # both load when they are needed
    import pyarrow.dataset as ds

    files, wanted = files_of(source), {name.lower() for name in names}
    try:
        schemas = [fragment.physical_schema for fragment in ds.dataset(files, format="parquet").get_fragments()]
        fields = [field for field in pa.unify_schemas(schemas) if field.name.lower() in wanted]
        plain = pa.schema([field.with_type(_plain(field.type)) for field in fields])
        return ds.dataset(files, format="parquet", schema=plain)
    except (pa.ArrowException, OSError):
        why = "Two of its files have a column in different types."
        raise Refused(f"the source {source.path.name}", why, "files of one schema, written in one way.") from None


def _plain(kind: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return pa.large_binary()
    is_coarse = pa.types.is_timestamp(kind) and kind.unit == "ms"
    return pa.int64() if is_coarse or pa.types.is_duration(kind) else kind  # DuckDB's own reader has durations so too


def from_arrow(reference: str, kind: str, is_coarse: bool) -> str:
    """Such a column, as DuckDB's own reader would give it; NULL where it has no such value."""
    if kind == "VARCHAR":
        return f"TRY(decode({reference}))"
    return from_milliseconds(reference, kind) if is_coarse else reference
