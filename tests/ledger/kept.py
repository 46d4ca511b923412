"""The stores of a test's ledgers, in a file or in PostgreSQL: one per folder, with direct write access."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import psycopg
from tests.ledger.ledger_server import LedgerServer

Row = tuple[Any, ...]


class Kept(Protocol):
    """A way to keep ledgers. The ledger of a folder is reached by other means than its own."""

    def place(self, folder: Path) -> str | Path: ...

    def exists(self, folder: Path) -> bool: ...

    def found(self, folder: Path, query: str) -> list[Row]: ...

    def execute(self, folder: Path, statement: str) -> None:
        """Execute SQL on the database directly, with its triggers."""
        ...

    def edit(self, folder: Path, *statements: str) -> None:
        """The same without its triggers."""
        ...

    def back_up(self, folder: Path) -> bytes: ...

    def restore(self, folder: Path, backup: bytes) -> None: ...

    def destroy(self, folder: Path) -> None: ...


class InFile:
    """SQLite's file."""

    def place(self, folder: Path) -> Path:
        return folder / "share" / "ledger.sqlite"

    def exists(self, folder: Path) -> bool:
        return self.place(folder).exists()

    def found(self, folder: Path, query: str) -> list[Row]:
        with closing(sqlite3.connect(self.place(folder))) as connection:
            return connection.execute(query).fetchall()

    def execute(self, folder: Path, statement: str) -> None:
        with closing(sqlite3.connect(self.place(folder))) as connection, connection:
            connection.execute(statement)

    def edit(self, folder: Path, *statements: str) -> None:
        with closing(sqlite3.connect(self.place(folder))) as connection, connection:
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                connection.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                connection.execute(statement)

    def back_up(self, folder: Path) -> bytes:
        return Path(shutil.copy(self.place(folder), folder / "backup")).read_bytes()

    def restore(self, folder: Path, backup: bytes) -> None:
        self.place(folder).write_bytes(backup)

    def destroy(self, folder: Path) -> None:
        self.place(folder).unlink()


@dataclass
class InPostgres:
    """A server's databases, lent to folders and taken back empty: to make one takes longer than most tests."""

    server: LedgerServer
    free: list[str] = field(default_factory=list)
    lent: dict[Path, str] = field(default_factory=dict)
    made: int = 0

    def place(self, folder: Path) -> str:
        return self.server.address(self.database(folder))

    def database(self, folder: Path) -> str:
        if folder not in self.lent:
            if not self.free:
                self.made += 1
                self.free.append(f"ledger{self.made}")
                with self.server.connect() as connection:
                    connection.execute(f"CREATE DATABASE {self.free[0]}")
            self.lent[folder] = self.free.pop()
        return self.lent[folder]

    def take_back(self, folder: Path) -> None:
        self.destroy(folder)
        self.free.append(self.lent.pop(folder))

    def exists(self, folder: Path) -> bool:
        return self.found(folder, "SELECT to_regnamespace('tacit_ledger') IS NOT NULL") == [(True,)]

    def found(self, folder: Path, query: str) -> list[Row]:
        with self._connect(folder) as connection:
            return connection.execute(query.encode()).fetchall()

    def execute(self, folder: Path, statement: str) -> None:
        with self._connect(folder) as connection:
            connection.execute(statement.encode())

    def edit(self, folder: Path, *statements: str) -> None:
        with self._connect(folder) as connection, connection.transaction():
            for table in ("entries", "payloads", "meta"):
                connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
            for statement in statements:
                connection.execute(statement.encode())

    def back_up(self, folder: Path) -> bytes:
        where = ("-h", self.server.folder, "-U", "steward")
        return self.server.run("pg_dump", *where, "-n", "tacit_ledger", self.database(folder))

    def restore(self, folder: Path, backup: bytes) -> None:
        if self.exists(folder):
            self.destroy(folder)
        where = ("-h", self.server.folder, "-U", "steward", "-v", "ON_ERROR_STOP=1", "-q")
        self.server.run("psql", *where, self.database(folder), given=backup)

    def destroy(self, folder: Path) -> None:
        self.execute(folder, "DROP SCHEMA IF EXISTS tacit_ledger CASCADE")

    def _connect(self, folder: Path) -> psycopg.Connection[Any]:
        connection = self.server.connect(self.database(folder))
        connection.execute("SET search_path = tacit_ledger; SET client_min_messages = warning")
        return connection
