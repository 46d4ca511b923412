"""A connection to a PostgreSQL server: a read-only snapshot in which names and formats are unambiguous; its tables.

`table_names` identifies a table independently of the address: cluster, database and table by number. A server reports
the identifier of its cluster under every address, through every tunnel and on every standby; within a cluster, a
database and a table keep their numbers when they are renamed. Partitions and inheritance children are named too: their
rows are rows of the table.

A table can be read if its rows are stored on the server and reading cannot fail. A view, a table on another
server or a column that is computed when it is read may run code that fails on a row.

The version (`VERSION_SQL`) changes with the rows. It consists of the counters of inserted, updated and deleted rows,
and of the table's file, which TRUNCATE and a refresh of a materialized view replace, for the table and all its
partitions. The counters are not part of a transaction: they may count what was rolled back, and lag by a second behind
what was committed. A change detected late means a stored answer for the data of that second; a false change costs the
price of a repeated question. Where the server does not count (a standby, or `track_counts` off) the server's position
in the log is used: any write counts as a change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from psycopg import Connection, Error, connect

from tacit.errors import Failed, Refused
from tacit.query.engines.postgres.columns import quoted
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


TREE: Final = """
WITH RECURSIVE tree (relid) AS (
  SELECT %s::oid UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits AS i JOIN tree AS t ON t.relid = i.inhparent
)"""
"""A table with its partitions, its children, and theirs: all that a SELECT of it reads."""

_TABLE_SQL = """
SELECT c.oid, c.relkind::text, pg_catalog.row_security_active(c.oid), c.relispopulated FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relname = %s
AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
"""
_CHILDREN_SQL = f"""{TREE}
SELECT c.relkind::text FROM tree AS t JOIN pg_catalog.pg_class AS c ON c.oid = t.relid
"""
_HELD_SQL = """
SELECT 1 FROM pg_catalog.pg_locks WHERE pid = pg_catalog.pg_backend_pid() AND locktype = 'relation' AND granted
AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())
AND relation = %s AND relation = pg_catalog.to_regclass(%s)
"""
_KINDS: Final = frozenset("rpm")  # tables, partitioned tables, materialized views
_ACCEPTED = "a table, a partitioned table or a materialized view."
_GRANT = "the table, with its schema; and GRANT USAGE ON SCHEMA, GRANT SELECT ON it, to this role."


def held(connection: Connection[Any], source: Source) -> int:
    """The table that a source names, checked and locked, so that it cannot be replaced until the snapshot ends.

    Claim: statements of this transaction read the table that was checked. Proof: the catalogue is read in the
    transaction's snapshot, which may be old; then the table that the name means now is locked, which prevents renaming
    and dropping. If that is not the table that was checked, it is refused.
    """
    asked, found = f"the table {source.table}", looked_up(connection, _TABLE_SQL, named(source))
    if not found:
        raise Refused(asked, "It is not there, or this role may not read it.", _GRANT)
    oid, kind, is_hiding, is_populated = found[0]
    kinds = {each for (each,) in looked_up(connection, _CHILDREN_SQL, [oid])}
    if not {kind, *kinds} <= _KINDS:
        why = (
            "It, or a part of it, is a view, or lies on another server: reading a row could run code that fails on it."
        )
        raise Refused(asked, why, _ACCEPTED)
    if is_hiding:
        raise Refused(asked, "A policy hides rows of it from this role.", "a role that may read every row.")
    if not is_populated:
        raise Refused(asked, "It has no rows until it is refreshed.", f"REFRESH MATERIALIZED VIEW {source.table}.")
    name = ".".join(map(quoted, named(source)))
    _lock(connection, name, asked)
    if not looked_up(connection, _HELD_SQL, [oid, name]):
        raise Refused(asked, "Another was put in its place just now.", "the same question, asked again.")
    return int(oid)


def named(source: Source) -> tuple[str, str]:
    """The schema and the name of a table."""
    schema, _, table = (source.table or "").partition(".")
    return schema, table


def _lock(connection: Connection[Any], name: str, asked: str) -> None:
    """ACCESS SHARE until the transaction ends, by a SELECT: LOCK does not take a materialized view."""
    try:
        connection.execute(f"SELECT FROM {name} LIMIT 0")
    except Error:
        raise Refused(asked, "It cannot be read.", _GRANT) from None


VERSION_SQL = f"""{TREE}
SELECT COALESCE(string_agg(pg_catalog.pg_relation_filenode(relid)::text, ',' ORDER BY relid), ''),
  COALESCE(sum(pg_catalog.pg_stat_get_tuples_inserted(relid)), 0)::text,
  COALESCE(sum(pg_catalog.pg_stat_get_tuples_updated(relid)), 0)::text,
  COALESCE(sum(pg_catalog.pg_stat_get_tuples_deleted(relid)), 0)::text,
  CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn()::text
    WHEN pg_catalog.current_setting('track_counts') <> 'on' THEN pg_catalog.pg_current_wal_lsn()::text ELSE '' END
FROM tree
"""
