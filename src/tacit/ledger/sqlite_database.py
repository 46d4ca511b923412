"""A ledger in a SQLite file: created atomically, fully durable, written by one process at a time.

`Held` tracks running charges: each run locks a file beside the ledger, and the kernel frees the locks of a dead
process.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tacit.errors import Refused
from tacit.ledger.durable import make_folder, put_in_place
from tacit.ledger.store import SQLITE_MARK, SQLITE_TABLES, SQLITE_VERSION, Unavailable


class Held:
    """The runs that this handle holds.

    Locks only show which runs are alive; the ledger's entries decide what may run.
    """

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger
        self._turn = threading.Lock()
        self._handles: dict[int, int] = {}

    def hold(self, number: int) -> bool:
        """Whether this handle now holds the run; false if any handle, this one included, held it before."""
        with self._turn:
            handle = None if number in self._handles else self._locked(number, os.O_RDWR | os.O_CREAT)
            if handle is not None:
                self._handles[number] = handle
            return handle is not None

    def is_held(self, number: int) -> bool:
        """Whether any handle holds it."""
        with self._turn:
            if number in self._handles:
                return True
            try:
                handle = self._locked(number, os.O_RDWR)
            except FileNotFoundError:
                return False
            if handle is None:
                return True
            os.close(handle)
            return False

    def let_go(self, number: int) -> None:
        """Release a run of this handle.

        The file is removed first; a process that opened it meanwhile reads the ledger again.
        """
        with self._turn:
            handle = self._handles.pop(number, None)
            if handle is not None:
                with suppress(OSError):
                    os.unlink(self._place(number))
                os.close(handle)

    def let_go_of_all(self) -> None:
        """Release every run."""
        for number in [*self._handles]:
            self.let_go(number)

    def _place(self, number: int) -> Path:
        return self._ledger.with_name(f".{self._ledger.name}.run-{number}")

    def _locked(self, number: int, flags: int) -> int | None:
        handle = os.open(self._place(number), flags, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return None
        return handle


_PATIENCE = 60.0  # seconds to wait for other writers, which take milliseconds each


@contextmanager
def available(path: Path) -> Iterator[None]:
    """Turn an error of the disk or of SQLite into a refusal."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise Unavailable(
            f"the ledger at {path}",
            f"It could not be read or written ({type(error).__name__}: {error}).",
            "a ledger and a witness on a disk with free space that the owner may write; then try again.",
        ) from None


class Database:
    """A connection to the file. It belongs to the process that opened it; its threads use it one at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.words = f"the ledger at {path}"
        self.beside = path
        self._process = os.getpid()
        self._turn = threading.RLock()
        self._held = Held(path)
        with available(path):
            self._connection = sqlite3.connect(
                f"{path.as_uri()}?mode=rw",
                uri=True,
                timeout=_PATIENCE,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self) -> None:
        mark = self._connection.execute("PRAGMA application_id").fetchone()[0]
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if not (mark == SQLITE_MARK and version == SQLITE_VERSION):
            raise Refused(
                f"the ledger at {self.path}",
                "The file is no ledger, or one of another version.",
                f"a ledger of version {SQLITE_VERSION}; a new one is created where there is no file.",
            )
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA foreign_keys = ON")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for a read of the committed state."""
        if not os.getpid() == self._process:
            raise Refused(
                "a ledger that was opened before a fork",
                "SQLite's locks do not survive it.",
                "`Ledger.open` in the process that uses it.",
            )
        with self._turn, available(self.path):
            yield self._connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The connection in an exclusive write transaction; committed and synced at the end, or rolled back."""
        with self.reading() as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def hold(self, number: int) -> bool:
        with available(self.path):
            return self._held.hold(number)

    def is_held(self, number: int) -> bool:
        with available(self.path):
            return self._held.is_held(number)

    def let_go(self, number: int) -> None:
        self._held.let_go(number)

    def close(self) -> None:
        if os.getpid() == self._process:
            self._held.let_go_of_all()
            self._connection.close()


def create_database(path: Path) -> None:
    """Create an empty ledger at the path, readable by its owner only; an existing one stays.

    It is written under another name and linked into place, so a partial file is never visible.
    """
    with available(path):
        make_folder(path.parent)
        draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            _fill(draft)
            put_in_place(draft, path)
        finally:
            draft.unlink()


def _fill(draft: Path) -> None:
    connection = sqlite3.connect(draft, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(
            f"PRAGMA application_id = {SQLITE_MARK}; PRAGMA user_version = {SQLITE_VERSION}; {SQLITE_TABLES}"
        )
        names = {"identity": secrets.token_hex(16), "secret": secrets.token_hex(32)}
        connection.executemany("INSERT INTO meta VALUES (?, ?)", list(names.items()))
    finally:
        connection.close()
