"""Names above the noise: how keys and aggregates are found, and how columns are called."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sqlglot import parse_one
from tests.query.above.sketches import checked, points, select, table

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


def test_names_leave_room_for_the_numbers_of_the_noise_alone() -> None:
    sql = 'SELECT COUNT(*), COUNT(*) AS count_bounded, region AS count_bounded_high, region AS "n_bounded" FROM v'
    above = read_post_processing(select(sql), ["region"], ["COUNT(*)"])
    assert [item.name for item in above.items] == ["count", "count_bounded_2", "count_bounded_high_2", "n_bounded"]


def test_rows_are_chosen_by_the_numbers_shown_and_those_of_the_noise_alone_follow() -> None:
    """HAVING and ORDER BY read the first; the others are shown for the same rows, keys and constants once."""
    shown = table({"region": ["a", "b", "c"]}, {"COUNT(*)": [5, 9, 1]})
    noise = table({"region": ["a", "b", "c"]}, {"COUNT(*)": [8, 2, 7]})
    sql = "SELECT region, 2 * COUNT(*) AS n, 3 AS three FROM v GROUP BY region HAVING COUNT(*) > 2 ORDER BY n DESC"
    columns = checked(sql).render(shown, Fraction(1, 2), noise).columns
    assert [points(column) for column in columns] == [["b", "a"], [18, 10], [3, 3]]
    assert [None if each.bounded is None else each.bounded.value.tolist() for each in columns] == [None, [4, 16], None]
