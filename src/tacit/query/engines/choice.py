"""Which engine reads a data set: it follows from where the rows are. A driver loads when it is needed."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.errors import Refused
from tacit.query.engines.protocol import Engine
from tacit.schema.database_source import DATABASE
from tacit.schema.description import Source
from tacit.schema.same_files import file_names


def engine_of(sources: Iterable[Source]) -> Engine:
    """The one engine that reads all of these; refused where no single one can."""
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
    """What the rows of a source are called beside their path or address: the files, or the table, that hold them."""
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
