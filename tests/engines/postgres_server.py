"""A real PostgreSQL server for the tests: in a temporary folder, on a socket in it."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp

import duckdb
import psycopg

from tacit.query.engines.postgres.engine import PostgresEngine
from tacit.query.engines.protocol import Engine

_SETTINGS = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "autovacuum=off", "listen_addresses=")
_TYPES = {
    "TINYINT": "smallint",
    "UTINYINT": "smallint",
    "SMALLINT": "smallint",
    "INTEGER": "integer",
    "BIGINT": "bigint",
    "FLOAT": "real",
    "DOUBLE": "float8",
    "BOOLEAN": "boolean",
    "VARCHAR": "text",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP WITH TIME ZONE": "timestamptz",
    "UUID": "uuid",
    "TIME": "time",
}


def binaries() -> Path | None:
    """Where the machine's own PostgreSQL lies, the newest first; None if it has none. The environment may name one."""
    if named := os.environ.get("TACIT_TEST_POSTGRES"):
        return Path(named)
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[4]))
    on_path = shutil.which("initdb")
    place = found[-1] if found else on_path
    return Path(place).parent if place else _packaged()


def _packaged() -> Path | None:
    """The server in PyPI's `pgserver`, for machines that have none."""
    found = find_spec("pgserver")
    return None if found is None or found.origin is None else Path(found.origin).parent / "pginstall" / "bin"


@dataclass(frozen=True)
class PostgresUnderTest:
    """PostgreSQL; the tables of each folder lie in a schema of their own."""

    socket: Path
    name: str = "postgresql"

    def connect(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(host=str(self.socket), dbname="postgres", user="steward", autocommit=True)

    def engine(self) -> Engine:
        return PostgresEngine()

    @property
    def address(self) -> str:
        return f"postgresql:///postgres?host={self.socket}"

    def schema(self, folder: Path) -> str:
        """The schema that stands for a folder."""
        return "s" + "".join(letter if letter.isalnum() else "_" for letter in str(folder))[-50:].lower()

    def load(self, rows: duckdb.DuckDBPyConnection, tables: Sequence[str], folder: Path) -> dict[str, str]:
        schema = self.schema(folder)
        with self.connect() as server:
            server.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
            for table in tables:
                _copy(rows, table, server, f'"{schema}"."{table}"')
            server.execute(f'GRANT USAGE ON SCHEMA "{schema}" TO reader')
            server.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO reader')
        return {table: f'source = "{self.address}"\ntable = "{schema}.{table}"' for table in tables}


def _copy(
    rows: duckdb.DuckDBPyConnection, table: str, server: psycopg.Connection[tuple[object, ...]], place: str
) -> None:
    columns = {name: kind for name, kind, *_ in rows.execute(f"DESCRIBE {table}").fetchall()}
    listed = ", ".join(f'"{name}" {_type(kind)}' for name, kind in columns.items())
    server.execute(f"DROP TABLE IF EXISTS {place}")
    server.execute(f"CREATE TABLE {place} ({listed})")
    texts = ", ".join(_text(name, kind) for name, kind in columns.items())
    found = rows.execute(f"SELECT {texts} FROM {table}").fetchall()
    with server.cursor().copy(f"COPY {place} FROM STDIN") as copy:
        for row in found:
            copy.write_row(row)


def _text(name: str, kind: str) -> str:
    """A value as PostgreSQL reads it: years before 1 are marked otherwise there; DuckDB writes some doubles wrongly."""
    text = f'"{name}"::VARCHAR'
    if kind == "DOUBLE":
        return f'"{name}"'
    return text if kind == "VARCHAR" else f"regexp_replace({text}, '^([^ ]+) \\(BC\\)(.*)$', '\\1\\2 BC')"


def _type(kind: str) -> str:
    if kind.startswith("DECIMAL"):
        return kind.replace("DECIMAL", "numeric")
    if kind in ("HUGEINT", "UBIGINT", "UHUGEINT", "UINTEGER"):
        return "numeric(38, 0)"
    return _TYPES[kind]


@contextmanager
def running_server() -> Iterator[PostgresUnderTest]:
    """A server with a role that may only read, as which the engine logs in."""
    found = binaries()
    if found is None:
        raise RuntimeError("no PostgreSQL server: apt install postgresql, or pip install pgserver")
    folder = Path(mkdtemp(prefix="tacit-pg-", dir="/tmp"))
    owner = _owner(folder)
    try:
        made = [found / "initdb", "-D", folder / "data", "-E", "UTF8", "--locale=C", "-A", "trust", "-U", "steward"]
        subprocess.run([*owner, *map(str, made)], check=True, stdout=subprocess.DEVNULL, cwd="/")
        settings = [f"-c{setting}" for setting in (*_SETTINGS, f"unix_socket_directories={folder}")]
        words = [*owner, *_mortal(), str(found / "postgres"), "-D", str(folder / "data"), *settings]
        with (folder / "log").open("w") as log, subprocess.Popen(words, stdout=log, stderr=log, cwd="/") as process:
            try:
                server = PostgresUnderTest(folder)
                with _answering(server) as connection:
                    connection.execute("CREATE ROLE reader LOGIN")
                yield server
            finally:
                process.send_signal(signal.SIGQUIT)  # immediately, since its data are temporary
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _answering(server: PostgresUnderTest) -> psycopg.Connection[tuple[object, ...]]:
    """A connection, as soon as the server takes one."""
    for _ in range(600):
        try:
            return server.connect()
        except psycopg.OperationalError:
            time.sleep(0.1)
    return server.connect()


def _mortal() -> list[str]:
    """The words that end a server with the process that started it, where the machine has them."""
    return ["setpriv", "--pdeathsig=QUIT"] if shutil.which("setpriv") else []


def _owner(folder: Path) -> list[str]:
    """The words that run a command as whoever owns the server: it does not run as root."""
    if os.geteuid() != 0:
        return []
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
