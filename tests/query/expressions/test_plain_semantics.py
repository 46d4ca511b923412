"""On data that keeps every declaration, an expression has the value of plain DuckDB."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import duckdb
import pytest
import sqlglot

from tacit.query.sql.expressions import NamedScope, read_column, type_expression
from tacit.query.sql.values.storage import number_of
from tacit.query.sql.values.typed import Typed
from tacit.schema.description import Column
from tacit.schema.kind import Kind

_F = Fraction
_COLUMNS = {
    "age": (Column("age", Kind.INTEGER, _F(0), _F(110)), "BIGINT"),
    "z": (Column("z", Kind.INTEGER, _F(-20), _F(20)), "BIGINT"),
    "cost": (Column("cost", Kind.DECIMAL, _F(0), _F(20000), scale=2), "DECIMAL(18,2)"),
    "debt": (Column("debt", Kind.DECIMAL, _F(-100), _F(100), scale=2), "DECIMAL(18,2)"),
    "x": (Column("x", Kind.FLOAT, _F(-10), _F(10)), "DOUBLE"),
    "region": (Column("region", Kind.TEXT), "VARCHAR"),
    "ok": (Column("ok", Kind.BOOLEAN), "BOOLEAN"),
    "day": (Column("day", Kind.DATE, number_of(date(2019, 1, 1)), number_of(date(2025, 1, 1))), "DATE"),
    "moment": (Column("moment", Kind.TIMESTAMP), "TIMESTAMP"),
}
SAME = (
    *("age", "age + 1", "age - z", "age * z", "-z", "age / 7", "age / z", "z // 3", "z // 7", "z % 3", "MOD(z, -4)"),
    *("cost", "cost + 1", "cost - debt", "cost * age", "cost * 0.5", "cost / 3", "debt * debt", "cost % 7", "-debt"),
    *("x + 1", "x * x", "x / 3", "x / age", "1 / x", "cost * x", "2 * x - debt", "x - 0.1"),
    *("age > 40", "cost >= 12.345", "x < 0.5", "z = 3", "z <> debt", "region = 'north'", "region < 'o'", "ok = TRUE"),
    *("day >= '2022-06-01'", "day < moment", "moment > '2022-06-01 12:00:00'", "age IS NULL", "ok IS NOT NULL"),
    *("z IS DISTINCT FROM 3", "z IS NOT DISTINCT FROM NULL", "age BETWEEN 18 AND 65", "z NOT BETWEEN -3 AND 3"),
    *("z IN (1, 2, 3)", "z NOT IN (1, NULL)", "region IN ('north', 'east')", "cost IN (12.34, 5)"),
    *("ok AND age > 40", "ok OR age > 40", "NOT ok", "ok IS TRUE", "ok IS NOT FALSE"),
    *("region LIKE 'n%'", "region NOT LIKE '%h'", "region ILIKE 'N_RTH'", "region LIKE 'x!%' ESCAPE '!'"),
    *("STARTS_WITH(region, 'no')", "ENDS_WITH(region, 'th')", "CONTAINS(region, 'or')", "PREFIX(region, 'n')"),
    *(
        "CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'old' END",
        "CASE region WHEN 'north' THEN 1 END",
    ),
    *("CASE WHEN ok THEN 1 ELSE 2.5 END", "COALESCE(age, 0)", "IFNULL(region, '?')", "NULLIF(z, 3)", "IF(ok, 1, 0)"),
    *(
        "GREATEST(z, 0)",
        "LEAST(age, 65, z)",
        "GREATEST(x, cost)",
        "GREATEST(day, DATE '2022-01-01')",
        "ABS(z)",
        "ABS(x)",
    ),
    *("ABS(debt)", "SIGN(z)", "SIGN(x)", "ROUND(x)", "ROUND(x, 2)", "ROUND(x, -1)", "ROUND(debt)", "ROUND(debt, 1)"),
    *(
        "ROUND(debt, -1)",
        "ROUND(z, -1)",
        "ROUND(age, -2)",
        "FLOOR(x)",
        "FLOOR(debt)",
        "FLOOR(z)",
        "CEIL(x)",
        "CEIL(debt)",
    ),
    *(
        "TRUNC(x)",
        "TRUNC(debt)",
        "SQRT(age)",
        "SQRT(cost)",
        "LN(age + 1)",
        "LOG10(cost + 1)",
        "LOG2(age + 1)",
        "EXP(x)",
    ),
    *("LOG(age + 1)", "POWER(x, 3)", "z ** 2", "LENGTH(region)", "LOWER(region)", "UPPER(region)", "TRIM(region)"),
    *("LTRIM(region, 'n')", "RTRIM(region)", "SUBSTRING(region, 2, 2)", "SUBSTR(region, 3)", "LEFT(region, 2)"),
    *(
        "RIGHT(region, 2)",
        "CONCAT(region, '-', region)",
        "region || '!'",
        "CAST(age AS VARCHAR)",
        "CAST(cost AS VARCHAR)",
    ),
    *(
        "CAST(debt AS VARCHAR)",
        "CAST(x AS VARCHAR)",
        "CAST(ok AS VARCHAR)",
        "CAST(day AS VARCHAR)",
        "CAST(moment AS VARCHAR)",
    ),
    *("CAST(x AS BIGINT)", "CAST(debt AS INT)", "x::DECIMAL(10, 2)", "debt::DECIMAL(10, 1)", "z::DECIMAL(10, 2)"),
    *(
        "age::DOUBLE",
        "cost::DOUBLE",
        "ok::INT",
        "z::BOOLEAN",
        "moment::DATE",
        "day::TIMESTAMP",
        "TRY_CAST(region AS INT)",
    ),
    *("TRY_CAST(region AS DATE)", "TRY_CAST(x AS TINYINT)", "date_trunc('year', day)", "date_trunc('quarter', day)"),
    *("date_trunc('month', day)", "date_trunc('week', day)", "date_trunc('day', moment)", "date_trunc('hour', moment)"),
    *("date_trunc('minute', moment)", "EXTRACT(YEAR FROM day)", "EXTRACT(QUARTER FROM day)", "date_part('week', day)"),
    *(
        "MONTH(day)",
        "DAY(day)",
        "EXTRACT(DOW FROM day)",
        "ISODOW(day)",
        "EXTRACT(DOY FROM day)",
        "HOUR(moment)",
        "MINUTE(moment)",
    ),
    *("SECOND(moment)", "YEAR(moment)", "WEEK(day)", "QUARTER(moment)", "DAYOFWEEK(day)", "DAYOFYEAR(day)"),
    *("date_diff('day', day, DATE '2022-01-01')", "date_diff('month', day, moment)", "date_diff('year', day, moment)"),
    *("date_diff('week', day, moment)", "date_diff('hour', day, moment)", "date_diff('quarter', moment, day)"),
    *(
        "date_diff('minute', day, moment)",
        "date_diff('second', moment, day)",
        "day + INTERVAL 1 MONTH",
        "day - INTERVAL '10 days'",
    ),
    *(
        "moment + INTERVAL 36 HOUR",
        "day + INTERVAL 90 MINUTE",
        "day - DATE '2022-01-01'",
        "date_add(day, INTERVAL 1 YEAR)",
    ),
    *(
        "day BETWEEN '2021-01-01' AND '2022-12-31'",
        "(age + 1) * (z - 2)",
        "NULL",
        "age + NULL",
        "1 + 2 * 3",
        "7 // 2",
        "COALESCE(NULLIF(5, 5), 6)",
        "COALESCE(TRY_CAST(300 AS TINYINT), 0) + z",
        "-7 // 2 + 10 % -3",
        "age - 1 - 2 - 3 - z",
        "NULLIF('a', 'a') IS NULL",
    ),
)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        texts = "['north', 'South', ' east ', 'wést', '12', '2021-05-05', 'x%']"
        opened.execute(
            f"""CREATE TABLE t AS SELECT
            CASE WHEN row % 13 <> 0 THEN row * 7 % 111 END AS age,
            CASE WHEN row % 11 <> 0 THEN row * 3 % 41 - 20 END AS z,
            CAST(row * 137 % 2000000 AS DECIMAL(18, 2)) / 1 * 0 + CAST(row * 97.13 % 20000 AS DECIMAL(18, 2)) AS cost,
            CAST(row * 1.05 % 200 - 100 AS DECIMAL(18, 2)) AS debt,
            CASE WHEN row % 17 <> 0 THEN row * 0.173 % 20 - 10 END::DOUBLE AS x,
            CASE WHEN row % 7 <> 0 THEN {texts}[row % 7] END AS region,
            CASE row % 3 WHEN 0 THEN TRUE WHEN 1 THEN FALSE END AS ok,
            DATE '2019-01-01' + CAST(row * 37 % 2190 AS INTEGER) AS day,
            TIMESTAMP '2020-02-28 22:30:15' + to_minutes(CAST(row * 9973 AS INTEGER)) AS moment
            FROM range(400) r(row)"""
        )
        opened.execute("ALTER TABLE t ALTER cost TYPE DECIMAL(18, 2)")
        yield opened


def _scope() -> NamedScope:
    return NamedScope({name: read_column(column, name, physical) for name, (column, physical) in _COLUMNS.items()})


def _meaning(typed: Typed, value: object) -> object:
    """The value as an analyst would write it."""
    return Fraction(value, 10**typed.scale) if typed.kind is Kind.DECIMAL and isinstance(value, int) else value


def _agree(ours: object, theirs: object) -> bool:
    if isinstance(theirs, float) and not math.isfinite(theirs):
        return ours is None
    if isinstance(theirs, float | int) and isinstance(ours, float | int | Fraction):
        return math.isclose(ours, theirs, rel_tol=1e-12, abs_tol=1e-12)
    if isinstance(theirs, Decimal) and isinstance(ours, float):
        return math.isclose(ours, theirs, rel_tol=1e-12, abs_tol=1e-12)
    if isinstance(theirs, Decimal):
        return ours == Fraction(theirs)
    if isinstance(ours, date) and not isinstance(ours, datetime) and isinstance(theirs, datetime):
        return datetime.combine(ours, datetime.min.time()) == theirs
    return ours == theirs


@pytest.mark.parametrize("text", SAME)
def test_the_value_is_plain_duckdbs(text: str, connection: duckdb.DuckDBPyConnection) -> None:
    """The analyst's words keep their meaning; a division by zero, where DuckDB gives infinity or fails, is NULL."""
    typed = type_expression(sqlglot.parse_one(text, dialect="duckdb"), _scope())
    rows = connection.execute(f"SELECT {typed.sql}, TRY({text}) FROM t").fetchall()
    wrong = [(ours, theirs) for ours, theirs in rows if not _agree(_meaning(typed, ours), theirs)]
    assert wrong[:3] == []
    assert text in ("NULL", "age + NULL") or any(ours is not None for ours, _ in rows)
