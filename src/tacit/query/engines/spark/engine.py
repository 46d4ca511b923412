"""Spark, for data that do not fit one machine: the cluster adds up, and returns only bounded integers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import field
from typing import TYPE_CHECKING
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession
from pyspark.storagelevel import StorageLevel

from tacit.errors import Failed, Refused
from tacit.frozen import frozen
from tacit.query.engines.expression_walk import TranslatedColumn, TranslatedRelation
from tacit.query.engines.protocol import Headers
from tacit.query.engines.spark.context import GONE, new_session, rows_of
from tacit.query.engines.spark.dialect import SPARK
from tacit.query.engines.spark.spelling import quoted
from tacit.query.engines.spark.tables import SparkTable, table_of
from tacit.query.engines.translation import translate
from tacit.query.sql.dialects.sql_type import type_named
from tacit.query.sql.dialects.translator import natural_reach
from tacit.schema.description import Description, Source

if TYPE_CHECKING:
    import pyarrow as pa


@frozen
class SparkSessionOfData:
    """One Spark session of its own, with the data set's tables as views.

    A task that is run twice, after a worker died or because another was slow, changes nothing: Spark takes one result
    of each, every row that comes to the driver is made of sums of integers, which are the same in any order, and a
    person's factor is made of one such sum.
    """

    spark: SparkSession
    relations: dict[str, TranslatedRelation]
    kept: list[DataFrame] = field(default_factory=list)

    def run(self, sql: str) -> pa.Table:
        said = translate(sql, self.relations, SPARK)
        with _constant_failure(self.spark):
            return rows_of(self.spark, said.sql).toArrow()

    def keep(self, name: str, sql: str) -> None:
        said = translate(sql, self.relations, SPARK)
        with _constant_failure(self.spark):
            rows = rows_of(self.spark, said.sql).persist(StorageLevel.MEMORY_AND_DISK)
            self.kept.append(rows)
            rows.createOrReplaceTempView(quoted(name))
        self.relations[name.lower()] = TranslatedRelation(quoted(name), said.columns)

    def end(self) -> None:
        """Drop the kept results."""
        for rows in self.kept:
            with suppress(*GONE):
                rows.unpersist()


@contextmanager
def _constant_failure(spark: SparkSession) -> Iterator[None]:
    """Turn every error of the cluster into a constant failure; Ctrl-C cancels this session's jobs there."""
    group = uuid4().hex
    context = spark.sparkContext
    try:
        context.setJobGroup(group, "a query", interruptOnCancel=True)
        yield
    except KeyboardInterrupt:
        with suppress(*GONE):
            context.cancelJobGroup(group)
        raise
    except GONE:
        raise Failed from None


@frozen
class SparkEngine:
    """Reads Parquet files and tables of the catalogue through a Spark cluster; headers of files need no cluster."""

    master: str
    settings: Mapping[str, str] = field(default_factory=dict)

    def header(self, source: Source) -> tuple[tuple[str, str], ...]:
        return tuple((column.name, column.type) for column in self._table(source).columns)

    def version(self, source: Source) -> str:
        return self._table(source).version

    def public_values(self, source: Source, column: str) -> list[object]:
        return self._table(source).values(column)

    def said(self, sql: str, physical: Headers) -> str:
        """A SELECT over these tables in Spark's SQL, refused if that is impossible; it needs no cluster."""
        return translate(sql, {table: _relation(table, header) for table, header in physical.items()}, SPARK).sql

    @contextmanager
    def session(self, description: Description, physical: Headers | None = None) -> Iterator[SparkSessionOfData]:
        tables = {table.name: table.source for table in description.sources}
        relations: dict[str, TranslatedRelation] = {}
        try:
            spark = new_session(self.master, self.settings)
            for name, source in tables.items():
                table = self._table(source)
                header = {column.name: column.type for column in table.columns}
                planned = (physical or {}).get(name, header)
                if any(header.get(own) != kind for own, kind in planned.items()):
                    raise Failed
                table.rows(spark).createOrReplaceTempView(quoted(name))
                relations[name.lower()] = _relation(name, header)
        except (Refused, *GONE):
            raise Failed from None
        session = SparkSessionOfData(spark, relations)
        try:
            yield session
        finally:
            session.end()

    def _table(self, source: Source) -> SparkTable:
        return table_of(source, lambda: new_session(self.master, self.settings))


def _relation(name: str, header: Mapping[str, str]) -> TranslatedRelation:
    kinds = {column: type_named(kind) for column, kind in header.items()}
    return TranslatedRelation(
        quoted(name), tuple(TranslatedColumn(column, kind, natural_reach(kind)) for column, kind in kinds.items())
    )
