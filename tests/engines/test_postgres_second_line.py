"""The second line on PostgreSQL: a statement that a row makes fail is answered, without that row's value alone.

Beliefs about the columns are false on purpose, so that the first line does not hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import duckdb
import pytest
import sqlglot
from tests.engines.postgres_server import PostgresUnderTest
from tests.query.expressions.test_second_line import BELIEFS, FAILING

from tacit.errors import Failed
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.postgres import dialect as attempts
from tacit.query.engines.postgres import engine as postgres_engine
from tacit.query.engines.postgres import engine as postgres_second_line
from tacit.query.engines.postgres.engine import PostgresEngine, PostgresSession
from tacit.query.engines.postgres.spelling import ROW_ERRORS
from tacit.query.sql.dialects.sql_type import BIGINT
from tacit.query.sql.dialects.translator import Piece
from tacit.query.sql.expressions import second_line, type_expression
from tacit.schema.description import Description
from tacit.schema.reader import read_description

_ROWS = (
    "1, 9223372036854775807, 1e300, DATE '5874000-07-10', 9223372036854775807, 'Äb'",
    "2, NULL, NULL, NULL, NULL, NULL",
    "3, (-9223372036854775808), 'nan', 'infinity', (-9223372036854775808), ''",
    "4, 3, 'infinity', DATE '1970-01-03', 3, 'it''s'",
    "5, 2, 4.25, DATE '1970-01-02', 5, 'b'",
    "6, 0, (-0.0), DATE '4000-01-02 (BC)', 0, '7'",
    "7, 1, '-infinity', DATE '9999-12-31', 0, 'ß'",
)
_BREAKING = "TRY(100 // (r - 4))"


@pytest.fixture(autouse=True)
def _both_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_line, "IS_ON", True)
    monkeypatch.setattr(postgres_second_line, "IS_ON", True)


@pytest.fixture(scope="module")
def liar() -> Iterator[duckdb.DuckDBPyConnection]:
    """A table that contradicts all derived facts about its columns, in DuckDB."""
    with DuckDBEngine().new_database() as opened:
        opened.execute("CREATE TABLE t (r BIGINT, n BIGINT, x DOUBLE, d DATE, c BIGINT, w VARCHAR)")
        for row in _ROWS:
            opened.execute(f"INSERT INTO t VALUES ({row})")
        yield opened


@pytest.fixture(scope="module")
def described(
    postgres: PostgresUnderTest, liar: duckdb.DuckDBPyConnection, tmp_path_factory: pytest.TempPathFactory
) -> Description:
    """The same table in PostgreSQL."""
    folder = tmp_path_factory.mktemp("liar")
    source = postgres.load(liar, ["t"], folder)["t"]
    head = '[dataset]\nname = "liar"\nunit = { row = true, hides = "one" }\nbudget = { rho = 1, delta = 0.1 }\n'
    file = folder / "liar.toml"
    file.write_text(f'{head}[tables.t]\n{source}\ncolumns = {{ n = {{ type = "int" }} }}\n')
    return read_description(file)


@pytest.fixture
def session(described: Description) -> Iterator[PostgresSession]:
    with PostgresEngine().session(described) as opened:
        yield opened


def _table(session: PostgresSession) -> str:
    return ".".join(f'"{part}"' for part in (session.source.table or "").split("."))


def _sql(text: str) -> str:
    return type_expression(sqlglot.parse_one(text, dialect="duckdb"), BELIEFS).sql


def _values(session: PostgresSession, sql: str) -> list[str]:
    found = session.run(f'SELECT "t"."r" AS r, {sql} AS v FROM "t"').to_pylist()
    return _plain(row["v"] for row in sorted(found, key=lambda row: row["r"]))


def _plain(values: Iterator[object] | Sequence[object]) -> list[str]:
    """Values that are equal on both engines have equal texts: those of doubles tell −0.0 from 0.0."""
    return [str(value) if not isinstance(value, float) else repr(value) for value in values]


@pytest.mark.parametrize("text", FAILING)
def test_false_beliefs_fail_no_statement(session: PostgresSession, liar: duckdb.DuckDBPyConnection, text: str) -> None:
    """R26: each row has the value that DuckDB's TRY gives it."""
    wanted = liar.execute(f"SELECT {_sql(text)} FROM t ORDER BY r").fetchall()
    assert _values(session, _sql(text)) == _plain(value for (value,) in wanted)


def test_without_it_most_do(described: Description, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above is not vacuous."""
    monkeypatch.setattr(postgres_second_line, "IS_ON", False)
    failed = []
    for text in FAILING:
        try:
            with PostgresEngine().session(described) as opened:
                _values(opened, _sql(text))
        except Failed:
            failed.append(text)
    assert len(failed) > 0.6 * len(FAILING), failed


def test_whatever_is_asked_for_is_attempted(session: PostgresSession) -> None:
    """What is kept is read again with its TRY, by each later statement, and rows that are lent are whole."""
    session.keep("__first", f'SELECT r AS r, {_BREAKING} AS v FROM "t"')
    session.keep("__second", 'SELECT r AS r, v AS v, TRY(9223372036854775807 + v) AS u FROM "__first"')
    every = 'SELECT r AS r, v AS v, u AS u FROM "__second"'
    rows = sorted(session.run(every).to_pylist(), key=lambda row: int(row["r"]))
    assert [row["v"] for row in rows] == [-33, -50, -100, None, 100, 50, 33]
    assert [row["u"] for row in rows] == [*(2**63 - 1 - n for n in (33, 50, 100)), None, None, None, None]
    types, lent = session.lend(every)
    assert sorted((row for batch in lent for row in batch.to_pylist()), key=lambda row: int(row["r"])) == rows
    assert types == {"r": "BIGINT", "v": "BIGINT", "u": "BIGINT"}
    assert session.run('SELECT COUNT(v) AS y0 FROM "__second"').column("y0")[0].as_py() == 6


def test_both_runs_see_one_moment(session: PostgresSession, postgres: PostgresUnderTest) -> None:
    """R23, R30: rows that come between the two are in neither."""
    with postgres.connect() as server:
        server.execute(f"INSERT INTO {_table(session)} (r, n) VALUES (99, 4)")
        try:
            counted = session.run(f'SELECT COUNT(*) AS y0, COUNT({_BREAKING}) AS y1 FROM "t"').to_pylist()
        finally:
            server.execute(f"DELETE FROM {_table(session)} WHERE r = 99")
    assert counted == [{"y0": 7, "y1": 6}]


def test_nothing_runs_twice_while_nothing_fails(session: PostgresSession, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_given: object) -> None:
        raise AssertionError

    monkeypatch.setattr(postgres_engine, "attempted", never)
    assert session.run('SELECT COUNT(TRY(100 // (r - 17))) AS y0 FROM "t"').column("y0")[0].as_py() == 7


_UNREACHED = "(SELECT CASE WHEN a > 0 THEN 100 / $1 ELSE 5 END FROM (SELECT $2 AS a OFFSET 0) AS s)"


@pytest.mark.parametrize(("mode", "value"), [(None, 5), ("SET SESSION plan_cache_mode = 'force_custom_plan'", None)])
def test_what_a_row_does_not_reach_is_not_calculated(
    session: PostgresSession, mode: str | None, value: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R26: a plan for the row's own values would divide before it knows whether to, and make NULL of what is 5."""
    if mode is not None:
        monkeypatch.setattr(postgres_second_line, "SETTINGS", mode)
    dialect = attempts.AttemptingPostgres()
    called = dialect._function(Piece(_UNREACHED, BIGINT), [Piece("", BIGINT)] * 2)
    with postgres_second_line.same_moment(session.source, session.connection, dialect.definitions()) as second:
        assert postgres_engine.fetched(second, f"SELECT {called}(0, 0)") == [(value,)]


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT COUNT(100 // (r - 4)) AS y0 FROM "t"',  # nothing to attempt
        f'SELECT COUNT({_BREAKING}) AS y0, COUNT(100 // (r - 4)) AS y1 FROM "t"',  # it fails beside what is attempted
    ],
)
def test_what_fails_otherwise_is_a_failure(session: PostgresSession, sql: str) -> None:
    with pytest.raises(Failed) as failure:
        session.run(sql)
    assert type(failure.value) is Failed
    assert str(failure.value) == str(Failed())


@pytest.mark.parametrize(
    "state", ["22012", "22003", "54000", "0A000", "XX000", "53200", "53100", "57014", "08006", "40001"]
)
def test_only_errors_of_a_row_are_caught(session: PostgresSession, state: str) -> None:
    """Memory, disk, connections and interrupts make a statement fail, once, as they always did."""
    raising = f"DO $$ BEGIN RAISE SQLSTATE '{state}'; END $$"
    if state[:2] in ROW_ERRORS:
        assert postgres_engine.fetched(session.connection, raising, lambda: [(1,)]) == [(1,)]
    else:
        with pytest.raises(Failed):
            postgres_engine.fetched(session.connection, raising, lambda: [(1,)])
    assert (state[:2] in ("22", "54", "0A", "XX")) == (state[:2] in ROW_ERRORS)


def test_a_role_without_temporary_objects_fails_as_before(described: Description, postgres: PostgresUnderTest) -> None:
    with postgres.connect() as server:
        server.execute("REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC")
        try:
            with pytest.raises(Failed), PostgresEngine().session(described) as opened:
                opened.run(f'SELECT COUNT({_BREAKING}) AS y0 FROM "t"')
        finally:
            server.execute("GRANT TEMPORARY ON DATABASE postgres TO PUBLIC")


def test_nothing_stays(session: PostgresSession, postgres: PostgresUnderTest) -> None:
    """R27: the functions end with the connection that has them, and rows are read-only in it too."""
    assert session.run(f'SELECT COUNT({_BREAKING}) AS y0 FROM "t"').column("y0")[0].as_py() == 6
    with postgres.connect() as server:
        for _ in range(100):  # the server ends a session a moment after its client
            left = server.execute("SELECT count(*) FROM pg_proc WHERE proname LIKE 'tacit_try%'").fetchone()
            if left == (0,):
                break
            server.execute("SELECT pg_sleep(0.05)")
        assert left == (0,)
    with postgres_second_line.same_moment(session.source, session.connection, []) as second, pytest.raises(Failed):
        postgres_engine.fetched(second, f"DELETE FROM {_table(session)} RETURNING r")
