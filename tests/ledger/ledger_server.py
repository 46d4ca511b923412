"""A PostgreSQL server for ledgers: one that waits for its disk, and that a test may crash and start again."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import psycopg
from tests.engines.postgres_server import binaries

SETTINGS = ("listen_addresses=", "max_connections=160", "shared_buffers=16MB", "max_wal_size=64MB", "autovacuum=off")


@dataclass(frozen=True)
class LedgerServer:
    """A server in a folder of its own, on a socket in it."""

    folder: Path
    programs: Path
    owner: tuple[str, ...]  # the words that run a command as whoever owns the server: it does not run as root

    def start(self, *settings: str) -> None:
        stated = (*SETTINGS, *settings, f"unix_socket_directories={self.folder}")
        options = " ".join(f"-c {setting}" for setting in stated)
        self.run("pg_ctl", "-D", self.folder / "data", "-w", "-l", self.folder / "log", "-o", options, "start")

    def crash(self) -> None:
        """Ends every process of the server at once, with nothing written that was not written before."""
        self.run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "-w", "stop")

    def address(self, database: str, user: str = "steward") -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def connect(self, database: str = "postgres") -> psycopg.Connection[Any]:
        return psycopg.connect(host=str(self.folder), dbname=database, user="steward", autocommit=True)

    def run(self, program: str, *words: object, given: bytes = b"") -> bytes:
        command = [*self.owner, str(self.programs / program), *map(str, words)]
        if program == "pg_ctl":  # what it starts keeps its output open
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
            return b""
        return subprocess.run(command, check=True, input=given, capture_output=True, cwd="/").stdout


@contextmanager
def running_ledger_server() -> Iterator[LedgerServer]:
    """The server, running; gone at the end."""
    programs = binaries()
    if programs is None:
        raise RuntimeError("no PostgreSQL server: apt install postgresql, or pip install pgserver")
    folder = Path(mkdtemp(prefix="tacit-ledger-", dir=_room()))  # a socket's path must be short
    server = LedgerServer(folder, programs, _owner(folder))
    try:
        server.run(
            "initdb", "--no-sync", "-D", folder / "data", "-E", "UTF8", "--locale=C", "-A", "trust", "-U", "steward"
        )
        server.start()
        try:
            yield server
        finally:
            server.crash()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _room() -> str:
    """Where the server's files lie: in memory if there is room, for a crash of the server loses no file either way."""
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > 2**29 else "/tmp"


def _owner(folder: Path) -> tuple[str, ...]:
    if os.geteuid() != 0:
        return ()
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return ("setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups")
