"""Parquet files as DuckDB reads them, such that no value in them makes it fail.

The reader repairs text that is not UTF-8: invalid octets become question marks. Timestamps in milliseconds may lie
beyond DuckDB's calendar, where its own reader fails; files with such a column are read by Arrow, as whole numbers.
"""

from __future__ import annotations

from collections.abc import Collection
from glob import escape
from typing import TYPE_CHECKING, Any, Final

import duckdb

from tacit.errors import Refused
from tacit.query.engines.duckdb.moments import IN_MILLISECONDS, from_milliseconds
from tacit.schema.description import Source
from tacit.schema.file_identity import files_of

if TYPE_CHECKING:
    import pyarrow.dataset as ds

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
