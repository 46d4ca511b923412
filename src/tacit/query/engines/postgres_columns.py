"""The columns of a PostgreSQL table: their types in DuckDB's words, and how each is read so that it is of that type."""

from __future__ import annotations

from typing import Any

from tacit.frozen import frozen
from tacit.query.dialects.piece import natural_reach
from tacit.query.dialects.scopes import OutputColumn, Relation
from tacit.query.dialects.sql_type import type_named

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
_TYPES = {
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "int8": "BIGINT",
    "float4": "FLOAT",
    "float8": "DOUBLE",
    "bool": "BOOLEAN",
    "text": "VARCHAR",
    "varchar": "VARCHAR",
    "bpchar": "VARCHAR",
    "name": "VARCHAR",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
    "uuid": "UUID",
    "time": "TIME",
    "bytea": "BLOB",
}
_FREE = "DECIMAL(28,9)"  # a numeric without a precision: every 64-bit integer, and nine digits after the point
_LIMIT = "9999999999999999999.999999999"


@frozen
class PostgresColumn:
    """A column: its type as DuckDB would call it, and whether it has digits that were never limited."""

    name: str
    type: str
    is_free: bool = False

    def reading(self) -> str:
        """The column as that type. Of a numeric without a precision NaN is NULL, and digits are cut off."""
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
        """What gives a DECIMAL of a numeric, which may be NaN."""
        return "nullif({}, 'NaN')" if self.type.startswith("DECIMAL") and not self.is_free else None


def column_of(row: tuple[Any, ...]) -> PostgresColumn:
    """A row of `COLUMNS_SQL` as a column."""
    name, own, sort, is_builtin, modifier, is_deterministic, is_computed = row
    if is_computed:
        return PostgresColumn(name, "COMPUTED WHEN READ")
    if sort == "e" or (is_builtin and _TYPES.get(own) == "VARCHAR"):
        return PostgresColumn(name, "VARCHAR" if is_deterministic else "TEXT OF A NONDETERMINISTIC COLLATION")
    if not is_builtin or (own not in _TYPES and own != "numeric"):
        return PostgresColumn(name, own.removeprefix("_").upper() + ("[]" if own.startswith("_") else ""))
    if own != "numeric":
        return PostgresColumn(name, _TYPES[own])
    width, scale = (modifier - 4) >> 16 & 0xFFFF, ((modifier - 4) & 0x7FF ^ 1024) - 1024
    if modifier < 4 or not (0 <= scale <= width <= 38):
        return PostgresColumn(name, _FREE, is_free=True)
    return PostgresColumn(name, f"DECIMAL({width},{scale})")


def relation_of(schema: str, table: str, columns: tuple[PostgresColumn, ...]) -> Relation:
    """The table as something to select from, every column of its type."""
    listed = ", ".join(f"{column.reading()} AS {quoted(column.name)}" for column in columns)
    kinds = [type_named(column.type) for column in columns]
    outputs = tuple(
        OutputColumn(column.name, kind, natural_reach(kind), column.made_exact)
        for column, kind in zip(columns, kinds, strict=True)
    )
    return Relation(f"(SELECT {listed} FROM {quoted(schema)}.{quoted(table)})", outputs)


def quoted(name: str) -> str:
    """A name as an identifier."""
    return '"' + name.replace('"', '""') + '"'
