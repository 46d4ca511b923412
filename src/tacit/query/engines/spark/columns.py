"""Columns of Parquet files as Spark reads them: from the footers only, with the type of each after reading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.engines.spark.spelling import CATALOGUE, MOMENT, ZONED_MOMENT, quoted

_TEXT = "try_validate_utf8({})"  # NULL where the octets are not text
_PLAIN: dict[pa.DataType, tuple[str, ...]] = {
    pa.bool_(): ("BOOLEAN", "BOOLEAN"),
    pa.int8(): ("TINYINT", "TINYINT"),
    pa.int16(): ("SMALLINT", "SMALLINT"),
    pa.int32(): ("INTEGER", "INT"),
    pa.int64(): ("BIGINT", "BIGINT"),
    pa.uint8(): ("SMALLINT", "SMALLINT"),
    pa.uint16(): ("INTEGER", "INT"),
    pa.uint32(): ("BIGINT", "BIGINT"),
    pa.uint64(): ("DECIMAL(20,0)", "DECIMAL(20, 0)"),
    pa.float32(): ("FLOAT", "FLOAT"),
    pa.float64(): ("DOUBLE", "DOUBLE"),
    pa.string(): ("VARCHAR", "STRING", _TEXT),
    pa.large_string(): ("VARCHAR", "STRING", _TEXT),
    pa.binary(): ("BLOB", "BINARY"),
    pa.large_binary(): ("BLOB", "BINARY"),
    pa.date32(): ("DATE", "DATE"),
}
_MOST_DIGITS = 38
# the range of milliseconds that microseconds can represent
_FIRST, _LAST = -9_223_372_022_400_000, 9_223_372_036_854_775
_UUID = "'^(.{8})(.{4})(.{4})(.{4})(.{12})$', '$1-$2-$3-$4-$5'"


@frozen
class SparkColumn:
    """A column: its DuckDB type after reading, the type for Spark's reader, and the conversion.

    Without a `spark` type it cannot be read, and its `type` is an unknown name.
    """

    name: str
    type: str
    spark: str | None = None
    reading: str = "{}"

    @property
    def listed(self) -> str:
        """The column in a SELECT over the files."""
        own = quoted(self.name)
        return self.reading.replace("{}", own) + f" AS {own}"


def file_columns(files: Sequence[Path]) -> tuple[SparkColumn, ...]:
    """The columns of all files, by name; refused where two files have one in different types."""
    found: dict[str, SparkColumn] = {}
    for file in files:
        for column in _footer(file):
            if found.setdefault(column.name.lower(), column) != column:
                raise Refused(
                    f"the column {column.name}",
                    "Two files have it in different types, or spell it differently.",
                    "files of one schema: write them again, all in one way.",
                )
    return tuple(found.values())


def _footer(file: Path) -> Iterable[SparkColumn]:
    try:
        with pq.ParquetFile(file) as opened:
            schema, physical = opened.schema_arrow, opened.schema
    except (OSError, pa.ArrowException):
        raise Refused(f"the source {file.name}", "It is not a Parquet file.", "Parquet files.") from None
    leaves = {leaf.path: leaf for leaf in (physical.column(place) for place in range(len(physical)))}
    return [_column(field.name, field.type, leaves.get(field.name)) for field in schema]


def _column(name: str, kind: pa.DataType, leaf: pq.ColumnSchema | None) -> SparkColumn:
    if leaf is not None and leaf.physical_type == "INT96":
        return SparkColumn(name, CATALOGUE[MOMENT.lower()], ZONED_MOMENT, f"CAST({{}} AS {MOMENT})")
    if kind in _PLAIN:
        return SparkColumn(name, *_PLAIN[kind])
    if pa.types.is_decimal(kind) and kind.precision <= _MOST_DIGITS:
        return SparkColumn(name, f"DECIMAL({kind.precision},{kind.scale})", f"DECIMAL({kind.precision}, {kind.scale})")
    if pa.types.is_timestamp(kind):
        is_coarse = leaf is not None and "milliseconds" in leaf.logical_type.to_json()
        return _stamp(name, kind.tz, "ms" if is_coarse else kind.unit)
    if isinstance(kind, pa.UuidType):
        return SparkColumn(name, "VARCHAR", "BINARY", f"regexp_replace(lower(hex({{}})), {_UUID})")
    return SparkColumn(name, f"{str(kind).split('<')[0].split('[')[0].upper()} OF PARQUET")


def _stamp(name: str, zone: str | None, unit: str) -> SparkColumn:
    """Timestamps in nanoseconds and milliseconds, read as integers.

    Nanoseconds are rounded to microseconds as in DuckDB; milliseconds beyond the range of microseconds, where Spark's
    own reader would fail, are NULL.
    """
    told = MOMENT if zone is None else ZONED_MOMENT
    known = CATALOGUE[told.lower()]
    if unit == "ns":
        micros = "CAST(round(CAST({} AS DECIMAL(20, 0)) / 1000, 0) AS BIGINT)"
    elif unit == "ms":
        micros = f"CASE WHEN {{}} BETWEEN {_FIRST} AND {_LAST} THEN {{}} * 1000 END"
    else:
        return SparkColumn(name, known, told)
    return SparkColumn(name, known, "BIGINT", f"CAST(timestamp_micros({micros}) AS {told})")


def catalogue_column(name: str, kind: str) -> SparkColumn:
    """A column, by Spark's name for its type."""
    if kind.startswith("decimal("):
        return SparkColumn(name, kind.upper(), kind)
    known = CATALOGUE.get(kind)
    if known == "VARCHAR":
        return SparkColumn(name, known, kind, _TEXT)
    return SparkColumn(name, known, kind) if known else SparkColumn(name, f"{kind.split('<')[0].upper()} OF SPARK")
