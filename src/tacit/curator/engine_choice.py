"""The engine of a data set: chosen by the sources, with the steward's data frames and resources.

A driver loads when it is needed. Data frames provide the rows of tables with the source "frame".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tacit.errors import Refused
from tacit.query.engines.protocol import Engine
from tacit.schema.description import Description, Source
from tacit.schema.file_identity import file_names
from tacit.schema.names import Problems, suggestion
from tacit.schema.sources import DATABASE, FRAME


def engine_of(sources: Iterable[Source]) -> Engine:
    """The one engine that reads all these sources; refused where there is none."""
    listed = list(sources)
    databases = {(source.path, source.host) for source in listed if source.format == DATABASE}
    if databases and any(source.format != DATABASE for source in listed):
        raise Refused(
            "tables in files beside tables in a database",
            "A query is run in one place.",
            "all of them in the database (COPY a file into a table there), or all of them in files.",
        )
    if len(databases) > 1:
        raise Refused("tables in several databases", "A query is run in one of them.", "all tables in one database.")
    masters = {source.host for source in listed if source.format != DATABASE and source.host is not None}
    if masters:
        return _spark(masters.pop())  # a description names one cluster, for all of its tables
    return _postgres() if databases else _duckdb()


def public_values(source: Source, column: str) -> list[object]:
    """The values of a column of a public table, by the engine of its source."""
    return engine_of([source]).public_values(source, column)


def other_names(source: Source) -> tuple[str, ...]:
    """The identities of a source's rows beside their path or address: their files, or their table."""
    if source.format != DATABASE:
        return file_names(source)
    try:
        from tacit.query.engines.postgres.connection import table_names
    except ImportError:
        return ()
    return table_names(source)


def _duckdb() -> Engine:
    from tacit.query.engines.duckdb.engine import DuckDBEngine

    return DuckDBEngine()


def _spark(master: str) -> Engine:
    try:
        from tacit.query.engines.spark.engine import SparkEngine
    except ImportError:
        raise Refused(
            "a data set read by Spark", "Its driver, pyspark, is not installed.", "pip install 'tacit[spark]'."
        ) from None
    return SparkEngine(master)


def _postgres() -> Engine:
    try:
        from tacit.query.engines.postgres.engine import PostgresEngine
    except ImportError:
        raise Refused(
            "a table in PostgreSQL", "Its driver, psycopg, is not installed.", "pip install 'tacit[postgres]'."
        ) from None
    return PostgresEngine()


def with_frames(engine: Engine, frames: Mapping[str, object]) -> Engine:
    """The engine, with these frames to read."""
    from tacit.query.engines.duckdb.engine import DuckDBEngine  # a driver loads when it is needed
    from tacit.query.engines.duckdb.frames import read_frames

    if not isinstance(engine, DuckDBEngine):
        raise Refused("frames", "This engine reads rows where they lie, not from memory.", "frames with DuckDB.")
    return replace(engine, frames=read_frames(frames))


def check_frames(description: Description, frames: Mapping[str, object]) -> None:
    """Refuse a frame without a table, a table without its frame, and rows that are both private and public."""
    problems = Problems(description.path.name)
    named = {table.name: table.source for table in description.sources}
    asking = [name for name, source in named.items() if source.format == FRAME]
    for name in frames:
        if name not in named:
            raise Refused(f'frames["{name}"]', "The description has no such table.", suggestion(name, asking))
        if name not in asking:
            where = f'source = "{FRAME}" in {description.path.name}, or no frame for it.'
            raise Refused(f'frames["{name}"]', "The rows of this table are in a file.", where)
    for name in asking:
        if name not in frames:
            part = "tables" if name in description.tables else "lookups"
            cure = f'tacit.open("{description.path.name}", frames={{"{name}": df}}).'
            problems.add((part, name, "source"), "It is a data frame, and none was given.", cure)
    problems.refuse_if_any()
    private = [frame for name, frame in frames.items() if name in description.tables]
    for name in description.lookups:
        if name in frames and any(frames[name] is frame for frame in private):
            why = "These rows are private: a table has the same frame."
            raise Refused(f'frames["{name}"]', why, "a frame that is public.")


def with_resources(engine: Engine, memory: str | None, threads: int | None) -> Engine:
    """The engine with these limits; unchanged where none is set."""
    if memory is None and threads is None:
        return engine
    from tacit.query.engines.duckdb.engine import DuckDBEngine  # a driver loads when it is needed

    if not isinstance(engine, DuckDBEngine):
        raise Refused(
            "a limit of memory or threads",
            "These rows are read by a server, whose own settings limit it.",
            "neither here; ask who runs the server.",
        )
    limited = engine if memory is None else replace(engine, memory=memory)
    return limited if threads is None else replace(limited, threads=threads)
