"""Every refusal gives the reason, and what would be accepted."""

from __future__ import annotations

import pytest
import sqlglot
from tests.query.expressions.clinic import SCOPE, typed

from tacit.errors import Refused
from tacit.query.sql.expressions import NamedScope, type_expression, type_predicate


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("agee", "age"),
        ("visits.agee", "age"),
        ("nowhere.age", "one of"),
        ("main.visits.age", "table.column"),
        ("age = '1'", "CAST"),
        ("region = 1", "CAST"),
        ("region = day", "CAST"),
        ("ward < born", "CAST"),
        ("urgent = 1", "CAST"),
        ("day = 'yesterday'", "'2024-01-31'"),
        ("day = '2024-01-31 10:00:00+02'", "UTC"),
        ("DATE '2024-02-30'", "'2024-01-31'"),
        ("id * id * id", "bounds"),
        ("age + urgent", "CAST"),
        ("day + 1", "INTERVAL"),
        ("moment - moment", "date_diff"),
        ("dose // 2", "FLOOR"),
        ("dose % 2", "CAST"),
        ("random()", "columns"),
        ("uuid()", "columns"),
        ("now()", "DATE"),
        ("current_date", "DATE"),
        ("today()", "DATE"),
        ("current_timestamp", "DATE"),
        ("age IN (SELECT 1)", "IN (1"),
        ("age IN (stay, 2)", "="),
        ("EXISTS (SELECT 1)", "join"),
        ("(SELECT 1)", "join"),
        ("SUM(age)", "one row"),
        ("ROW_NUMBER() OVER ()", "one row"),
        ("?", "value"),
        ("regexp_matches(ward, '(a+)+$')", "(a|b) of texts"),
        ("regexp_matches(ward, '[a-z]+x')", "^ before it"),
        ("ward ~ '^[a-z]+x'", "before something else"),
        ("ward SIMILAR TO 'x{2}'", "letters and digits"),
        ("regexp_extract(ward, 'x')", "LIKE"),
        ("REPLACE(ward, '', 'x')", "the first not empty"),
        ("SPLIT_PART(ward, '', 1)", "counted from 1"),
        ("LPAD(ward, 5000, ' ')", "letters"),
        ("STRFTIME(day, '%Q')", "%Y"),
        ("TO_CHAR(day, 'Month')", "YYYY"),
        ("STRPTIME(ward, '%B %Y')", "each once"),
        ("STRPTIME(ward, '%d.%m')", "%Y at least"),
        ("MONTHNAME(age)", "CAST"),
        ("MAKE_DATE(cost, 1, 1)", "INTEGER"),
        ("ward GLOB 'x'", "LIKE"),
        ("ward LIKE region", "quoted text"),
        ("ward LIKE 'x!' ESCAPE '!'", "!!"),
        ("ward LIKE '%a%b%c%d%e%f%g%h%'", "at most"),
        ("ward COLLATE nocase = 'x'", "LOWER"),
        ("moment AT TIME ZONE 'UTC'", "without a zone"),
        ("LENGHT(ward)", "LENGTH"),
        ("initcap(ward)", "docs/sql-semantics.md"),
        ("CAST(age AS BLOB)", "BIGINT"),
        ("CAST(moment AS TIMESTAMPTZ)", "TIMESTAMP"),
        ("CAST(day AS BIGINT)", "date_diff"),
        ("CAST(age AS DATE)", "'2024-01-31'"),
        ("CAST(age AS DECIMAL(38, 20))", "DECIMAL(18, 2)"),
        ("INTERVAL 1 DAY", "day + INTERVAL"),
        ("day + INTERVAL (stay) DAY", "INTERVAL 3 MONTH"),
        ("day + INTERVAL '1 fortnight'", "week"),
        ("day + INTERVAL 1000000 YEAR", "INTERVAL"),
        ("date_trunc('fortnight', day)", "week"),
        ("EXTRACT(CENTURY FROM day)", "year"),
        ("date_trunc('month', ward)", "CAST"),
        ("POWER(age, 0.5)", "SQRT"),
        ("POWER(age, stay)", "POWER(x, 2)"),
        ("ROUND(cost, stay)", "ROUND(x, 2)"),
        ("WIDTH_BUCKET(age, 10, 0, 5)", "low < high"),
        ("WIDTH_BUCKET(age, 0, stay, 5)", "literals"),
        ("WIDTH_BUCKET(age, 0, 10, 0)", "1 ≤ n"),
        ("SUBSTRING(ward, 0, 2)", "start ≥ 1"),
        ("SUBSTRING(ward, age, 2)", "literals"),
        ("LEFT(ward, -1)", "LEFT"),
        ("UPPER(age)", "CAST"),
        ("age AND urgent", "x > 0"),
        ("CASE WHEN age THEN 1 END", "x > 0"),
        ("CASE WHEN urgent THEN 1 ELSE 'x' END", "CAST"),
        ("COALESCE(age, 'x')", "CAST"),
        ("GREATEST(urgent, TRUE)", "OR"),
        ("[1, 2]", "columns"),
        ("(age, stay) = (1, 2)", "AND"),
        ("age & 1", "columns"),
        ("*", "column"),
        ("1e400", "number"),
        ("170141183460469231731687303715884105727", "number"),
        ("LOG(3, age)", "LN"),
        ("ROUND(dose, 300)", "ROUND"),
        ("-ward", "CAST"),
    ],
)
def test_a_refusal_names_its_cure(text: str, cure: str) -> None:
    """Each refused expression says what, why and what instead; nothing but `Refused` is raised (R26, R29)."""
    with pytest.raises(Refused) as caught:
        typed(text)
    assert caught.value.why.endswith(".")
    assert cure in caught.value.accepted


def test_ambiguous_names_ask_for_the_table() -> None:
    """A name that two tables have is refused with both."""
    scope = NamedScope({}, {(table, "age"): typed("age") for table in ("visits", "people")})
    with pytest.raises(Refused, match=r"people\.age or visits\.age"):
        type_expression(sqlglot.parse_one("age", dialect="duckdb"), scope)


def test_names_are_found_whatever_their_case() -> None:
    """As in DuckDB, AGE and "Age" are age."""
    assert typed("AGE") == typed('visits."Age"') == typed("age")


def test_a_condition_must_be_true_or_false() -> None:
    """WHERE takes a truth value; NULL counts as one."""
    assert type_predicate(sqlglot.parse_one("age > 3", dialect="duckdb"), SCOPE).nullable
    assert type_predicate(sqlglot.parse_one("NULL", dialect="duckdb"), SCOPE).keys == ()
    with pytest.raises(Refused, match="true or false"):
        type_predicate(sqlglot.parse_one("age", dialect="duckdb"), SCOPE)


def test_expressions_cannot_grow_without_end() -> None:
    """Guards repeat what they guard; depth and length are refused before an engine has to plan them."""
    with pytest.raises(Refused, match="letters of SQL"):
        typed(" / ".join(["score"] * 40))
    with pytest.raises(Refused, match="nested"):
        typed(" + ".join(["age"] * 400))
    assert len(typed(" + ".join(["age"] * 100)).sql) < 20_000
