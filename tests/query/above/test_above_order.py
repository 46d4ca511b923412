"""ORDER BY, LIMIT and OFFSET above the noise sort as DuckDB does, and ties follow the keys (R24, R25)."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.query.above.sketches import checked, points, rendered, table

REGIONS = st.one_of(st.none(), st.sampled_from(["a", "B", "é", "z", "aa", "\uffee", "𝒳", ""]))
ROWS = st.lists(
    st.tuples(REGIONS, st.one_of(st.none(), st.integers(0, 3)), st.one_of(st.none(), st.sampled_from([0.0, 1.0, 2.5]))),
    min_size=1,
    max_size=8,
    unique_by=lambda row: row[:2],
)
ITEM = st.builds(
    "{}{}{}".format,
    st.sampled_from(["1", "2", "3", "region", "n", "age", "COUNT(*)", "n * -1", "age + n", "region = 'a'"]),
    st.sampled_from(["", " ASC", " DESC"]),
    st.sampled_from(["", " NULLS FIRST", " NULLS LAST"]),
)


@pytest.fixture(scope="module")
def engine() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


@settings(max_examples=60)
@given(rows=ROWS, order=st.lists(ITEM, max_size=3), limit=st.integers(0, 9), offset=st.integers(0, 4))
def test_rows_come_in_duckdbs_order(
    engine: duckdb.DuckDBPyConnection,
    rows: list[tuple[str | None, int | None, float | None]],
    order: list[str],
    limit: int,
    offset: int,
) -> None:
    regions, ages, counts = (list(column) for column in zip(*rows, strict=True))
    groups = table({"region": regions, "age": ages}, {"COUNT(*)": counts})
    by = f"ORDER BY {', '.join(order)}" if order else ""
    answer = rendered(f"SELECT region, age, COUNT(*) AS n {by} LIMIT {limit} OFFSET {offset}", groups)
    theirs = ", ".join([*order, "region NULLS LAST", "age NULLS LAST"]).replace("COUNT(*)", "n")
    values = ", ".join(["(CAST(? AS VARCHAR), CAST(? AS BIGINT), CAST(? AS DOUBLE))"] * len(rows))
    sql = f"FROM (VALUES {values}) t(region, age, n) SELECT * ORDER BY {theirs} LIMIT {limit} OFFSET {offset}"
    expected = engine.execute(sql, [value for row in rows for value in row]).fetchall()
    assert list(zip(*(points(column) for column in answer.columns), strict=True)) == expected


@pytest.mark.parametrize("shuffled", [["b", "a", None, "c"], [None, "c", "b", "a"]])
def test_without_order_by_the_keys_decide_not_the_engine(shuffled: list[str | None]) -> None:
    """R24: the order in which groups were handed over does not show."""
    answer = rendered("SELECT region, COUNT(*)", table({"region": shuffled}, {"COUNT(*)": [1.0] * 4}))
    assert points(answer["region"]) == ["a", "b", "c", None]


def test_order_by_all_takes_every_column() -> None:
    groups = table({"region": ["a", "b", "c"]}, {"COUNT(*)": [2.0, 1.0, 1.0]})
    answer = rendered("SELECT COUNT(*) AS n, region ORDER BY ALL DESC", groups)
    assert points(answer["region"]) == ["a", "c", "b"]


def test_an_alias_is_meant_before_a_key_in_order_by_and_after_it_in_having() -> None:
    groups = table({"age": [1, 2, 3]}, {"COUNT(*)": [30.0, 10.0, 20.0]})
    assert points(rendered("SELECT COUNT(*) AS age ORDER BY age", groups).columns[0]) == [10.0, 20.0, 30.0]
    assert points(rendered("SELECT COUNT(*) AS age HAVING age > 2", groups).columns[0]) == [20.0]


def test_a_later_item_may_use_an_alias() -> None:
    groups = table({}, {"COUNT(*)": [10.0]})
    answer = rendered("SELECT COUNT(*) AS n, N * 2 AS twice, twice + 1 AS more HAVING More > 20 LIMIT 1", groups)
    assert [points(column) for column in answer.columns] == [[10.0], [20.0], [21.0]]


@pytest.mark.parametrize(
    ("sql", "chosen"),
    [
        ("HAVING COUNT(*) > 3", True),
        ("ORDER BY 2 DESC LIMIT 3", True),
        ("ORDER BY n OFFSET 3", True),
        ("ORDER BY n", False),
        ("ORDER BY region LIMIT 3", False),
        ("HAVING region IS NOT NULL", False),
        ("LIMIT 3", False),
    ],
)
def test_it_knows_when_noise_decides_which_groups_are_shown(sql: str, chosen: bool) -> None:
    assert checked(f"SELECT region, COUNT(*) AS n {sql}").chooses_by_noise is chosen
