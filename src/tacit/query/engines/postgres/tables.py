"""Tables of a PostgreSQL server that can be read, and the version of their rows.

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

from typing import Any, Final

from psycopg import Connection, Error

from tacit.errors import Refused
from tacit.query.engines.postgres.columns import quoted
from tacit.query.engines.postgres.connection import looked_up
from tacit.schema.description import Source

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
