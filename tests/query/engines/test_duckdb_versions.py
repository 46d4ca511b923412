"""The version of a DuckDB file: rows that were committed change it, wherever the database keeps them."""

from __future__ import annotations

from pathlib import Path

import duckdb

from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.schema.description import Source


def test_rows_in_the_log_beside_a_file_are_another_version(tmp_path: Path) -> None:
    file = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE visits AS SELECT 1 AS pid")
    source, engine = Source("duckdb", file, "visits"), DuckDBEngine()
    before = engine.version(source)
    assert engine.version(source) == before
    with duckdb.connect(str(file)) as connection:
        connection.execute("SET checkpoint_threshold = '1GB'")
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        connection.execute("INSERT INTO visits VALUES (2)")
    assert (tmp_path / "clinic.duckdb.wal").exists()
    assert engine.version(source) != before
