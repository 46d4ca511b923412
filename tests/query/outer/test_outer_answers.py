"""Outer queries beside the same statements in DuckDB without privacy, at a price where noise is next to nothing."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tacit.curator.dataset import Dataset
from tacit.query.post_noise.estimates import Estimates
from tacit.release.cells import canonical_digest

BY_REGION = "(SELECT region, COUNT(*) AS n, SUM(cost) AS s, AVG(age) AS a FROM p GROUP BY region)"
WITH = f"WITH d AS {BY_REGION} "

STATEMENTS = [
    "SELECT region, COUNT(*) AS n, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS pct FROM p "
    "GROUP BY region ORDER BY region",
    "SELECT region, SUM(SUM(cost)) OVER (ORDER BY region) AS running FROM p GROUP BY region ORDER BY region",
    "SELECT region, grade, COUNT(*) * 1.0 / SUM(COUNT(*)) OVER (PARTITION BY region) AS share FROM p "
    "GROUP BY region, grade ORDER BY region, grade",
    f"{WITH} SELECT region, n, n - LAG(n) OVER (ORDER BY region) AS change FROM d ORDER BY region",
    f"{WITH} SELECT region, RANK() OVER (ORDER BY n DESC) AS place FROM d ORDER BY place",
    f"{WITH} SELECT region, NTILE(2) OVER (ORDER BY s) AS half FROM d WHERE n > 0 ORDER BY region",
    f"{WITH} SELECT region, a - (SELECT AVG(a) FROM d) AS above FROM d ORDER BY region",
    f"{WITH} SELECT x.region, y.region, x.n - y.n AS gap FROM d x JOIN d y ON x.region < y.region ORDER BY 1, 2",
    f"{WITH} SELECT CASE WHEN region IN ('north', 'south') THEN 'ns' ELSE 'ew' END AS axis, SUM(n) AS n FROM d "
    "GROUP BY axis ORDER BY axis",
    f"{WITH} SELECT DISTINCT region FROM d WHERE n > 500 ORDER BY region",
    f"SELECT AVG(n) AS mean, MAX(n) AS most, COUNT(*) AS many FROM {BY_REGION} WHERE n > 10",
    f"SELECT * FROM {BY_REGION} ORDER BY n DESC LIMIT 2",
    "SELECT ward, COUNT(*) AS n, ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, ward) AS r FROM p GROUP BY ward "
    "QUALIFY r <= 2",
    "SELECT grade, n FROM (SELECT grade, COUNT(*) AS n, ROW_NUMBER() OVER (ORDER BY grade DESC) AS r FROM p "
    "GROUP BY grade) WHERE r <= 3 ORDER BY grade",
    "SELECT (SELECT AVG(age) FROM p WHERE region = 'north') - (SELECT AVG(age) FROM p WHERE region = 'south') AS gap",
    "WITH a AS (SELECT COUNT(*) AS n FROM p WHERE age >= 65), b AS (SELECT COUNT(*) AS n FROM p) "
    "SELECT 100.0 * a.n / b.n AS pct FROM a, b",
    "SELECT 'old' AS who, COUNT(*) AS n FROM p WHERE age >= 65 UNION ALL "
    "SELECT 'young', COUNT(*) FROM p WHERE age < 18",
    "SELECT region, COUNT(*) * 100.0 / (SELECT COUNT(*) FROM p) AS pct FROM p GROUP BY region ORDER BY region",
    "WITH y AS (SELECT grade, SUM(cost) AS rev FROM p GROUP BY 1) "
    "SELECT cur.grade, cur.rev / prev.rev - 1 AS growth FROM y cur JOIN y prev "
    "ON cur.grade = prev.grade + 1 ORDER BY 1",
    "WITH a AS (SELECT region, COUNT(*) AS n FROM p WHERE age < 50 GROUP BY region), "
    "b AS (SELECT region, COUNT(*) AS n FROM p WHERE age >= 50 GROUP BY region) "
    "SELECT region, a.n * 1.0 / b.n AS ratio FROM a JOIN b USING (region) ORDER BY region",
    f"{WITH} SELECT region, ROUND(100.0 * s / SUM(s) OVER (), 1) AS pct FROM d ORDER BY region",
    f"{WITH}, e AS (SELECT region, s / n AS per_head, n FROM d) "
    "SELECT region, per_head * 2 AS twice FROM e ORDER BY region",
    f"{WITH} SELECT region, COALESCE(LAG(n, 1) OVER (ORDER BY region), 0) AS before FROM d ORDER BY region",
    f"{WITH} SELECT UPPER(region) AS region, n // 2 AS half, n % 2 AS odd FROM d ORDER BY region LIMIT 1 OFFSET 1",
    f"{WITH} SELECT EXISTS (SELECT 1 FROM d WHERE n > 1000) AS x, ARG_MAX(region, n) AS most FROM d "
    "WHERE region LIKE '%t%'",
    "SELECT title, 100.0 * n / SUM(n) OVER () AS pct FROM (SELECT grade, COUNT(*) AS n FROM p GROUP BY grade) d "
    "JOIN grades USING (grade) ORDER BY title",
    f"{WITH} SELECT SUM(n) FILTER (WHERE region <> 'west') AS n FROM d",
    "SELECT grade, AVG(AVG(cost)) OVER (ORDER BY grade ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS smooth "
    "FROM p GROUP BY grade ORDER BY grade",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_an_outer_query_computes_what_duckdb_computes(
    people: Dataset, plain: duckdb.DuckDBPyConnection, statement: str
) -> None:
    """Each number of DuckDB is near the one shown; where there is an interval it holds it, but once in a million."""
    release = people.query(statement, epsilon=20_000, confidence="0.999999")
    wanted = plain.execute(statement).fetchall()
    columns = release.rendered.columns
    shown = list(zip(*[_values(column.values) for column in columns], strict=True))
    assert len(wanted) == len(shown)
    for mine, theirs in zip(shown, wanted, strict=True):
        for got, true in zip(mine, theirs, strict=True):
            assert got == true or math.isclose(float(got), float(true), rel_tol=2e-2, abs_tol=0.02), (mine, theirs)
    for place, column in enumerate(columns):
        if isinstance(column.values, Estimates):
            for low, high, row in zip(column.values.low, column.values.high, wanted, strict=True):
                assert row[place] is None or low - 1 <= float(row[place]) <= high + 1


def _values(values: Any) -> list[Any]:
    if isinstance(values, Estimates):
        return [None if math.isnan(value) else value for value in values.value.tolist()]
    return list(values.values)


def test_a_change_of_the_outer_query_is_free(people: Dataset) -> None:
    before = "WITH d AS (SELECT grade, COUNT(*) AS n, SUM(age) AS s FROM p WHERE cost < 77 GROUP BY grade) SELECT "
    assert not people.query(before + "SUM(n) AS n, SUM(s) AS s FROM d", epsilon=1).price.free
    spent = people.budget().used
    assert people.query(before + "grade, RANK() OVER (ORDER BY s / n) AS place FROM d").price.free
    assert people.query("SELECT grade, COUNT(*), SUM(age) FROM p WHERE cost < 77 GROUP BY grade").price.free
    assert people.budget().used == spent


def test_a_column_without_a_form_says_that_it_has_no_interval(people: Dataset) -> None:
    release = people.query(
        f"{WITH} SELECT region, n, RANK() OVER (ORDER BY n) AS place, MAX(n) OVER () AS most FROM d", epsilon=9
    )
    assert any(note.startswith("place, most have no intervals") for note in release.notes)
    assert "(no bound known)" in str(release)


def test_what_fails_after_the_charge_shows_the_groups(people: Dataset) -> None:
    """A cast of made-up numbers succeeds; one of noisy numbers may not: then the groups are shown, and a note."""
    overflow = "n * 9007199254740991 * 9007199254740991"
    release = people.query(f"{WITH} SELECT region, {overflow} AS x FROM d WHERE n > 100", epsilon=9)
    assert [column.name for column in release.rendered.columns][:2] == ["region", "COUNT(*)"]
    assert any("The statement was not computed: it fails on a value" in note for note in release.notes)


def test_a_derived_table_is_written_and_certified_like_any_other(people: Dataset, tmp_path: Path) -> None:
    asked = f"{WITH} SELECT region, n - LAG(n) OVER (ORDER BY region) AS more, RANK() OVER (ORDER BY n) AS place FROM d"
    release = people.query(asked, epsilon=9)
    names = ["region", "more", "more_low", "more_high", "place", "place_low", "place_high"]
    assert release.table.column_names == names
    assert release.to_csv().splitlines()[0] == ",".join(f'"{name}"' for name in names)
    release.to_parquet(tmp_path / "answer.parquet")
    release.plot(tmp_path / "answer.svg")
    assert "NULL" in release._repr_html_()
    signed = release.certificate
    assert signed is not None
    assert signed.statement.asked == asked
    assert signed.statement.shown == canonical_digest(release.rendered, release.confidence)
