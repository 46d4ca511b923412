"""A ledger in PostgreSQL: created atomically, durable at every commit, written by one curator at a time."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from psycopg import Connection, Cursor, Error, OperationalError, connect
from psycopg.conninfo import make_conninfo
from psycopg.errors import DeadlockDetected, InsufficientPrivilege, SerializationFailure
from psycopg.pq import TransactionStatus

from tacit.errors import Refused
from tacit.ledger.places import Address, beside_of
from tacit.ledger.store import POSTGRES_TABLES, POSTGRES_VERSION, Conflicted, SqlExecutor, Unavailable

_PATIENCE = 60_000  # milliseconds to wait for other writers, which take a few each, or for one that hangs
_SETTINGS = {
    "search_path": "tacit_ledger,pg_temp",
    "client_encoding": "UTF8",
    "default_transaction_isolation": r"read\ committed",
    "default_transaction_read_only": "off",
    "synchronous_commit": "on",
    "lock_timeout": _PATIENCE,
    "idle_in_transaction_session_timeout": _PATIENCE,
    "statement_timeout": 0,
}
_PATIENT = {
    "connect_timeout": "20",
    "keepalives_idle": "20",
    "keepalives_interval": "10",
    "keepalives_count": "4",
    "tcp_user_timeout": str(_PATIENCE),
}
_LEAST = 140000
_BEGIN = "BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE tacit_ledger.turn IN EXCLUSIVE MODE"
_CREATING = int.from_bytes(b"tacit", "big")  # the lock for creating a ledger
_RUNS = int.from_bytes(b"taci", "big")  # the locks of running charges, by their numbers
_IS_THERE = "SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'tacit_ledger')"


@contextmanager
def available(words: str) -> Iterator[None]:
    """Turn an error of the server or the network into a refusal with the server's message, without its details."""
    try:
        yield
    except (SerializationFailure, DeadlockDetected) as error:
        raise Conflicted(words, f"Another wrote to it at the same moment ({_said(error)}).", "try again.") from None
    except InsufficientPrivilege as error:
        raise Unavailable(
            words,
            f"The role that this curator logs in as may not do this ({_said(error)}).",
            "USAGE on the schema tacit_ledger; SELECT on its tables; INSERT on entries and payloads; UPDATE on turn; "
            "and for the role that makes a new ledger, CREATE on the database.",
        ) from None
    except (Error, OSError) as error:
        raise Unavailable(
            words,
            f"It could not be read or written ({_said(error)}).",
            "a server that runs, and a role that it lets in (PGUSER, with PGPASSWORD or ~/.pgpass); then try again.",
        ) from None


class PostgresDatabase:
    """A connection to the server. It belongs to the process that opened it; its threads use it one at a time.

    A lost connection is replaced before the next read or transaction, never within one.
    """

    def __init__(self, address: Address) -> None:
        self.words = f"the ledger at {address.place}"
        self.beside = beside_of(address)
        self._address = address
        self._process = os.getpid()
        self._turn = threading.RLock()
        self._is_bound = False  # whether the current connection is kept: within a transaction, and after the close
        self._held: set[int] = set()
        with available(self.words):
            self._connection = self._connected()

    @property
    def is_new(self) -> bool:
        """Whether there is no ledger in this database yet."""
        with self._turn, available(self.words):
            return self._connection.execute(_IS_THERE).fetchone() != (True,)

    def create(self) -> None:
        """Create an empty ledger; an existing one stays."""
        names = {"version": POSTGRES_VERSION, "identity": secrets.token_hex(16), "secret": secrets.token_hex(32)}
        with self._turn, available(self.words), self._connection.transaction():
            self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (_CREATING,))
            if self.is_new:
                self._connection.execute(POSTGRES_TABLES)
                for item in names.items():
                    self._connection.execute("INSERT INTO tacit_ledger.meta VALUES (%s, %s)", item)

    def refuse_unless_sound(self) -> None:
        """Refuse a database that is not a ledger of this version."""
        with self._turn, available(self.words):
            found = self._connection.execute("SELECT to_regclass('tacit_ledger.meta') IS NOT NULL").fetchone()
            version = None
            if found == (True,):
                query = "SELECT value FROM tacit_ledger.meta WHERE name = 'version'"
                version = self._connection.execute(query).fetchone()
        if not version == (POSTGRES_VERSION,):
            raise Refused(
                self.words,
                "The schema tacit_ledger is no ledger, or one of another version.",
                f"a ledger of version {POSTGRES_VERSION}; a new one is created in a database that has no such schema.",
            )

    @contextmanager
    def reading(self) -> Iterator[SqlExecutor]:
        """A read of the committed state."""
        if not os.getpid() == self._process:
            raise Refused(
                "a ledger that was opened before a fork",
                "Two processes cannot share one connection.",
                "`Ledger.open` in the process that uses it.",
            )
        with self._turn, available(self.words):
            yield self

    @contextmanager
    def writing(self) -> Iterator[SqlExecutor]:
        """One serialisable, exclusive transaction; `Unavailable` if its commit is not acknowledged.

        The lock is taken before the transaction reads, so it sees everything that the one before it wrote.
        """
        with self.reading():
            try:
                self._run(_BEGIN, None)
                self._is_bound = True
                yield self
                ended = self._connection.execute("COMMIT").statusmessage
            finally:
                self._is_bound = False
                self._leave()
            if not ended == "COMMIT":
                raise Unavailable(self.words, "Something went wrong on the way, and nothing was written.", "try again.")

    def execute(self, sql: str, values: tuple[Any, ...] = (), /) -> Cursor[Any]:
        """Runs SQL with `?` for each value; only within `reading` or `writing`."""
        return self._run(sql.replace("%", "%%").replace("?", "%s"), values)

    def hold(self, number: int) -> bool:
        """Take a lock that ends with this connection; after that, others treat the run as dead."""
        with self._turn:
            if number in self._held or not self._asked("pg_try_advisory_lock", number):
                return False
            self._held.add(number)
            return True

    def is_held(self, number: int) -> bool:
        with self._turn:
            if number in self._held or not self._asked("pg_try_advisory_lock", number):
                return True
            self._asked("pg_advisory_unlock", number)
            return False

    def let_go(self, number: int) -> None:
        with self._turn:
            if number in self._held:
                self._held.discard(number)
                with suppress(Refused):  # a lost connection loses the lock too
                    self._asked("pg_advisory_unlock", number)

    def _asked(self, lock: str, number: int) -> bool:
        with self.reading():
            return self._run(f"SELECT {lock}(%s, %s)", (_RUNS, number)).fetchone() == (True,)

    def close(self) -> None:
        if os.getpid() == self._process:
            self._is_bound = True
            self._connection.close()

    def _run(self, sql: str, values: tuple[Any, ...] | None) -> Cursor[Any]:
        if self._is_bound or not self._connection.closed:
            try:
                return self._connection.execute(sql, values)
            except OperationalError:
                if self._is_bound or not self._connection.closed:
                    raise
        self._connection = self._connected()  # no transaction had begun, so nothing is lost
        return self._connection.execute(sql, values)

    def _leave(self) -> None:
        """Roll back a transaction; a connection on which that fails is dropped."""
        if self._connection.closed or self._connection.info.transaction_status == TransactionStatus.IDLE:
            return
        try:
            self._connection.execute("ROLLBACK")
        except Error:
            self._connection.close()

    def _connected(self) -> Connection[Any]:
        options = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())
        stated = {"application_name": "tacit", "options": options, **_PATIENT, **self._address.parameters()}
        connection = connect(make_conninfo(**stated), autocommit=True, prepare_threshold=None)
        try:
            _refuse_unless_durable(connection, self.words)
        except BaseException:
            connection.close()
            raise
        return connection


def _refuse_unless_durable(connection: Connection[Any], words: str) -> None:
    if connection.info.server_version < _LEAST:
        raise Refused(words, "The server is older than PostgreSQL 14.", "PostgreSQL 14 or later.")
    names = ("fsync", "synchronous_commit", "search_path")
    found = connection.execute(f"SELECT {', '.join(f'current_setting({name!r})' for name in names)}").fetchone()
    fsync, commit, path = found or (None, None, None)
    if not fsync == "on":
        raise Refused(
            words,
            "The server does not wait for its disk (fsync = off): a power cut could make it forget what was spent.",
            "a server with fsync = on.",
        )
    if not (commit == "on" and path == _SETTINGS["search_path"]):
        raise Refused(
            words,
            "Something between here and the server drops the settings that make a commit durable.",
            "a direct connection, or a pooler that leaves each connection to one client and passes its options on.",
        )


def _said(error: Error | OSError) -> str:
    """The kind of error and its first line; details may repeat values that were written."""
    primary = error.diag.message_primary if isinstance(error, Error) else None
    first = (primary or str(error)).strip().splitlines()
    return f"{type(error).__name__}: {first[0]}" if first else type(error).__name__
