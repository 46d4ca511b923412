"""One budget for one table of PostgreSQL, whatever address and name it is reached by."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import duckdb
import pytest
from tests.engines.postgres_server import PostgresUnderTest

import tacit
from tacit.curator.books import open_books
from tacit.curator.engine_choice import other_names
from tacit.errors import Refused
from tacit.schema.sources import read_source

DESCRIPTION = """\
[dataset]
name = "clinic"
unit = { id = "person", hides = "one person, all visits" }
budget = { epsilon = 4, delta = 1e-7 }

[tables.visits]
SOURCE
limits = { rows = 6 }

[tables.visits.columns]
cost = { type = "int", min = 0, max = 1000 }
"""
COUNT = "SELECT COUNT(*) FROM visits"


@contextmanager
def tunnel(server: PostgresUnderTest) -> Iterator[int]:
    """Another address of the same server: a port of this machine that leads to its socket."""

    def lead(one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass
        finally:
            for end in (one, other):
                end.close()

    def serve(listening: socket.socket) -> None:
        while True:
            try:
                near, _ = listening.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(str(server.socket / ".s.PGSQL.5432"))
            for pair in ((near, far), (far, near)):
                Thread(target=lead, args=pair, daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=serve, args=(listening,), daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def place(postgres: PostgresUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The schema of a table of 200 visits, and a ledger of the test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    rows = duckdb.connect()
    rows.execute("CREATE TABLE visits AS SELECT i % 50 AS person, i % 100 AS cost FROM range(200) AS r(i)")
    postgres.load(rows, ["visits"], tmp_path)
    return postgres.schema(tmp_path)


def used(address: str, table: str, *, ask: bool = False) -> float:
    Path("clinic.toml").write_text(DESCRIPTION.replace("SOURCE", f'source = "{address}"\ntable = "{table}"'))
    with tacit.open("clinic.toml") as ds:
        if ask:
            ds.query(COUNT, epsilon=1, fresh=True)
        return float(ds.budget().used)


def test_another_address_or_name_of_a_table_shares_its_budget(postgres: PostgresUnderTest, place: str) -> None:
    first = used(postgres.address, f"{place}.visits", ask=True)
    assert first > 0
    with tunnel(postgres) as port:
        address = f"postgresql://127.0.0.1:{port}/postgres"
        assert used(address, f"{place}.visits") == first
        second = used(address, f"{place}.visits", ask=True)
    assert second == pytest.approx(2 * first)
    assert used(postgres.address, f"{place}.visits") == second
    with postgres.connect() as server:
        server.execute(f'ALTER TABLE "{place}".visits RENAME TO renamed')
    assert used(postgres.address, f"{place}.renamed") == second


def test_the_parts_of_a_table_share_its_budget(postgres: PostgresUnderTest, place: str) -> None:
    with postgres.connect() as server:
        server.execute(f'CREATE TABLE "{place}".whole (person int, cost int) PARTITION BY RANGE (cost)')
        server.execute(f'CREATE TABLE "{place}".low PARTITION OF "{place}".whole FOR VALUES FROM (0) TO (500)')
        server.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{place}" TO reader')
    first = used(postgres.address, f"{place}.whole", ask=True)
    assert used(postgres.address, f"{place}.low") == first
    assert used(postgres.address, f"{place}.visits") == 0


def test_a_table_made_anew_keeps_the_budget_of_its_name(postgres: PostgresUnderTest, place: str) -> None:
    first = used(postgres.address, f"{place}.visits", ask=True)
    with postgres.connect() as server:
        server.execute(f'CREATE TABLE "{place}".copy AS TABLE "{place}".visits')
        server.execute(f'DROP TABLE "{place}".visits')
        server.execute(f'ALTER TABLE "{place}".copy RENAME TO visits')
        server.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{place}" TO reader')
    assert used(postgres.address, f"{place}.visits") == first


def test_a_server_that_does_not_answer_has_its_address_alone(tmp_path: Path) -> None:
    """The budget can be looked at while the server is down."""
    gone = read_source(f"postgresql:///d?host={tmp_path}", Path("/"), "visits")
    assert other_names(gone) == ()
    Path(tmp_path / "clinic.toml").write_text(
        DESCRIPTION.replace("SOURCE", f'source = "postgresql:///d?host={tmp_path}"\ntable = "visits"')
    )
    with open_books(tmp_path / "clinic.toml", tmp_path / "ledger.sqlite") as books:
        assert books.history() == ()
    with pytest.raises(Refused), tacit.open(tmp_path / "clinic.toml", ledger=tmp_path / "ledger.sqlite") as ds:
        ds.query(COUNT, epsilon=1)
