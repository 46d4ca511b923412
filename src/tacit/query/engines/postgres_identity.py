"""What a table of PostgreSQL is, whatever address it is reached by: the cluster, the database and the table by number.

A server says under every address, through every tunnel and on every standby which cluster it serves (the identifier
that it was made with); within one, a database and a table keep their numbers when they are renamed. Partitions and
inheritance children are named too: their rows are rows of the table.
"""

from __future__ import annotations

from tacit.errors import Refused
from tacit.query.engines.postgres_connection import looked_up, snapshot
from tacit.schema.description import Source

_SQL = """
WITH RECURSIVE parts(oid) AS (
  SELECT c.oid FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = %s AND c.relname = %s
  UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits AS i JOIN parts ON i.inhparent = parts.oid)
SELECT (SELECT system_identifier FROM pg_catalog.pg_control_system())::text,
  (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())::text, oid::text FROM parts
"""


def table_names(source: Source) -> tuple[str, ...]:
    """A name for the table and each of its parts; none where the server cannot be asked, or does not say."""
    schema, _, table = (source.table or "").partition(".")
    try:
        with snapshot(source) as connection:
            found = looked_up(connection, _SQL, (schema, table))
    except Refused:
        return ()
    return tuple(sorted(f"table:{cluster}:{database}:{oid}" for cluster, database, oid in found))
