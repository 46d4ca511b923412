"""A connection to a PostgreSQL server: a read-only snapshot in which every name and format is unambiguous.

`table_names` identifies a table independently of the address: cluster, database and table by number. A server reports
the identifier of its cluster under every address, through every tunnel and on every standby; within a cluster, a
database and a table keep their numbers when they are renamed. Partitions and inheritance children are named too: their
rows are rows of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from psycopg import Connection, Error, connect

from tacit.errors import Failed, Refused
from tacit.query.engines.postgres.spelling import ROW_ERRORS
from tacit.schema.description import Source

_BATCH = 50_000  # rows
_SETTINGS = {
    "search_path": "pg_catalog, pg_temp",  # so that no user's function or operator replaces the server's own
    "client_encoding": "UTF8",
    "timezone": "UTC",
    "datestyle": "ISO, YMD",
    "intervalstyle": "postgres",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    "transform_null_equals": "off",
    "row_security": "off",  # a policy that hides rows is an error rather than another answer
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "jit": "off",
    # joins are by person; with a wrong estimate of their number a nested loop would take too long
    "enable_nestloop": "off",
    "work_mem": "128MB",
    "hash_mem_multiplier": "2",
}
_NO_LIMIT = "SELECT set_config(name, '0', FALSE) FROM pg_settings WHERE name = 'transaction_timeout'"  # from 17 on
_LEAST = 140000
BEGIN: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

Again: TypeAlias = Callable[[], list[tuple[Any, ...]]]


@contextmanager
def snapshot(source: Source) -> Iterator[Connection[Any]]:
    """A connection in a REPEATABLE READ, READ ONLY transaction of its own, which ends with it.

    libpq takes user and password from PGUSER, PGPASSWORD and ~/.pgpass.
    """
    with opened(source) as connection:
        connection.execute(BEGIN)
        yield connection


@contextmanager
def opened(source: Source) -> Iterator[Connection[Any]]:
    """A connection with the settings above, in no transaction."""
    connection = _connected(source)
    try:
        if connection.info.server_version < _LEAST:
            raise Refused("this server", "It is older than PostgreSQL 14.", "PostgreSQL 14 or later.")
        settings = "; ".join(f"SET SESSION {name} = '{value}'" for name, value in _SETTINGS.items())
        connection.execute(settings)
        connection.execute(_NO_LIMIT)
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise Refused("this database", "Its encoding is not UTF8.", "a database with ENCODING 'UTF8'.")
        yield connection
    finally:
        connection.close()


def _connected(source: Source) -> Connection[Any]:
    place, _, port = source.path.parent.name.rpartition(":")
    try:
        return connect(
            host=source.host or place,
            port=int(port),
            dbname=source.path.name,
            application_name="tacit",
            autocommit=True,
            prepare_threshold=None,
        )
    except Error:
        raise Refused(
            f"the database {source.path}",
            "It cannot be reached, or does not let this user in.",
            "a server that runs; and PGUSER, with PGPASSWORD or ~/.pgpass, of a role that may CONNECT.",
        ) from None


def looked_up(connection: Connection[Any], sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
    """Rows of the catalogue, which has no data."""
    try:
        return connection.execute(sql, values).fetchall()
    except Error:
        raise Refused("this table", "The server does not say what it is.", "a role that may read it.") from None


def fetched(connection: Connection[Any], sql: str, again: Again | None = None) -> list[tuple[Any, ...]]:
    """The rows of a statement; every error is a constant failure.

    After an error that a row can cause, the rows are those of `again`.
    """
    try:
        return connection.execute(sql, binary=True).fetchall()
    except Error as error:
        if again is None or (error.sqlstate or "")[:2] not in ROW_ERRORS:
            raise Failed from None
    return again()


def batches(connection: Connection[Any], sql: str) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a statement in batches, so that a table need not fit memory."""
    try:
        with connection.cursor(name="tacit_lent") as cursor:
            cursor.execute(sql, binary=True)
            while rows := cursor.fetchmany(_BATCH):
                yield rows
    except Error:
        raise Failed from None


_IDENTITY_SQL = """
WITH RECURSIVE parts(oid) AS (
  SELECT c.oid FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = %s AND c.relname = %s
  UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits AS i JOIN parts ON i.inhparent = parts.oid)
SELECT (SELECT system_identifier FROM pg_catalog.pg_control_system())::text,
  (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())::text, oid::text FROM parts
"""


def table_names(source: Source) -> tuple[str, ...]:
    """A name for the table and each of its partitions; none where the server is unavailable or gives no identifier."""
    schema, _, table = (source.table or "").partition(".")
    try:
        with snapshot(source) as connection:
            found = looked_up(connection, _IDENTITY_SQL, (schema, table))
    except Refused:
        return ()
    return tuple(sorted(f"table:{cluster}:{database}:{oid}" for cluster, database, oid in found))
