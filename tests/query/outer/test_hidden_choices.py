"""Outer queries in which noise, NULL or a name could be taken for something else: numbers, intervals, and exactness."""

from __future__ import annotations

from time import monotonic

import duckdb
import pytest

from tacit.curator.dataset import Dataset
from tacit.errors import Refused
from tacit.query.post_noise.estimates import Estimates

WITH = "WITH d AS (SELECT region, COUNT(*) AS n, SUM(cost) AS s FROM p GROUP BY region) "
BY_GRADE = (
    "WITH a AS (SELECT grade, COUNT(*) AS n FROM p WHERE grade <= 2 GROUP BY grade), "
    "b AS (SELECT grade, COUNT(*) AS n FROM p WHERE age < 50 GROUP BY grade) "
)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT region, COUNT(*) * 100.0 / (SELECT COUNT(*) FROM p) AS pct FROM p WHERE region IN ('north', 'south') "
        "GROUP BY region ORDER BY region",
        f"{BY_GRADE} SELECT AVG(a.n) AS mean, COUNT(*) AS many FROM a JOIN b USING (grade)",
        "SELECT SUM(cost) AS a1, COUNT(*) AS a0, a1 / a0 AS mean, SUM(COUNT(*)) OVER () AS t FROM p GROUP BY region "
        "HAVING a0 > 800 ORDER BY 1",
        "SELECT region AS k1, grade AS k0, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS t FROM p GROUP BY region, grade "
        "HAVING k0 > 4 AND k1 < 'x' ORDER BY k1",
    ],
)
def test_groups_and_names_are_those_of_the_statement(
    people: Dataset, plain: duckdb.DuckDBPyConnection, statement: str
) -> None:
    """WHERE leaves groups out where several cores are merged; an alias is no column of a core, however it is called."""
    columns = [column.values for column in people.query(statement, epsilon=20_000).rendered.columns]
    shown = list(zip(*(c.value if isinstance(c, Estimates) else c.values for c in columns), strict=True))
    wanted = plain.execute(statement).fetchall()
    assert len(shown) == len(wanted)
    for mine, theirs in zip(shown, wanted, strict=True):
        assert mine == pytest.approx(theirs, rel=2e-2)


@pytest.mark.parametrize(
    "select",
    [
        "COUNT(*) AS x FROM d GROUP BY n > 500",
        "SUM(s) AS x FROM d GROUP BY n > 500",
        "n > 500 AS big, COUNT(*) AS x FROM d GROUP BY big",
        "COUNT(*) AS x FROM (SELECT DISTINCT n > 500 FROM d)",
        "COUNT(*) AS x FROM (SELECT n > 500 AS big FROM d UNION SELECT n > 100 FROM d)",
        "SUM(grade) AS x FROM (SELECT DISTINCT ON (n > 500) 1 AS grade FROM d)",
        "SUM(s) AS x FROM (SELECT n AS region, s FROM d ORDER BY region LIMIT 2)",
        "AVG(NULLIF(n, 0)) AS x FROM d",
        "ROW_NUMBER() OVER () AS x FROM (SELECT region FROM d ORDER BY n)",
    ],
)
def test_what_noise_chooses_is_not_exact_and_has_no_interval(people: Dataset, select: str) -> None:
    columns = {
        column.name: column.values for column in people.query(f"{WITH} SELECT {select}", epsilon=10).rendered.columns
    }
    found = columns["x"]
    assert isinstance(found, Estimates)
    assert not (abs(found.low) + abs(found.high) < float("inf")).any()


@pytest.mark.parametrize(
    "value",
    [
        "AVG(CASE WHEN region = 'north' THEN n ELSE NULL END)",
        "SUM(n + CASE WHEN region = 'north' THEN 0 END)",
        "AVG(n - CASE WHEN region = 'north' THEN 0 END)",
    ],
)
def test_rows_without_a_value_have_no_weight(people: Dataset, value: str) -> None:
    """The north alone has a value: the interval is that of its count."""
    statement = f"{WITH} SELECT {value} AS x, SUM(n) FILTER (WHERE region = 'north') AS y FROM d"
    x, y = (column.values for column in people.query(statement, epsilon=0.5).rendered.columns)
    assert isinstance(x, Estimates)
    assert isinstance(y, Estimates)
    assert (x.high - x.low)[0] == pytest.approx((y.high - y.low)[0], rel=0.2)


def test_tables_that_are_named_again_and_again_are_read_so_often_at_most(people: Dataset) -> None:
    """Each table reads the one before twice: 2²⁴ SELECTs, if all were read."""
    tables = "".join(f", t{i} AS (SELECT u.x FROM t{i - 1} u, t{i - 1} v)" for i in range(1, 25))
    begun = monotonic()
    with pytest.raises(Refused):
        people.query(f"WITH t0 AS (SELECT 1 AS x){tables} SELECT x FROM t24", epsilon=1)
    assert monotonic() - begun < 10


def test_a_scalar_sub_query_is_called_as_its_alias_says(people: Dataset) -> None:
    own = people.query("SELECT COUNT(*) AS n, (SELECT COUNT(*) FROM p) AS total FROM p GROUP BY region", epsilon=1)
    read = people.query(f"{WITH} SELECT n, (SELECT SUM(n) FROM d) AS total FROM d", epsilon=1)
    for release in (own, read):
        assert [column.name for column in release.rendered.columns] == ["n", "total"]
