"""Merging sub-selects does not change the query: DuckDB returns the same rows for ibis's SQL and for ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import ibis
import pytest
import sqlglot
from ibis import _
from ibis.backends.sql.compilers.duckdb import compiler
from sqlglot import exp
from tests.curator.ibis_asks import ALSO, SAME, Ask
from tests.curator.ibis_clinic import TABLES

from tacit.curator.ibis_expression import sql_of
from tacit.query.sql.simplification.sub_selects import merged

TYPES = {
    "visits": {
        "patient_id": "int64",
        "region": "string",
        "cost": "decimal(9, 2)",
        "day": "date",
        "age": "int64",
        "at": "timestamp(6)",
        "ok": "boolean",
        "x": "float64",
        "the ward": "string",
        "order": "int64",
    },
    "regions": {"code": "string", "name": "string", "size": "int64"},
    "drugs": {"pid": "int64", "drug": "string", "dose": "int64"},
}
HARD: list[Ask] = [
    lambda t, r, d: t.group_by("region").agg(n=t.count()).order_by("n").limit(1).filter(_.n > 100),
    lambda t, r, d: t.group_by("region").agg(n=t.count()).order_by("n").limit(2).order_by("region").limit(1),
    lambda t, r, d: t.mutate(k=ibis.literal(2)).group_by("k", "region").agg(n=_.count()).select("n", "region", "k"),
    lambda t, r, d: t.group_by("region").agg(n=t.count(), k=ibis.literal(2)).order_by("k", "n").select("n", "region"),
    lambda t, r, d: t.left_join(r.mutate(big=r.size.fill_null(7)), t.region == r.code).agg(s=_.big.sum(), n=_.count()),
    lambda t, r, d: t.left_join(r.filter(r.size > 0), t.region == r.code).agg(s=_.name.count(), n=_.count()),
    lambda t, r, d: t.right_join(d.filter(d.dose > 3), t.patient_id == d.pid).filter(_.age > 50).agg(n=_.count()),
    lambda t, r, d: t.filter(t.age > 50).right_join(d, t.patient_id == d.pid).agg(n=_.count()),
    lambda t, r, d: t.filter(t.age > 50).anti_join(d.filter(d.dose > 5), t.patient_id == d.pid).agg(n=_.count()),
    lambda t, r, d: t.mutate(w=t.age.rank()).filter(_.w < 5).agg(n=_.count()),
    lambda t, r, d: t.select("region", "ok").distinct().filter(_.ok).order_by("region"),
    lambda t, r, d: t.select("region", "ok").distinct().region.count(),
    lambda t, r, d: t.order_by("age").limit(7).cost.sum(),
    lambda t, r, d: t.mutate(region=t.region.upper()).group_by("region").agg(n=_.count()).order_by("region"),
    lambda t, r, d: t.mutate(age=t.age + 1).mutate(age=_.age * 2).filter(_.age > 9).agg(s=(_.age - 1).sum()),
    lambda t, r, d: t.group_by("region").agg(n=t.count()).filter(_.n > 3).mutate(n=_.n * 2).filter(_.n > 500),
    lambda t, r, d: t.group_by("region").agg(n=t.count()).join(r, [("region", "code")]).order_by("name"),
    lambda t, r, d: t.filter(t.age > 3).join(t.filter(t.age > 4).view(), "patient_id").agg(n=_.count()),
    lambda t, r, d: t.mutate(a=-t.age).agg(s=(3 - _.a).sum(), q=(_.a * _.a).max()),
    lambda t, r, d: t.agg(n=t.count()).filter(_.n > 10_000),
    lambda t, r, d: t.union(t, distinct=False).agg(n=_.count()),
]


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect()
    for name, rows in TABLES.items():
        connection.execute(f"CREATE TABLE {name} AS {rows}")
    yield connection
    connection.close()


def compiled(ask: Ask) -> tuple[Any, str]:
    """The expression, and ibis's own SQL for it."""
    expression = ask(*(ibis.table(types, name=name) for name, types in TYPES.items()))
    return expression, compiler.to_sqlglot(expression).sql(dialect="duckdb")


def rows(database: duckdb.DuckDBPyConnection, sql: str, ordered: bool) -> list[tuple[object, ...]]:
    found = [tuple(_near(cell) for cell in row) for row in database.execute(sql).fetchall()]
    return found if ordered else sorted(found, key=repr)


def _near(cell: object) -> object:
    return round(cell, 9) if isinstance(cell, float) else cell


EVERY = [ask for ask, sql in SAME if "COUNT(DISTINCT patient_id)" not in sql] + ALSO + HARD


@pytest.mark.parametrize("place", range(len(EVERY)))
def test_the_rows_are_the_same(database: duckdb.DuckDBPyConnection, place: int) -> None:
    expression, sql = compiled(EVERY[place])
    ours = sql_of(expression)
    ordered = "ORDER BY" in sql.rpartition(")")[2]
    assert rows(database, ours, ordered) == rows(database, sql, ordered)


def test_most_are_one_select() -> None:
    """The oracle above would hold if nothing were merged; something is."""
    many = [sql_of(compiled(ask)[0]).count("SELECT") for ask in EVERY]
    before = [compiled(ask)[1].count("SELECT") for ask in EVERY]
    assert sum(count == 1 for count in before) < 20
    assert sum(count == 1 for count in many) > 35


@pytest.mark.parametrize(
    "wrong",
    [
        "SELECT * FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY 1 ORDER BY n LIMIT 1) AS t WHERE t.n > 300",
        "SELECT COUNT(*) AS n FROM (SELECT * FROM visits LIMIT 3) AS t",
        "SELECT SUM(t.n) AS s FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY 1) AS t",
        "SELECT region AS r FROM (SELECT age AS region, region AS age FROM visits) AS t ORDER BY 1",
        "SELECT COUNT(t.w) AS n FROM (SELECT row_number() OVER () AS w FROM visits) AS t",
        "SELECT u.region FROM (SELECT t.* FROM visits AS t, drugs AS d) AS u",
    ],
)
def test_what_cannot_be_merged_is_left(wrong: str) -> None:
    tree = sqlglot.parse_one(wrong, dialect="duckdb")
    assert isinstance(tree, exp.Select)
    assert len(list(merged(tree).find_all(exp.Select))) == 2


def test_what_would_grow_without_end_is_left() -> None:
    sql = "SELECT COUNT(*) AS n FROM visits WHERE visits.age > 0"
    text = "visits"
    for level in range(24):
        text = f"(SELECT s{level}.age + s{level}.age AS age FROM {text} AS s{level})"
    tree = sqlglot.parse_one(f"SELECT SUM(t.age) AS n FROM {text} AS t", dialect="duckdb")
    assert isinstance(tree, exp.Select)
    assert len(merged(tree).sql(dialect="duckdb")) < 1_000_000
    assert merged(sqlglot.parse_one(sql, dialect="duckdb")).sql(dialect="duckdb") == sql
