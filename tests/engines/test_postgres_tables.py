"""The tables of a server that can be read: partitions, views in place of tables, and broken connections."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.engines.postgres_server import PostgresUnderTest

from tacit.errors import Failed, Refused
from tacit.query.engines.postgres import connection as postgres_tables
from tacit.query.engines.postgres.columns import column_of
from tacit.query.engines.postgres.connection import held, looked_up, snapshot
from tacit.query.engines.postgres.engine import PostgresEngine, PostgresSession
from tacit.schema.description import Source
from tacit.schema.reader import read_description
from tacit.schema.sources import read_source

_SETUP = """
DROP SCHEMA IF EXISTS parts CASCADE; CREATE SCHEMA parts; GRANT USAGE ON SCHEMA parts TO reader;
CREATE TABLE parts.old (buyer text, n int);
CREATE TABLE parts.newer () INHERITS (parts.old);
CREATE TABLE parts.newest () INHERITS (parts.newer);
CREATE TABLE parts.split (buyer text, n int) PARTITION BY LIST (n);
CREATE TABLE parts.split_1 PARTITION OF parts.split FOR VALUES IN (1);
CREATE TABLE parts.plain (buyer text, n int);
CREATE TABLE parts.sales AS SELECT 'b' || i AS buyer, i AS n FROM generate_series(1, 100) AS i;
CREATE MATERIALIZED VIEW parts.empty AS SELECT * FROM parts.sales WITH NO DATA;
DROP FOREIGN DATA WRAPPER IF EXISTS far CASCADE;
CREATE FOREIGN DATA WRAPPER far; CREATE SERVER afar FOREIGN DATA WRAPPER far;
CREATE FOREIGN TABLE parts.split_2 PARTITION OF parts.split FOR VALUES IN (2) SERVER afar;
CREATE TABLE parts.child () INHERITS (parts.plain);
CREATE FOREIGN TABLE parts.abroad () INHERITS (parts.child) SERVER afar;
GRANT SELECT ON ALL TABLES IN SCHEMA parts TO reader;
"""


@pytest.fixture
def parts(postgres: PostgresUnderTest) -> Iterator[PostgresUnderTest]:
    with postgres.connect() as server:
        server.execute(_SETUP)
    yield postgres
    with postgres.connect() as server:
        server.execute("DROP SCHEMA parts CASCADE; DROP FOREIGN DATA WRAPPER far CASCADE")


def _source(parts: PostgresUnderTest, table: str) -> Source:
    return read_source(parts.address, Path("/"), f"parts.{table}")


@pytest.mark.parametrize("table", ["split", "plain"])
def test_a_table_with_a_part_on_another_server_is_refused(parts: PostgresUnderTest, table: str) -> None:
    """As a partition, or as a child of a child: before any charge."""
    for ask in (PostgresEngine().header, PostgresEngine().version):
        with pytest.raises(Refused, match="on another server"):
            ask(_source(parts, table))


def test_rows_of_children_count_as_the_table_s(parts: PostgresUnderTest) -> None:
    """R43: a SELECT of a table reads its children's rows, and those of theirs; so its version changes with them."""
    engine, seen = PostgresEngine(), set[str]()
    for place, table in enumerate(("old", "newer", "newest", "newest")):
        seen.add(engine.version(_source(parts, "old")))
        assert len(seen) == place + 1
        with parts.connect() as server:
            server.execute(f"INSERT INTO parts.{table} VALUES ('a', 1)")
            server.execute("SELECT pg_stat_force_next_flush()")
    assert engine.version(_source(parts, "old")) not in seen


def test_columns_that_differ_in_case_alone_are_refused(parts: PostgresUnderTest) -> None:
    """Else a row is whose the other column says: of `pid` and "PID" the last one was read."""
    with parts.connect() as server:
        server.execute('CREATE TABLE parts.twice (pid int, "PID" int); GRANT SELECT ON parts.twice TO reader')
    with pytest.raises(Refused, match="case alone"):
        PostgresEngine().header(_source(parts, "twice"))


def test_a_materialized_view_without_rows_is_refused(parts: PostgresUnderTest) -> None:
    engine, source = PostgresEngine(), _source(parts, "empty")
    with pytest.raises(Refused, match="until it is refreshed"):
        engine.version(source)
    with parts.connect() as server:
        server.execute("REFRESH MATERIALIZED VIEW parts.empty")
    assert engine.header(source) == (("buyer", "VARCHAR"), ("n", "INTEGER"))


_SWAP = "ALTER TABLE parts.sales RENAME TO was; CREATE VIEW parts.sales AS SELECT * FROM parts.was"


def test_a_view_that_was_put_in_a_table_s_place_is_refused(parts: PostgresUnderTest) -> None:
    """The catalogue as of the snapshot still shows the table; the name means the view by now."""
    source = _source(parts, "sales")
    with snapshot(source) as connection:
        looked_up(connection, "SELECT 1 FROM pg_catalog.pg_class LIMIT %s", [1])
        with parts.connect() as server:
            server.execute(f"{_SWAP}; GRANT SELECT ON parts.sales TO reader")
        with pytest.raises(Refused, match="in its place"):
            held(connection, source)


def test_without_the_lock_the_view_is_taken(parts: PostgresUnderTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken twin of the test above: what is checked is then not what is read."""
    monkeypatch.setattr(postgres_tables, "_HELD_SQL", "SELECT %s::oid, %s::text")
    source = _source(parts, "sales")
    with snapshot(source) as connection:
        looked_up(connection, "SELECT 1 FROM pg_catalog.pg_class LIMIT %s", [1])
        with parts.connect() as server:
            server.execute(f"{_SWAP}; GRANT SELECT ON parts.sales TO reader")
        held(connection, source)


def test_a_table_stays_until_its_session_ends(parts: PostgresUnderTest) -> None:
    source = _source(parts, "sales")
    with snapshot(source) as connection, parts.connect() as server:
        held(connection, source)
        server.execute("SET lock_timeout = '50ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            server.execute(_SWAP)


def test_a_column_that_is_computed_when_it_is_read_has_no_type() -> None:
    """Its expression may fail on a row. PostgreSQL has such columns from 18 on."""
    assert column_of(("n", "int4", "b", True, -1, True, False)).type == "INTEGER"
    assert column_of(("n", "int4", "b", True, -1, True, True)).type == "COMPUTED WHEN READ"


def test_a_connection_that_broke_is_not_used_again(parts: PostgresUnderTest, tmp_path: Path) -> None:
    """The question that ran on it fails, and the next one is answered."""
    (tmp_path / "parts.toml").write_text(
        '[dataset]\nname = "parts"\nunit = { id = "buyer", hides = "one" }\nbudget = { rho = 1, delta = 1e-6 }\n'
        f'[tables.sales]\nsource = "{parts.address}"\ntable = "parts.sales"\n'
        'columns = { n = { type = "int", min = 0, max = 9 } }\n'
    )
    description = read_description(tmp_path / "parts.toml", lambda *_: [])
    sql, engine = 'SELECT COUNT(*) AS y0 FROM "sales"', PostgresEngine()

    def asked(is_broken: bool) -> int:
        with engine.session(description) as session, parts.connect() as server:
            assert isinstance(session, PostgresSession)
            if is_broken:
                server.execute("SELECT pg_terminate_backend(%s)", [session.connection.info.backend_pid])
            return int(session.run(sql).column("y0")[0].as_py())

    with pytest.raises(Failed):
        asked(is_broken=True)
    assert asked(is_broken=False) == 100
