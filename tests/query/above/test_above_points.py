"""Points above the noise are what DuckDB computes from the same numbers."""

from __future__ import annotations

from datetime import date

import duckdb
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.query.above.sketches import (
    AGGREGATES,
    CONDITIONS,
    EXPRESSIONS,
    HALF,
    NUMBERS,
    Known,
    points,
    rendered,
    select,
    table,
)

from tacit.query.post_noise.estimates import Groups
from tacit.query.post_noise.post_processing import read_post_processing

COLUMNS = dict(zip(AGGREGATES, ("a", "b", "c"), strict=True))
MAYBE = st.one_of(st.none(), NUMBERS)
ROWS = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(-2, 3)), NUMBERS, MAYBE, MAYBE), min_size=1, max_size=4
).filter(lambda rows: any(row[0] is not None for row in rows))


@pytest.fixture(scope="module")
def engine() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def groups_of(rows: list[tuple[int | None, float, float | None, float | None]]) -> Groups:
    age, a, b, c = (list(column) for column in zip(*rows, strict=True))
    return table({"age": age}, dict(zip(AGGREGATES, (a, b, c), strict=True)))


def in_duckdb(engine: duckdb.DuckDBPyConnection, sql: str, rows: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """The SQL over a table that has a column for each aggregate."""
    for aggregate, column in COLUMNS.items():
        sql = sql.replace(aggregate, column)
    values = ", ".join("(" + ", ".join("NULL" if one is None else str(one) for one in row) + ")" for row in rows)
    typed = "CAST(x0 AS BIGINT) AS age, CAST(x1 AS DOUBLE) AS a, CAST(x2 AS DOUBLE) AS b, CAST(x3 AS DOUBLE) AS c"
    return engine.execute(f"{sql} FROM (SELECT {typed} FROM (VALUES {values}) t(x0, x1, x2, x3))").fetchall()


@settings(max_examples=70)
@given(sql=EXPRESSIONS, rows=ROWS)
def test_an_expression_has_the_value_duckdb_gives_it(
    engine: duckdb.DuckDBPyConnection, sql: str, rows: list[tuple[int | None, float, float | None, float | None]]
) -> None:
    assume("/" not in sql or all(None not in row for row in rows))  # by a number of which nothing is known: nothing is
    rows = sorted(rows, key=lambda row: (row[0] is None, row[0] or 0))
    ours = points(rendered(f"SELECT {sql} AS x", groups_of(rows)).columns[0])
    theirs = [row[0] for row in in_duckdb(engine, f"SELECT {sql} AS x", [tuple(row) for row in rows])]
    for mine, yours in zip(ours, theirs, strict=True):
        assert (mine is None) == (yours is None), (sql, rows)
        if mine is not None:
            assert float(mine) == pytest.approx(float(yours), rel=1e-9, abs=1e-9)


@settings(max_examples=50)
@given(sql=CONDITIONS, rows=ROWS)
def test_having_keeps_the_rows_duckdb_keeps(
    engine: duckdb.DuckDBPyConnection, sql: str, rows: list[tuple[int | None, float, float | None, float | None]]
) -> None:
    assume("/" not in sql or all(None not in row for row in rows))  # by a number of which nothing is known: nothing is
    rows = sorted(rows, key=lambda row: (row[0] is None, row[0] or 0))
    ours = points(rendered(f"SELECT COUNT(*) HAVING {sql}", groups_of(rows)).columns[0])
    theirs = [row[0] for row in in_duckdb(engine, f"SELECT a, {sql} AS kept", [tuple(row) for row in rows]) if row[1]]
    assert ours == theirs, (sql, rows)


def test_keys_compare_as_in_sql() -> None:
    days = [date(2024, 1, 1), date(2024, 5, 1), None]
    groups = table(
        {"region": ["north", "south", None], "day": days, "smoker": [True, False, None]}, {"COUNT(*)": [1.0, 2.0, 3.0]}
    )
    for having, kept in {
        "region = 'north'": [1.0],
        "region <> 'north'": [2.0],
        "region IN ('south', 'west')": [2.0],
        "region IS NULL": [3.0],
        "day >= '2024-02-01'": [2.0],
        "day < TIMESTAMP '2024-01-01 00:00:01'": [1.0],
        "day BETWEEN DATE '2024-01-01' AND DATE '2024-12-31'": [1.0, 2.0],
        "smoker": [1.0],
        "NOT smoker": [2.0],
        "smoker = FALSE OR region IS NULL": [2.0, 3.0],
        "CASE region WHEN 'north' THEN COUNT(*) ELSE 5 END = 5": [2.0, 3.0],
    }.items():
        assert points(rendered(f"SELECT COUNT(*) HAVING {having}", groups).columns[0]) == kept, having


def test_a_date_may_be_compared_with_a_text_though_its_kind_was_not_told() -> None:
    groups = table({"day": [date(2024, 1, 1), date(2024, 5, 1), None]}, {"COUNT(*)": [1.0, 2.0, 3.0]})
    for having, kept in {
        "day >= '2024-02-01'": [2.0],
        "day = '2024-01-01 00:00:00'": [1.0],
        "day < 'soon'": [],
    }.items():
        above = read_post_processing(select(f"SELECT COUNT(*) HAVING {having}"), ["day"], ["COUNT(*)"])
        assert points(above.render(groups, HALF).columns[0]) == kept


def test_labels_may_be_made_of_keys() -> None:
    groups = table({"region": ["north", None]}, {"COUNT(*)": [1.0, 2.0]})
    answer = rendered("SELECT COALESCE(region, 'elsewhere') AS r, IF(region = 'north', 'up', NULL) AS u", groups)
    assert points(answer["r"]) == ["north", "elsewhere"]
    assert points(answer["u"]) == ["up", None]


def test_what_rests_on_no_aggregate_is_exact() -> None:
    answer = rendered("SELECT age * 10 AS decade, 'all' AS label, 7 AS seven", table({"age": [2, None]}, {}))
    assert all(column.is_key for column in answer.columns)
    assert [points(column) for column in answer.columns] == [[20, None], ["all", "all"], [7, 7]]


@pytest.mark.parametrize(
    ("sql", "whole"),
    [
        ("2 * COUNT(*) + 1", True),
        ("COUNT(*) / 2", False),
        ("COUNT(*) * 0.5", False),
        ("AVG(cost)", False),
        ("ROUND(AVG(cost))", True),
        ("CAST(AVG(cost) AS INT)", True),
        ("CAST(COUNT(*) AS DOUBLE)", False),
        ("CASE WHEN AVG(cost) > 1 THEN COUNT(*) ELSE 0 END", True),
        ("COALESCE(COUNT(*), 0.5)", False),
    ],
)
def test_whole_numbers_stay_whole(sql: str, whole: bool) -> None:
    groups = Groups({}, {"COUNT(*)": Known([3.0], whole=True), "AVG(cost)": Known([1.5])}, 1)
    assert rendered(f"SELECT {sql}", groups).columns[0].whole is whole


@settings(max_examples=25)
@given(
    sql=EXPRESSIONS, values=st.lists(st.sampled_from([np.inf, -np.inf, 1e308, -1e308, 1e-320, 0.0, None]), min_size=3)
)
def test_rendering_never_fails_whatever_the_numbers(sql: str, values: list[float | None]) -> None:
    """R26: an overflow above the noise is an answer, not an error."""
    groups = table({"age": [1] * len(values)}, dict.fromkeys(AGGREGATES, values))
    assert rendered(f"SELECT {sql} AS x HAVING {sql} > 0 OR TRUE ORDER BY 0 + {sql}", groups).size == len(values)
