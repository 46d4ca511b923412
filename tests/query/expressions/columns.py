"""Columns of every kind as a description declares them, and the physical types that they are found in."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction

from tacit.query.sql.values.storage import number_of
from tacit.schema.description import Column
from tacit.schema.kind import Kind

_F = Fraction
COLUMNS: tuple[tuple[Column, tuple[str, ...]], ...] = (
    (Column("age", Kind.INTEGER, _F(0), _F(110)), ("BIGINT", "DOUBLE", "VARCHAR")),
    (Column("n", Kind.INTEGER), ("BIGINT", "UHUGEINT", "VARCHAR")),
    (Column("z", Kind.INTEGER, _F(-7), _F(5), nullable=False), ("TINYINT", "FLOAT", "BOOLEAN")),
    (Column("k", Kind.INTEGER, keys=(1, 2, 50)), ("SMALLINT", "BIGINT", "VARCHAR")),
    (Column("cost", Kind.DECIMAL, _F(0), _F(20000), scale=2), ("DECIMAL(18,2)", "DOUBLE", "VARCHAR")),
    (Column("debt", Kind.DECIMAL, _F(-50), _F(50), scale=1), ("DECIMAL(4,1)", "DOUBLE", "INTEGER")),
    (Column("any_cost", Kind.DECIMAL, scale=3), ("DECIMAL(38,10)", "DOUBLE", "VARCHAR")),
    (Column("x", Kind.FLOAT), ("DOUBLE", "FLOAT", "VARCHAR")),
    (Column("w", Kind.FLOAT, _F(0), _F(1)), ("DOUBLE", "FLOAT", "VARCHAR")),
    (Column("s", Kind.FLOAT, _F(-1000), _F(1000), nullable=False), ("DOUBLE", "BIGINT", "VARCHAR")),
    (Column("region", Kind.TEXT, keys=("north", "South", "it's")), ("VARCHAR", "ENUM('north', 'x', '12')", "BLOB")),
    (Column("note", Kind.TEXT), ("VARCHAR", "INTEGER[]", "UUID")),
    (Column("ok", Kind.BOOLEAN), ("BOOLEAN", "VARCHAR", "DOUBLE")),
    (Column("yes", Kind.BOOLEAN, nullable=False), ("BOOLEAN", "BIT", "TINYINT")),
    (Column("day", Kind.DATE), ("DATE", "TIMESTAMP", "VARCHAR")),
    (
        Column("visit", Kind.DATE, number_of(date(2020, 1, 1)), number_of(date(2024, 12, 31)), nullable=False),
        ("DATE", "TIMESTAMP WITH TIME ZONE", "VARCHAR"),
    ),
    (Column("moment", Kind.TIMESTAMP), ("TIMESTAMP", "TIMESTAMP_NS", "DATE")),
    (
        Column("at", Kind.TIMESTAMP, number_of(datetime(2024, 1, 1)), number_of(datetime(2024, 3, 1))),
        ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "VARCHAR"),
    ),
)
