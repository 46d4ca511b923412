"""Columns of a PostgreSQL table: their types in DuckDB's terms, how each is read, and their values as Arrow.

`arrow_table` gives the rows the types that DuckDB would give them. It builds the columns from buffers, because Arrow's
own conversion loads pandas where it is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Failed
from tacit.frozen import frozen
from tacit.query.engines.expression_walk import TranslatedColumn, TranslatedRelation
from tacit.query.engines.postgres.spelling import CATALOGUE
from tacit.query.sql.dialects.sql_type import SqlType, type_named
from tacit.query.sql.dialects.translator import natural_reach
from tacit.schema.kind import TIMES

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS_SQL = """
WITH RECURSIVE typed AS (
  SELECT a.attnum, a.attname, a.attcollation, a.attgenerated, a.atttypid AS typid, a.atttypmod AS typmod
  FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT d.attnum, d.attname, d.attcollation, d.attgenerated, t.typbasetype, t.typtypmod
  FROM typed AS d JOIN pg_catalog.pg_type AS t ON t.oid = d.typid WHERE t.typtype = 'd'
)
SELECT d.attname::text, t.typname::text, t.typtype::text, n.nspname = 'pg_catalog', d.typmod,
  COALESCE(c.collisdeterministic, TRUE), d.attgenerated = 'v'
FROM typed AS d JOIN pg_catalog.pg_type AS t ON t.oid = d.typid
JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
LEFT JOIN pg_catalog.pg_collation AS c ON c.oid = d.attcollation
WHERE t.typtype <> 'd' ORDER BY d.attnum
"""
_FREE = "DECIMAL(28,9)"  # a numeric without a precision: every 64-bit integer, and nine digits after the point
_LIMIT = "9999999999999999999.999999999"


@frozen
class PostgresColumn:
    """A column: its type in DuckDB's terms, and whether it is a numeric without a precision."""

    name: str
    type: str
    is_free: bool = False

    def reading(self) -> str:
        """The column in that type. For a numeric without a precision, NaN becomes NULL and digits are cut off."""
        own = quoted(self.name)
        if self.type == "VARCHAR":
            return f'({own}::text COLLATE "C")'
        if self.is_free:
            kept = f"round({own}::numeric, 9)"
            return (
                f"(CASE WHEN {own} = 'NaN' THEN NULL WHEN {own} > {_LIMIT} THEN {_LIMIT} "
                f"WHEN {own} < -{_LIMIT} THEN -{_LIMIT} ELSE {kept} END)"
            )
        return own

    @property
    def made_exact(self) -> str | None:
        """SQL for a DECIMAL from a numeric, which may be NaN."""
        return "nullif({}, 'NaN')" if self.type.startswith("DECIMAL") and not self.is_free else None


def column_of(row: tuple[Any, ...]) -> PostgresColumn:
    """A row of `COLUMNS_SQL` as a column."""
    name, own, sort, is_builtin, modifier, is_deterministic, is_computed = row
    if is_computed:
        return PostgresColumn(name, "COMPUTED WHEN READ")
    if sort == "e" or (is_builtin and CATALOGUE.get(own) == "VARCHAR"):
        return PostgresColumn(name, "VARCHAR" if is_deterministic else "TEXT OF A NONDETERMINISTIC COLLATION")
    if not is_builtin or (own not in CATALOGUE and own != "numeric"):
        return PostgresColumn(name, own.removeprefix("_").upper() + ("[]" if own.startswith("_") else ""))
    if own != "numeric":
        return PostgresColumn(name, CATALOGUE[own])
    width, scale = (modifier - 4) >> 16 & 0xFFFF, ((modifier - 4) & 0x7FF ^ 1024) - 1024
    if modifier < 4 or not (0 <= scale <= width <= 38):
        return PostgresColumn(name, _FREE, is_free=True)
    return PostgresColumn(name, f"DECIMAL({width},{scale})")


def relation_of(schema: str, table: str, columns: tuple[PostgresColumn, ...]) -> TranslatedRelation:
    """The table as a relation, with every column in its type."""
    listed = ", ".join(f"{column.reading()} AS {quoted(column.name)}" for column in columns)
    kinds = [type_named(column.type) for column in columns]
    outputs = tuple(
        TranslatedColumn(column.name, kind, natural_reach(kind), column.made_exact)
        for column, kind in zip(columns, kinds, strict=True)
    )
    return TranslatedRelation(f"(SELECT {listed} FROM {quoted(schema)}.{quoted(table)})", outputs)


def quoted(name: str) -> str:
    """A name as an identifier."""
    return '"' + name.replace('"', '""') + '"'


_EXACT = Context(prec=80)
_NUMBERS: dict[str, tuple[str, Callable[[Any], int | float]]] = {
    "TINYINT": ("int8", int),
    "SMALLINT": ("int16", int),
    "INTEGER": ("int32", int),
    "BIGINT": ("int64", int),
    "DOUBLE": ("float64", float),
    **{str(kind.traits.sql): (kind.traits.arrow, kind.time_scale.number) for kind in TIMES},
}
"""By type: Arrow's name of it, and the number that a value is."""


def arrow_table(rows: Sequence[tuple[Any, ...]], columns: Sequence[TranslatedColumn]) -> pa.Table:
    """The rows, column by column."""
    import pyarrow as pa

    values = list(zip(*rows, strict=True)) if rows else [() for _ in columns]
    try:
        arrays = [_array(own, column.type) for own, column in zip(values, columns, strict=True)]
    except (ValueError, TypeError, OverflowError, ArithmeticError):
        raise Failed from None
    return pa.Table.from_arrays(arrays, names=[column.name for column in columns])


def _array(values: Sequence[Any], kind: SqlType) -> pa.Array:
    import pyarrow as pa

    there = np.fromiter((value is not None for value in values), np.bool_, len(values))
    if kind.name in _NUMBERS:
        name, number = _NUMBERS[kind.name]
        arrow = pa.type_for_alias(name)
        memory = f"<{'f' if number is float else 'i'}{arrow.bit_width // 8}"
        numbers = np.fromiter((0 if value is None else number(value) for value in values), memory, len(values))
        return _from_memory(arrow, there, numbers.tobytes())
    if kind.name == "BOOLEAN":
        return _from_memory(pa.bool_(), there, _bits(np.array([bool(value) for value in values], np.bool_)))
    if kind.name in ("HUGEINT", "DECIMAL"):
        return _from_memory(pa.decimal128(38, kind.scale), there, b"".join(_wide(v, kind.scale) for v in values))
    if kind.name != "VARCHAR":
        raise Failed
    texts = [b"" if value is None else str(value).encode() for value in values]
    ends = np.cumsum([0, *map(len, texts)]).astype("<i4")
    return _from_memory(pa.string(), there, ends.tobytes(), b"".join(texts))


def _wide(value: Any, scale: int) -> bytes:
    number = 0 if value is None else int(Decimal(value).scaleb(scale, _EXACT))
    return number.to_bytes(16, "little", signed=True)


def _bits(flags: NDArray[np.bool_]) -> bytes:
    return np.packbits(flags, bitorder="little").tobytes()


def _from_memory(arrow: pa.DataType, there: NDArray[np.bool_], *parts: bytes) -> pa.Array:
    import pyarrow as pa

    buffers = [None if there.all() else pa.py_buffer(_bits(there)), *map(pa.py_buffer, parts)]
    return pa.Array.from_buffers(arrow, len(there), buffers)
