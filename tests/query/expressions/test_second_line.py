"""The second line: for any fault of the first, no row makes a statement fail on DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest
import sqlglot
from tests.attack.small_clinic import open_clinic

from tacit.errors import Failed
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.sql.expressions import NamedScope, second_line, type_expression
from tacit.query.sql.expressions import number_casts as casting_numbers
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

BELIEFS = NamedScope(
    {
        "n": Typed(Kind.INTEGER, '"n"', Fraction(-5), Fraction(5), nullable=False),
        "x": Typed(Kind.FLOAT, '"x"', Fraction(1), Fraction(5), nullable=False),
        "d": Typed(Kind.DATE, '"d"', Fraction(0), Fraction(5), nullable=False),
        "c": Typed(Kind.DECIMAL, '"c"', Fraction(0), Fraction(5), nullable=False, scale=2),
    }
)
FAILING = [
    *(
        "n * n",
        "n + n",
        "-n",
        "abs(n)",
        "x + n * n > 0",
        "n * n = 1 AND x > 0",
        "CASE WHEN n * n > 3 THEN 1 ELSE 0 END",
    ),
    *("sqrt(-x)", "ln(-x)", "log10(-x)", "CAST(x AS BIGINT)", "FLOOR(x)", "WIDTH_BUCKET(x, 0, 5, 5)", "n > 0.5"),
    *(
        "c * c",
        "ROUND(c, 1) + c * c",
        "CAST(c AS VARCHAR)",
        "d + INTERVAL 9000 YEAR",
        "date_diff('second', d, d + INTERVAL 9 MONTH)",
    ),
    *(
        "n * n IS NULL",
        "NOT (n * n < 4)",
        "n * n IN (1, 2)",
        "n BETWEEN n * n AND 3",
        "COALESCE(n * n, 1)",
        "x / n * 1e30",
    ),
]
_HARMLESS = [
    "n",
    "n > 3",
    "x > 0.5 OR n IS NULL",
    "CASE WHEN n > 3 THEN -1 ELSE n END",
    "COALESCE(n, -1)",
    "LEAST(x, 0.5)",
]


@pytest.fixture(autouse=True)
def _both_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_line, "IS_ON", True)


@pytest.fixture(scope="module")
def liar() -> Iterator[duckdb.DuckDBPyConnection]:
    """A table that contradicts all derived facts about its columns."""
    with DuckDBEngine().new_database() as opened:
        opened.execute("CREATE TABLE t (n BIGINT, x DOUBLE, d DATE, c BIGINT)")
        for row in ("9223372036854775807, 1e300, DATE '5881580-07-10', 9223372036854775807", "NULL, NULL, NULL, NULL"):
            opened.execute(f"INSERT INTO t VALUES ({row})")
        opened.execute("INSERT INTO t VALUES ((-9223372036854775808), 'nan', 'infinity', (-9223372036854775808))")
        opened.execute("INSERT INTO t VALUES (3, 'infinity', DATE '1970-01-03', 3)")
        yield opened


def _sql(text: str) -> str:
    return type_expression(sqlglot.parse_one(text, dialect="duckdb"), BELIEFS).sql


@pytest.mark.parametrize("text", FAILING)
def test_false_beliefs_fail_no_statement(
    liar: duckdb.DuckDBPyConnection, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R26: every bound that the planner believes is wrong, and every row has a value or NULL."""
    assert len(liar.execute(f"SELECT {_sql(text)} FROM t").fetchall()) == 4
    assert len(liar.execute(f"SELECT n FROM t WHERE ({_sql(text)}) IS NOT NULL").fetchall()) <= 4


_TWICE = ["n * n + n * n", "CASE WHEN n * n > 3 THEN n * n END", "d + INTERVAL 9000 YEAR", "x * x * x - x * x"]


def test_what_stands_twice_is_not_taken_out(liar: duckdb.DuckDBPyConnection) -> None:
    """R26: DuckDB's optimizer would calculate it once, below the TRY, where it fails: the engine keeps it from that."""
    both = ", ".join(_sql(text) for text in (*_TWICE, "n * n", "n * n + 1"))
    assert len(liar.execute(f"SELECT {both} FROM t").fetchall()) == 4
    with duckdb.connect() as plain:
        plain.execute("CREATE TABLE t AS SELECT 9223372036854775807 AS n")
        with pytest.raises(duckdb.OutOfRangeException):
            plain.execute(f"SELECT {_sql(_TWICE[0])} FROM t")


def test_without_the_second_line_false_beliefs_do_fail(
    liar: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above is not vacuous: most of its expressions fail on these rows."""
    monkeypatch.setattr(second_line, "IS_ON", False)
    failed = []
    for text in FAILING:
        try:
            liar.execute(f"SELECT {_sql(text)} FROM t").fetchall()
        except duckdb.Error:
            failed.append(text)
    assert len(failed) > 0.7 * len(FAILING), failed


@pytest.mark.parametrize("text", _HARMLESS)
def test_what_computes_nothing_costs_nothing(text: str) -> None:
    assert "TRY" not in _sql(text)


def test_an_equality_stays_one() -> None:
    """TRY around a whole condition would make a nested loop of a join."""
    assert _sql("n + 1 = c AND x > 1").startswith("((TRY(")
    assert ") = TRY(" in _sql("n + 1 = c * 2 AND x > 1")
    assert ' = "c")' in _sql("c * 1 = c")


@pytest.mark.parametrize(
    "text", ["'it''s (TRY' || 'x'", "n % 7", "lower('A')", "x * 1.5", "n // 2", "date_trunc('month', d)"]
)
def test_what_computes_is_tried_once(text: str) -> None:
    assert _sql(text).startswith("TRY(")
    assert _sql(text).replace("'it''s (TRY'", "").count("TRY(") == 1


_WORSE = "CAST(CASE WHEN ward = 'w3' THEN 9e14 ELSE 1e0 END AS DECIMAL(18, 3))"


def places(worse: str) -> list[str]:
    """Queries that have an expression in every place where a query may have one."""
    return [
        f"SELECT COUNT(*) FROM v WHERE {worse} > 0",
        f"SELECT SUM(LEAST({worse}, 5)) FROM v",
        f"SELECT AVG(LEAST({worse}, 5)) FROM v",
        f"SELECT MEDIAN(LEAST({worse}, 5)) FROM v",
        f"SELECT SUM(LEAST({worse}, 5)), AVG(LEAST({worse} + 1, 5)), COUNT(*) FILTER (WHERE {worse} > 2) FROM v",
        f"SELECT COUNT(DISTINCT {worse}) FROM v",
        f"SELECT COUNT({worse}) FROM v",
        f"SELECT COUNT(*) FILTER (WHERE {worse} > 0) FROM v",
        f"SELECT LEAST({worse}, 5) > 2 AS k, COUNT(*) FROM v GROUP BY k",
        f"SELECT ROUND({worse}) AS k, COUNT(*) FROM v GROUP BY k",
        f"SELECT SUM(LEAST(y, 3)) FROM (SELECT pid, {worse} AS y FROM v) AS s",
        f"SELECT SUM(LEAST(y, 3)) FROM (SELECT pid, MAX({worse}) AS y FROM v GROUP BY pid) AS s",
        f"SELECT SUM(LEAST(y, 3)) FROM (SELECT pid, SUM(LEAST({worse}, 5)) AS y FROM v GROUP BY pid) AS s",
        f"SELECT SUM(LEAST(y, 3)) FROM (SELECT pid, {worse} AS k, COUNT(*) AS y FROM v GROUP BY pid, k) AS s",
        f"SELECT COUNT(*) FROM (SELECT pid, COUNT(*) AS y FROM v GROUP BY pid HAVING MAX({worse}) > 0) AS s",
        f"SELECT COUNT(*) FROM v JOIN v AS w ON v.pid = w.pid AND {worse.replace('ward', 'v.ward')} = w.cost",
    ]


_PLACES = places(_WORSE)


@pytest.mark.parametrize("query", _PLACES)
@pytest.mark.parametrize(("is_mended", "is_tried"), [(True, True), (True, False), (False, True)])
def test_either_line_is_enough(
    query: str, is_mended: bool, is_tried: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R26: in every place of a query, an overflow of one row is no failure, by the first line or by the second."""
    monkeypatch.setattr(second_line, "IS_ON", is_tried)
    if not is_mended:
        monkeypatch.setattr(casting_numbers, "_WORD_DIGITS", 99)  # as it once was
    with open_clinic(tmp_path) as clinic:
        assert clinic.query(query, epsilon=10).table.num_rows >= 0


@pytest.mark.parametrize("query", _PLACES)
def test_without_both_lines_one_row_is_a_failure(query: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above is not vacuous."""
    monkeypatch.setattr(second_line, "IS_ON", False)
    monkeypatch.setattr(casting_numbers, "_WORD_DIGITS", 99)
    with open_clinic(tmp_path) as clinic, pytest.raises(Failed):
        clinic.query(query, epsilon=10)
