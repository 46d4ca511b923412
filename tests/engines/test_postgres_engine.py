"""The PostgreSQL engine: reading, refusals, and read-only access."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import psycopg
import pytest
from tests.engines.postgres_server import PostgresUnderTest

from tacit.curator.dataset import open_dataset
from tacit.curator.engine_choice import engine_of
from tacit.errors import Failed, Refused
from tacit.query.engines.postgres.columns import column_of
from tacit.query.engines.postgres.connection import fetched, snapshot
from tacit.query.engines.postgres.engine import PostgresEngine
from tacit.schema.description import Source
from tacit.schema.reader import read_description
from tacit.schema.sources import read_source

_SETUP = """
CREATE SCHEMA shop; GRANT USAGE ON SCHEMA shop TO reader;
CREATE TABLE shop.sales (buyer text, price numeric(10,2), free numeric, n int, "Odd name" char(4), at timestamptz);
INSERT INTO shop.sales SELECT 'b' || i % 50, i % 100, i, i, 'x', now() FROM generate_series(1, 1000) AS i;
CREATE TABLE shop.split (buyer text, n int) PARTITION BY LIST (n);
CREATE TABLE shop.split_0 PARTITION OF shop.split FOR VALUES IN (0);
CREATE TABLE shop.split_1 PARTITION OF shop.split FOR VALUES IN (1);
CREATE VIEW shop.seen AS SELECT * FROM shop.sales;
CREATE MATERIALIZED VIEW shop.kept AS SELECT buyer, n FROM shop.sales;
CREATE TABLE shop.hidden (buyer text); ALTER TABLE shop.hidden ENABLE ROW LEVEL SECURITY;
CREATE TABLE shop.closed (buyer text);
GRANT SELECT ON shop.sales, shop.split, shop.seen, shop.kept, shop.hidden TO reader;
"""
_HEAD = (
    '[dataset]\nname = "shop"\nunit = { id = "buyer", hides = "one" }\nbudget = { epsilon = 100, delta = 1e-6 }\n'
    'floor = 0\nbreaker = "off"\n'
)


@pytest.fixture(scope="module", autouse=True)
def shop(postgres: PostgresUnderTest) -> PostgresUnderTest:
    with postgres.connect() as server:
        server.execute(_SETUP)
    return postgres


def _source(shop: PostgresUnderTest, table: str) -> Source:
    return read_source(shop.address, Path("/"), f"shop.{table}")


def _file(shop: PostgresUnderTest, folder: Path, columns: str, table: str = "sales") -> Path:
    file = folder / "shop.toml"
    file.write_text(
        f'{_HEAD}[tables.sales]\nsource = "{shop.address}"\ntable = "shop.{table}"\n'
        f"limits = {{ rows = 30 }}\ncolumns = {{ {columns} }}\n"
    )
    return file


def test_a_header_comes_from_the_catalogue(shop: PostgresUnderTest) -> None:
    """R15: names and types in DuckDB's words; a text of fixed width and a free numeric have a form of their own."""
    assert PostgresEngine().header(_source(shop, "sales")) == (
        ("buyer", "VARCHAR"),
        ("price", "DECIMAL(10,2)"),
        ("free", "DECIMAL(28,9)"),
        ("n", "INTEGER"),
        ("Odd name", "VARCHAR"),
        ("at", "TIMESTAMP WITH TIME ZONE"),
    )


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("seen", "view"),
        ("hidden", "policy"),
        ("closed", "may not read"),
        ("missing", "not there"),
    ],
)
def test_what_cannot_be_read_safely_is_refused(shop: PostgresUnderTest, table: str, why: str) -> None:
    """R26: code that runs on rows, rows that are hidden, and tables that are not there, before anything is charged."""
    with pytest.raises(Refused, match=why):
        PostgresEngine().header(_source(shop, table))


def test_texts_that_are_alike_but_not_equal_tell_nobody_apart() -> None:
    """R20: under such a collation 'Bob' and 'bob' are one person to the database; here they would be two."""
    for is_deterministic in (True, False):
        column = column_of(("buyer", "text", "b", True, -1, is_deterministic, False))
        select, headers = 'SELECT "t"."buyer" AS "__unit" FROM "t"', {"t": {column.name: column.type}}
        if is_deterministic:
            PostgresEngine().said(select, headers)
        else:
            with pytest.raises(Refused, match="COLLATION"):
                PostgresEngine().said(select, headers)


@pytest.mark.parametrize("table", ["sales", "split", "kept"])
def test_a_version_changes_with_the_rows(shop: PostgresUnderTest, table: str) -> None:
    """R43: the same while nothing happens; another after a row came, was changed or went, or all of them did."""
    engine, source = PostgresEngine(), _source(shop, table)
    first = engine.version(source)
    assert engine.version(source) == first
    changes = {
        "sales": ["INSERT INTO shop.sales (buyer) VALUES ('late')", "UPDATE shop.sales SET n = 1 WHERE buyer = 'late'"],
        "split": ["INSERT INTO shop.split VALUES ('b', 1)", "DELETE FROM shop.split", "TRUNCATE shop.split"],
        "kept": ["REFRESH MATERIALIZED VIEW shop.kept"],
    }
    for change in changes[table]:
        with shop.connect() as server:
            server.execute(change)
            server.execute("SELECT pg_stat_force_next_flush()")
        second = engine.version(source)
        assert second != first
        first = second


def test_two_ways_to_write_the_place_are_one_account(shop: PostgresUnderTest) -> None:
    """R41: a budget belongs to the rows, however their place is written."""
    written = ("postgresql://localhost/d", "postgres://127.0.0.1:5432/d", "postgresql:///d?host=/var/run/postgresql")
    assert len({read_source(each, Path("/"), "visits").identity for each in written}) == 1
    assert read_source(written[0], Path("/"), "public.visits").identity == "postgresql:localhost:5432/d#public.visits"
    assert read_source("postgresql://elsewhere/d", Path("/"), "visits").identity.startswith("postgresql:elsewhere")


@pytest.mark.parametrize(
    "written",
    ["postgresql://me:secret@host/d", "postgresql://host/d?password=secret", "postgresql://host", "postgresql:///d"],
)
def test_no_password_stands_in_a_description(written: str) -> None:
    """R27: and no refusal repeats it."""
    with pytest.raises(Refused) as refusal:
        read_source(written, Path("/"), "visits")
    assert "secret" not in str(refusal.value)


def test_a_server_that_is_not_there_is_said_without_its_words(tmp_path: Path) -> None:
    """R27: the driver's message may name users and places; a refusal does not."""
    with pytest.raises(Refused, match="cannot be reached"):
        PostgresEngine().header(read_source(f"postgresql:///d?host={tmp_path}", Path("/"), "visits"))


def test_nothing_can_be_written(shop: PostgresUnderTest) -> None:
    """R30: the session is read-only even for a role that could write, and what breaks says no more than that it did."""
    with shop.connect() as server:
        server.execute("GRANT INSERT ON shop.sales TO reader")
    with snapshot(_source(shop, "sales")) as connection, pytest.raises(Failed):
        fetched(connection, "INSERT INTO shop.sales (buyer) VALUES ('x') RETURNING buyer")


def test_nobody_elses_function_is_taken_for_the_servers(shop: PostgresUnderTest, tmp_path: Path) -> None:
    """R26: functions and operators of the same names in schemas that the role would see first are never called."""
    with shop.connect() as server:
        server.execute("CREATE SCHEMA reader; GRANT USAGE ON SCHEMA reader TO reader")
        body = "LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'captured'; END $$"
        for call in ("lower(text)", "abs(bigint)", "length(text)", "date_trunc(text, timestamp)"):
            server.execute(f"CREATE FUNCTION reader.{call} RETURNS text {body}")
        server.execute("ALTER ROLE reader SET search_path = reader, pg_catalog, public")
    try:
        file = _file(shop, tmp_path, 'n = { type = "int", min = 0, max = 1000 }, "Odd name" = { type = "text" }')
        with open_dataset(file, ledger=tmp_path / "ledger.sqlite") as data:
            sql = 'SELECT COUNT(*), SUM(ABS(n)) FROM sales WHERE LOWER("Odd name") = \'x\' AND LENGTH("Odd name") = 1'
            counted = data.query(sql, epsilon=50).table.column(0)[0].as_py()
        assert abs(counted - 1000) < 200
    finally:
        with shop.connect() as server:
            server.execute("ALTER ROLE reader RESET search_path; DROP SCHEMA reader CASCADE")


def test_a_word_that_the_server_lacks_is_refused_before_the_charge(shop: PostgresUnderTest, tmp_path: Path) -> None:
    """R34, R39: nothing is spent on an untranslatable query."""
    file = _file(shop, tmp_path, 'price = { type = "float", min = 1, max = 100 }')
    with open_dataset(file, ledger=tmp_path / "ledger.sqlite") as data:
        with pytest.raises(Refused, match="LOG2 on PostgreSQL"):
            data.query("SELECT SUM(LOG2(price)) FROM sales", epsilon=1)
        with pytest.raises(Refused, match="reading a text"):
            data.query("SELECT SUM(CAST(CAST(price AS VARCHAR) AS INTEGER)) FROM sales", epsilon=1)
        assert not data._opened.history()


def test_files_and_databases_do_not_mix(shop: PostgresUnderTest, tmp_path: Path) -> None:
    """A query runs in one place: the refusal says how to bring the rows together."""
    file = tmp_path / "mixed.toml"
    columns = 'columns = { n = { type = "int" } }'
    file.write_text(
        f'{_HEAD}[tables.a]\nsource = "{shop.address}"\ntable = "shop.sales"\n{columns}\n'
        f'[tables.b]\nsource = "b.parquet"\n{columns}\n'
    )
    with pytest.raises(Refused, match="beside"):
        open_dataset(file, ledger=tmp_path / "ledger.sqlite")
    sources = [read_source(f"postgresql://{host}/d", Path("/"), "t") for host in ("one", "two")]
    with pytest.raises(Refused, match="several databases"):
        engine_of(sources)


def test_a_changed_table_fails_without_words(shop: PostgresUnderTest, tmp_path: Path) -> None:
    """R27: a plan made for other types is not run."""
    description = read_description(_file(shop, tmp_path, 'n = { type = "int" }'))
    with pytest.raises(Failed), PostgresEngine().session(description, {"sales": {"n": "BIGINT"}}):
        pass


def test_one_session_sees_one_moment(shop: PostgresUnderTest, tmp_path: Path) -> None:
    """R23, R30: rows that come while a query runs are not in it, and what was kept is of the same moment."""
    description = read_description(_file(shop, tmp_path, 'n = { type = "int" }'))
    count = 'SELECT COUNT(*) AS y0 FROM "sales"'
    with PostgresEngine().session(description) as session:
        session.keep("__kept", 'SELECT n AS n FROM "sales"')
        before = session.run(count).column("y0")[0].as_py()
        with shop.connect() as server:
            server.execute("INSERT INTO shop.sales (buyer) VALUES ('later')")
        assert session.run(count).column("y0")[0].as_py() == before
        assert session.run('SELECT COUNT(*) AS y0 FROM "__kept"').column("y0")[0].as_py() == before


def test_an_interrupt_ends_the_query_on_the_server(shop: PostgresUnderTest) -> None:
    """Ctrl-C is raised again, and the server cancels the query."""
    with snapshot(_source(shop, "sales")) as connection:
        backend = connection.info.backend_pid
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            fetched(connection, "SELECT pg_sleep(30)")
        assert time.monotonic() - started < 10
        with shop.connect() as server:
            running = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s AND state = 'active'"
            assert server.execute(running, [backend]).fetchone() == (0,)


def test_a_failure_says_nothing(shop: PostgresUnderTest) -> None:
    """R27: the driver's words, which may hold a value, end in the engine."""
    with snapshot(_source(shop, "sales")) as connection, pytest.raises(Failed) as failure:
        fetched(connection, "SELECT buyer::int FROM shop.sales")
    assert "b1" not in str(failure.value)
    assert failure.value.__cause__ is None
    assert isinstance(failure.value.__context__, psycopg.Error)


def test_explain_shows_what_the_server_is_sent(shop: PostgresUnderTest, tmp_path: Path) -> None:
    """Not the words of another dialect: the text runs on the server as it stands, but for the tables' names."""
    file = _file(shop, tmp_path, 'n = { type = "int", min = 0, max = 100 }')
    with open_dataset(file, ledger=tmp_path / "ledger.sqlite") as dataset:
        (said,) = dataset.explain("SELECT SUM(n) FROM sales", epsilon=1, interval="bounded").statements
    assert "TRY_CAST" not in said
    assert "HUGEINT" not in said
    with shop.connect() as server:
        server.execute('CREATE TEMP VIEW "sales" AS SELECT * FROM shop.sales')
        assert server.execute(said).fetchone()
