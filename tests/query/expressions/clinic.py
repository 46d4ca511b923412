"""A small clinic's columns, as an analyst's scope."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import sqlglot

from tacit.query.sql.expressions import NamedScope, read_column, type_expression
from tacit.query.sql.values.storage import number_of
from tacit.query.sql.values.typed import Typed
from tacit.schema.description import Column
from tacit.schema.kind import Kind

_F = Fraction
COLUMNS = {
    "id": (Column("id", Kind.INTEGER, nullable=False), "BIGINT"),
    "age": (Column("age", Kind.INTEGER, _F(0), _F(110)), "BIGINT"),
    "stay": (Column("stay", Kind.INTEGER, _F(0), _F(30)), "BIGINT"),
    "cost": (Column("cost", Kind.DECIMAL, _F(0), _F(20000), scale=2), "DECIMAL(18,2)"),
    "dose": (Column("dose", Kind.FLOAT, _F(0), _F(5)), "DOUBLE"),
    "score": (Column("score", Kind.FLOAT), "DOUBLE"),
    "region": (Column("region", Kind.TEXT, keys=("north", "south", "east", "west")), "VARCHAR"),
    "ward": (Column("ward", Kind.TEXT), "VARCHAR"),
    "urgent": (Column("urgent", Kind.BOOLEAN), "BOOLEAN"),
    "day": (Column("day", Kind.DATE, number_of(date(2023, 11, 15)), number_of(date(2024, 2, 10))), "DATE"),
    "born": (Column("born", Kind.DATE), "DATE"),
    "moment": (Column("moment", Kind.TIMESTAMP), "TIMESTAMP"),
}
SCOPE = NamedScope(
    {name: read_column(column, f'"visits"."{name}"', physical) for name, (column, physical) in COLUMNS.items()},
    {
        (table, name): read_column(column, f'"{table}"."{name}"', physical)
        for table in ("visits", "other")
        for name, (column, physical) in COLUMNS.items()
    },
)


def typed(text: str) -> Typed:
    """The expression that an analyst wrote."""
    return type_expression(sqlglot.parse_one(text, dialect="duckdb"), SCOPE)


def create() -> str:
    """The SQL of an empty table of visits."""
    columns = ", ".join(f'"{name}" {physical}' for name, (_, physical) in COLUMNS.items())
    return f"CREATE TABLE visits ({columns})"
