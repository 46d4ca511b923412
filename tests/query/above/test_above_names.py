"""Names above the noise: how keys and aggregates are found, and how columns are called."""

from __future__ import annotations

import pytest
from sqlglot import parse_one
from tests.query.above.sketches import select

from tacit.errors import Refused
from tacit.query.post_noise.post_processing import read_post_processing
from tacit.query.post_noise.scope import canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("count( * )", "COUNT(*)"),
        ("Avg(Cost)", 'AVG("cost")'),
        ("(region)", "region"),
        ("date_trunc('MONTH', day)", "DATE_TRUNC('month', DAY)"),
        ("SUM(cost /* euro */)", "sum(COST)"),
        ("COUNT(*) FILTER (WHERE age > 3)", "count(*) filter (where AGE > 3)"),
    ],
)
def test_one_expression_has_one_canonical_text(one: str, other: str) -> None:
    assert canonical(parse_one(one, dialect="duckdb")) == canonical(parse_one(other, dialect="duckdb"))


@pytest.mark.parametrize(("one", "other"), [("'A'", "'a'"), ("SUM(a)", "SUM(b)"), ("t.a", "u.a"), ("a - b", "b - a")])
def test_different_expressions_have_different_texts(one: str, other: str) -> None:
    assert canonical(parse_one(one, dialect="duckdb")) != canonical(parse_one(other, dialect="duckdb"))


def test_a_table_may_be_left_off_where_it_is_clear() -> None:
    read_post_processing(select("SELECT v.region, AVG(cost) FROM v"), ["v.region"], ["AVG(v.cost)"])
    read_post_processing(select("SELECT region, AVG(cost) FROM v"), ["v.region"], ["AVG(v.cost)"])
    read_post_processing(select("SELECT v.region FROM v"), ["region"], [])
    with pytest.raises(Refused):
        read_post_processing(select("SELECT region FROM v, w"), ["v.region", "w.region"], [])


def test_a_table_that_is_named_is_the_one_meant() -> None:
    with pytest.raises(Refused):
        read_post_processing(select("SELECT w.region FROM v, w"), ["v.region"], [])


def test_calls_of_any_form_are_found_whole() -> None:
    calls = [
        "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY cost)",
        "COUNT(DISTINCT person)",
        "COUNT(*) FILTER (WHERE age > 3)",
        "QUANTILE_CONT(cost, 0.9)",
    ]
    given = [canonical(parse_one(call, dialect="duckdb")) for call in calls]
    above = read_post_processing(select(f"SELECT {', '.join(calls)} FROM v"), [], given)
    assert [item.expression.aggregates for item in above.items] == [frozenset((name,)) for name in given]


def test_columns_are_named_for_what_they_are_and_never_twice() -> None:
    sql = """SELECT Region, v.age, COUNT(*), AVG(cost), count(*), COUNT(*) AS n, SUM(Cost) / COUNT(*),
             COUNT(*) AS count_low, region AS "count" FROM v"""
    above = read_post_processing(select(sql), ["region", "age"], ["COUNT(*)", "AVG(cost)", "SUM(cost)"])
    assert [item.name for item in above.items] == [
        "Region",
        "age",
        "count",
        "avg(cost)",
        "count_2",
        "n",
        "sum(cost) / count(*)",
        "count_low_2",
        "count_3",
    ]
