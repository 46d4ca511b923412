"""The engines that one suite runs on: each loads the rows of DuckDB tables, and gives their lines in a description."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import duckdb

from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.protocol import Engine


class EngineUnderTest(Protocol):
    """An engine, and a way to put rows where it reads them."""

    @property
    def name(self) -> str: ...

    def engine(self) -> Engine:
        """The engine, as a data set would have it."""
        ...

    def load(self, rows: duckdb.DuckDBPyConnection, tables: Sequence[str], folder: Path) -> dict[str, str]:
        """Each table's rows, exactly; by its name the lines that stand for its source in a description in `folder`.

        Called again with the same folder, it replaces them.
        """
        ...


@dataclass(frozen=True)
class DuckDBUnderTest:
    """DuckDB on Parquet files."""

    name: str = "duckdb"

    def engine(self) -> Engine:
        return DuckDBEngine(threads=1)

    def load(self, rows: duckdb.DuckDBPyConnection, tables: Sequence[str], folder: Path) -> dict[str, str]:
        for table in tables:
            rows.execute(f"COPY {table} TO '{folder / table}.parquet'")
        return {table: f'source = "{table}.parquet"' for table in tables}
