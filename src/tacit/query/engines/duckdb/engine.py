"""DuckDB, embedded: the default engine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

import duckdb

from tacit.errors import Failed, Refused
from tacit.frozen import frozen
from tacit.query.engines.duckdb.memory import EVERYBODY, Arrays, engine_memory, read_memory, read_threads
from tacit.query.engines.duckdb.moments import has_moments
from tacit.query.engines.duckdb.session import DuckDBSession as DuckDBSession
from tacit.query.engines.duckdb.tables import check_moments, check_names, reading, seen_by, text
from tacit.query.engines.protocol import Headers
from tacit.query.engines.spill import spill_folder
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Description, Source
from tacit.schema.file_identity import files_of

if TYPE_CHECKING:
    from tacit.query.engines.duckdb.frames import Frame

_SETTINGS = {
    "preserve_insertion_order": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "TimeZone": "UTC",
    "disabled_optimizers": "common_subexpressions",  # it moves common sub-expressions out of TRY, where they can fail
}


@frozen
class DuckDBEngine:
    """Reads Parquet, CSV and DuckDB files, and data frames, in this process.

    With a limit of `memory`, as "2GB", of this whole process, rows that do not fit go to a folder among the temporary
    files, $TMPDIR; and where that does not suffice, sums are computed over parts of the people.
    """

    threads: int | None = None
    memory: str | None = None
    frames: Mapping[str, Frame] = field(default_factory=dict, compare=False, repr=False)  # by the tables' names

    def __post_init__(self) -> None:
        read_threads(self.threads)
        read_memory(self.memory)

    @cached_property
    def database(self) -> duckdb.DuckDBPyConnection:
        """The engine's own, empty database."""
        return self.new_database()

    @cached_property
    def _spill(self) -> str:
        """The folder for rows that do not fit memory; it is removed with the engine."""
        return spill_folder(self)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection to the engine's own database, or to a new one if that is unusable."""
        try:
            return self.database.cursor()
        except duckdb.Error:
            self.drop_database()
            return self.database.cursor()

    def drop_database(self) -> None:
        """Drop the engine's own database, which an error may have left unusable."""
        dropped = self.__dict__.pop("database", None)
        if dropped is not None:
            dropped.close()

    def new_database(self) -> duckdb.DuckDBPyConnection:
        """An empty database in memory."""
        connection = duckdb.connect(":memory:")
        connection.execute("SET enable_progress_bar = false")
        for name, value in _SETTINGS.items():
            connection.execute(f"SET GLOBAL {name} = '{value}'")
        connection.execute("SET GLOBAL temp_directory = ?", [self._spill])
        threads, memory = read_threads(self.threads), read_memory(self.memory)
        if threads is not None:
            connection.execute(f"SET threads = {threads}")
        if memory is not None:
            connection.execute(f"SET memory_limit = '{engine_memory(memory)}B'")
        return connection

    def header(self, source: Source) -> tuple[tuple[str, str], ...]:
        with _connected(self, [source]) as connection:
            try:
                self._attach(connection, source, "source")
                rows = connection.execute(f"DESCRIBE SELECT * FROM {reading(source, 'source')}").fetchall()
                if source.format == "parquet":
                    check_names(connection, source, [name for name, *_ in rows])
                    if any(has_moments(str(kind)) for _, kind, *_ in rows):
                        check_moments(connection, source)
            except duckdb.Error:
                raise Refused(
                    f"the source {source.path.name}",
                    "It is not there, or is not what its ending says.",
                    "a Parquet file or folder, a CSV file with a header line, or a DuckDB file with its table.",
                ) from None
        return tuple((name, kind) for name, kind, *_ in rows)

    def version(self, source: Source) -> str:
        if source.format == "frame":
            return self._frame(source).version
        try:
            files = files_of(source)
            if source.format == "duckdb":  # the write-ahead log beside the file has committed changes
                files += [log for path in files if os.path.exists(log := f"{path}.wal")]
            stats = [(path, os.stat(path)) for path in files]
        except OSError:
            raise Refused(f"the source {source.path.name}", "It is not there.", "a file that can be read.") from None
        return ";".join(f"{path}:{stat.st_size}:{stat.st_mtime_ns}" for path, stat in stats)

    def public_values(self, source: Source, column: str) -> list[object]:
        name = column.replace('"', '""')
        with _connected(self, [source]) as connection:
            try:
                self._attach(connection, source, "source")
                sql = f'SELECT DISTINCT "{name}" FROM {reading(source, "source")} ORDER BY 1'
                return [row[0] for row in connection.execute(sql).fetchall()]
            except duckdb.Error:
                raise Refused(
                    f"the column {column} of {source.path.name}",
                    "It cannot be read.",
                    "a column of a public table that is there.",
                ) from None

    @contextmanager
    def session(self, description: Description, physical: Headers | None = None) -> Iterator[DuckDBSession]:
        arrays = Arrays(read_threads(self.threads), read_memory(self.memory))
        with _connected(self, [table.source for table in description.sources]) as connection:
            seen, catalogue = [], Catalogue(description, physical or {})
            try:
                for place, table in enumerate(description.sources):
                    self._attach(connection, table.source, f"source{place}")
                    seen.append(seen_by(connection, table, catalogue, f"source{place}"))
                    connection.execute(seen[-1].view(EVERYBODY))
            except (duckdb.Error, Refused):
                raise Failed from None
            yield DuckDBSession(connection, seen, arrays=arrays, most=self._most(description))

    @cached_property
    def _counted(self) -> dict[str, dict[str, int]]:
        return {}

    def _most(self, description: Description) -> dict[str, int]:
        """Cached numbers of people's rows in the current version of these tables."""
        try:
            version = ";".join(f"{table.name}:{self.version(table.source)}" for table in description.sources)
        except Refused:
            return {}
        if version not in self._counted:
            self._counted.clear()
        return self._counted.setdefault(version, {})

    def _attach(self, connection: duckdb.DuckDBPyConnection, source: Source, name: str) -> None:
        if source.format == "duckdb":
            connection.execute(f"ATTACH {text(str(source.path))} AS {name} (READ_ONLY)")
            _refuse_view(connection, source, name)
        elif source.format == "frame":
            connection.register(f"__{name}", self._frame(source).table)

    def _frame(self, source: Source) -> Frame:
        name = source.table or ""
        if name not in self.frames:
            why, cure = "Its rows are a data frame, and none was given.", f'tacit.open(…, frames={{"{name}": df}}).'
            raise Refused(f"the table {name}", why, f"the frame, when the data set is opened: {cure}")
        return self.frames[name]


def _refuse_view(connection: duckdb.DuckDBPyConnection, source: Source, attached: str) -> None:
    """Refuse a view, as every engine does: it is code that may fail, over rows of other tables."""
    sql = "SELECT 1 FROM duckdb_views() WHERE database_name = ? AND lower(view_name) = lower(?)"
    if connection.execute(sql, [attached, source.table]).fetchone() is not None:
        raise Refused(
            f"the table {source.table} of {source.path.name}",
            "It is a view: reading a row could run code that fails on it, and its rows are those of other tables.",
            "a table; CREATE TABLE … AS SELECT * FROM the view makes one.",
        )


@contextmanager
def _connected(engine: DuckDBEngine, sources: Iterable[Source]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection of its own; temporary views and tables end with it. Attached files need a database of their own.

    After an error the next connection is to another database, because the error may have invalidated this one.
    """
    is_attaching = any(source.format == "duckdb" for source in sources)
    connection = engine.new_database() if is_attaching else engine.cursor()
    try:
        yield connection
    except (Failed, duckdb.Error):
        engine.drop_database()
        raise
    finally:
        connection.close()
