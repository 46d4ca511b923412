"""Every physical type, every declaration: what is read obeys the declaration (R07, R15, R16, R17, R26)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction

import duckdb
import pytest
from tests.query.expressions.poison import POISON, create
from tests.query.expressions.typed_law import faults

from tacit.query.sql.expressions import read_column
from tacit.query.sql.values.storage import number_of
from tacit.schema.description import Column
from tacit.schema.kind import Kind

_F = Fraction
_NEW_YEAR = number_of(date(2020, 1, 1))
_DECLARED = (
    Column("plain", Kind.INTEGER),
    Column("age", Kind.INTEGER, _F(0), _F(110)),
    Column("tiny", Kind.INTEGER, _F(-3), _F(3)),
    Column("from_ten", Kind.INTEGER, _F(10)),
    Column("up_to_ten", Kind.INTEGER, None, _F(10)),
    Column("below_all", Kind.INTEGER, _F(-(10**18)), _F(-(10**17))),
    Column("above_all", Kind.INTEGER, _F(10**17), _F(10**18)),
    Column("wide", Kind.INTEGER, _F(-(10**17)), _F(10**17)),
    Column("huge", Kind.INTEGER, _F(-(10**30)), _F(10**30)),
    Column("listed", Kind.INTEGER, keys=(1, 2, 50)),
    Column("gapless", Kind.INTEGER, keys=(1, 2, 3)),
    Column("money", Kind.DECIMAL, _F(0), _F(100), scale=2),
    Column("plain_money", Kind.DECIMAL, scale=2),
    Column("fine", Kind.DECIMAL, _F(-1, 3), _F(1, 3), scale=9),
    Column("plain_fine", Kind.DECIMAL, scale=9),
    Column("wide_money", Kind.DECIMAL, _F(-(10**15)), _F(10**15), scale=3),
    Column("beyond_money", Kind.DECIMAL, _F(-(10**33)), _F(-(10**30)), scale=2),
    Column("above_money", Kind.DECIMAL, _F(10**30), _F(10**33), scale=2),
    Column("listed_money", Kind.DECIMAL, scale=1, keys=(0, 1, 2, 3)),
    Column("free", Kind.FLOAT),
    Column("unit", Kind.FLOAT, _F(0), _F(1)),
    Column("tenth", Kind.FLOAT, _F(1, 10), _F(1, 3)),
    Column("above", Kind.FLOAT, _F(-5)),
    Column("below", Kind.FLOAT, None, _F(5)),
    Column("note", Kind.TEXT),
    Column("region", Kind.TEXT, keys=("north", "south", "it's", "")),
    Column("flag", Kind.BOOLEAN),
    Column("only_true", Kind.BOOLEAN, keys=(True,)),
    Column("day", Kind.DATE),
    Column("year", Kind.DATE, _NEW_YEAR, _NEW_YEAR + 365),
    Column("holidays", Kind.DATE, keys=(date(2020, 12, 31), date(2024, 2, 29))),
    Column("moment", Kind.TIMESTAMP),
    Column("since", Kind.TIMESTAMP, number_of(datetime(2020, 1, 1))),
)
COLUMNS = (*_DECLARED, *(replace(column, nullable=False) for column in _DECLARED))


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("SET TimeZone = 'UTC'")
        yield opened


@pytest.mark.parametrize("physical", POISON)
def test_whatever_lies_in_the_file_obeys_the_declaration(physical: str, connection: duckdb.DuckDBPyConnection) -> None:
    """R07, R15, R26: each declaration over each physical type, whether the type is known to the planner or not."""
    create(connection, "t", {"x": physical}, len(POISON[physical]) + 1)
    for known in (None, physical):
        assert faults(connection, "t", [read_column(column, '"t"."x"', known) for column in COLUMNS]) == []


def test_collation_of_a_stored_column_is_ignored(connection: duckdb.DuckDBPyConnection) -> None:
    """R20: texts are equal only letter by letter, whatever the file says."""
    connection.execute("CREATE OR REPLACE TABLE c (x VARCHAR COLLATE NOCASE)")
    connection.execute("INSERT INTO c VALUES ('North'), ('north')")
    for physical in (None, "VARCHAR"):
        typed = read_column(Column("x", Kind.TEXT), "x", physical)
        assert connection.execute(f"SELECT count(*) FROM c WHERE {typed.sql} = 'north'").fetchone() == (1,)


@pytest.mark.parametrize(
    ("physical", "written", "column", "value"),
    [
        ("DOUBLE", "2.5", Column("x", Kind.INTEGER), 3),
        ("DOUBLE", "-2.5", Column("x", Kind.INTEGER, _F(-9), _F(9)), -3),
        ("VARCHAR", "'2.5'", Column("x", Kind.INTEGER, _F(-9), _F(9)), 3),
        ("DECIMAL(4,1)", "2.5", Column("x", Kind.INTEGER), 3),
        ("DOUBLE", "1e308", Column("x", Kind.INTEGER), 2**63 - 1),
        ("VARCHAR", "'9007199254740993'", Column("x", Kind.INTEGER), 9007199254740993),
        ("DOUBLE", "'-inf'", Column("x", Kind.DECIMAL, _F(-1), _F(1), scale=2), -100),
        ("VARCHAR", "'12.345'", Column("x", Kind.DECIMAL, _F(0), _F(99), scale=2), 1235),
        ("DECIMAL(18,2)", "12.34", Column("x", Kind.DECIMAL, scale=2), 1234),
        ("DECIMAL(18,2)", "12.35", Column("x", Kind.DECIMAL, scale=1), 124),
        ("BIGINT", "7", Column("x", Kind.DECIMAL, scale=2), 700),
        ("DOUBLE", "'inf'", Column("x", Kind.FLOAT, _F(0), _F(2)), 2.0),
        ("DOUBLE", "'inf'", Column("x", Kind.FLOAT), None),
        ("DOUBLE", "'nan'", Column("x", Kind.FLOAT, _F(0), _F(2)), None),
        ("VARCHAR", "'south'", Column("x", Kind.TEXT, keys=("north",)), None),
        ("VARCHAR", "'south'", Column("x", Kind.TEXT, keys=("north",), nullable=False), "north"),
        ("DATE", "'infinity'", Column("x", Kind.DATE), date(9999, 12, 31)),
        ("TIMESTAMP WITH TIME ZONE", "'2024-02-29 23:30:00-05'", Column("x", Kind.DATE), date(2024, 3, 1)),
        ("DECIMAL(4,1)", "1.5", Column("x", Kind.DECIMAL, scale=1, keys=(1, 2)), None),
    ],
)
def test_values_are_read_as_documented(
    physical: str, written: str, column: Column, value: object, connection: duckdb.DuckDBPyConnection
) -> None:
    """R07: halves go away from zero, what is out of bounds is the bound, what is no value is NULL."""
    connection.execute(f"CREATE OR REPLACE TABLE v AS SELECT CAST({written} AS {physical}) AS x")
    for known in (None, physical):
        if known is None and physical == "DOUBLE" and written == "2.5":
            continue  # a column without bounds, read from an unknown type, is rounded by the engine's own cast
        assert connection.execute(f"SELECT {read_column(column, 'x', known).sql} FROM v").fetchone() == (value,)


def test_matching_types_are_read_without_casts() -> None:
    """A BIGINT without bounds is the column itself; with bounds only comparisons are added."""
    assert read_column(Column("x", Kind.INTEGER), '"t"."x"', "BIGINT").sql == '"t"."x"'
    assert "CAST" not in read_column(Column("x", Kind.INTEGER, _F(0), _F(9)), '"t"."x"', "BIGINT").sql


def test_a_read_without_the_clamp_is_caught(connection: duckdb.DuckDBPyConnection) -> None:
    """A deliberately broken twin: the bounds are believed instead of enforced (R16)."""
    create(connection, "t", {"x": "BIGINT"}, 7)
    honest = read_column(Column("x", Kind.INTEGER, _F(0), _F(9)), "x", "BIGINT")
    assert faults(connection, "t", [honest]) == []
    assert faults(connection, "t", [replace(honest, sql="x")]) != []


def test_a_read_with_plain_casts_is_caught(connection: duckdb.DuckDBPyConnection) -> None:
    """A deliberately broken twin: CAST, which fails on some rows, instead of TRY_CAST (R26)."""
    create(connection, "t", {"x": "VARCHAR"}, 40)
    honest = read_column(Column("x", Kind.DATE), "x")
    assert faults(connection, "t", [honest]) == []
    assert faults(connection, "t", [replace(honest, sql=honest.sql.replace("TRY_CAST", "CAST"))]) != []


def test_a_believed_non_null_is_caught(connection: duckdb.DuckDBPyConnection) -> None:
    """A deliberately broken twin: a column declared without NULLs, and believed."""
    create(connection, "t", {"x": "DOUBLE"}, 30)
    nullable = read_column(Column("x", Kind.FLOAT), "x", "DOUBLE")
    assert faults(connection, "t", [replace(nullable, nullable=False)]) != []
