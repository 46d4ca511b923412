"""What changes when the rows of a PostgreSQL table do.

The counters of inserted, updated and deleted rows, and the file that the table is kept in, of it and of all its parts,
which TRUNCATE and a refreshed materialized view exchange. They are not part of a transaction: they may count what was
rolled back, and lag by a second behind what was committed. A change that is seen too late means an answer from the
store for the data of that second; one that is seen where there is none costs the price of a repeated question. Where
the server does not count (a standby, or `track_counts` off) its position in the log stands for all: any write counts as
a change.
"""

from __future__ import annotations

from tacit.query.engines.postgres_tables import TREE

VERSION_SQL = f"""{TREE}
SELECT COALESCE(string_agg(pg_catalog.pg_relation_filenode(relid)::text, ',' ORDER BY relid), ''),
  COALESCE(sum(pg_catalog.pg_stat_get_tuples_inserted(relid)), 0)::text,
  COALESCE(sum(pg_catalog.pg_stat_get_tuples_updated(relid)), 0)::text,
  COALESCE(sum(pg_catalog.pg_stat_get_tuples_deleted(relid)), 0)::text,
  CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn()::text
    WHEN pg_catalog.current_setting('track_counts') <> 'on' THEN pg_catalog.pg_current_wal_lsn()::text ELSE '' END
FROM tree
"""
