"""Tables that Spark reads: Parquet files, and tables of its catalogue."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.engines.spark.columns import SparkColumn, catalogue_column, file_columns
from tacit.query.engines.spark.spelling import quoted
from tacit.schema.description import Source
from tacit.schema.file_identity import files_of

_GLOB = "\\{}[]*?,^"
_PROVIDERS = ("parquet", "orc")


class SparkTable(Protocol):
    """A table: its columns and version, which need no row, and its rows in a session."""

    @property
    def columns(self) -> tuple[SparkColumn, ...]: ...

    @property
    def version(self) -> str: ...

    def values(self, column: str) -> list[object]:
        """The different values of a column, in order, NULL last; for public tables."""
        ...

    def rows(self, spark: SparkSession) -> DataFrame:
        """The rows, every column that can be read in its type."""
        ...


@frozen
class ParquetTable:
    """Parquet files that this machine and every worker see under the same path."""

    source: Source

    @cached_property
    def files(self) -> list[Path]:
        found = [Path(file) for file in files_of(self.source)]
        if not found:
            raise Refused(f"the source {self.source.path.name}", "It is not there.", "Parquet files that can be read.")
        return found

    @cached_property
    def columns(self) -> tuple[SparkColumn, ...]:
        return file_columns(self.files)

    @property
    def version(self) -> str:
        try:
            stats = [(path, os.stat(path)) for path in self.files]
        except OSError:
            raise Refused(f"the source {self.source.path.name}", "It is not there.", "files to be read.") from None
        return ";".join(f"{path}:{stat.st_size}:{stat.st_mtime_ns}" for path, stat in stats)

    def values(self, column: str) -> list[object]:
        names = [own.name for own in self.columns if own.name.lower() == column.lower()]
        if not names:
            raise Refused(f"the column {column}", "The files have no such column.", "a column of the public table.")
        try:
            chunks = [chunk for file in self.files for chunk in pq.read_table(file, columns=names).column(0).chunks]
            return in_order(pa.chunked_array(chunks).unique().to_pylist() if chunks else [])
        except (OSError, pa.ArrowException, TypeError):
            raise Refused(f"the column {column}", "It cannot be read.", "a column of a public table.") from None

    def rows(self, spark: SparkSession) -> DataFrame:
        readable = [column for column in self.columns if column.spark is not None]
        told = ", ".join(f"{quoted(column.name)} {column.spark}" for column in readable)
        paths = ["file://" + "".join("\\" + sign if sign in _GLOB else sign for sign in str(f)) for f in self.files]
        read = spark.read.schema(told).option("recursiveFileLookup", "true").parquet(*paths)
        return read.selectExpr(*(column.listed for column in readable))


@frozen
class CatalogueTable:
    """A table of Spark's catalogue whose rows are files, by its name with its database."""

    name: str
    spark: SparkSession

    @cached_property
    def _rows(self) -> DataFrame:
        spelled = ".".join(map(quoted, self.name.split(".")))
        try:
            said = {row[0]: row[1] for row in self.spark.sql(f"DESCRIBE EXTENDED {spelled}").collect()}
            if str(said.get("Provider", "")).lower() not in _PROVIDERS or said.get("Type") == "VIEW":
                raise Refused(
                    f"the table {self.name}",
                    "It is a view, or its rows are read by code that may fail on one of them.",
                    f"a table of the format {' or '.join(_PROVIDERS)}.",
                )
            return self.spark.table(spelled)
        except PySparkException:
            raise Refused(
                f"the table {self.name}", "The catalogue has no such table.", 'table = "database.visits".'
            ) from None

    @cached_property
    def columns(self) -> tuple[SparkColumn, ...]:
        return tuple(catalogue_column(field.name, field.dataType.simpleString()) for field in self._rows.schema)

    @property
    def version(self) -> str:
        """The paths, sizes and times of the table's files."""
        context = self.spark.sparkContext
        assert context._gateway is not None
        jvm, conf = context._gateway.jvm, context._jsc.hadoopConfiguration()
        found = []
        for file in sorted(self._rows.inputFiles()):
            path = jvm.org.apache.hadoop.fs.Path(jvm.java.net.URI(file))
            status = path.getFileSystem(conf).getFileStatus(path)
            found.append(f"{file}:{status.getLen()}:{status.getModificationTime()}")
        return ";".join(found)

    def values(self, column: str) -> list[object]:
        try:
            return in_order([row[0] for row in self._rows.select(quoted(column)).distinct().collect()])
        except (PySparkException, TypeError):
            raise Refused(f"the column {column}", "It cannot be read.", "a column of a public table.") from None

    def rows(self, spark: SparkSession) -> DataFrame:
        read = spark.table(".".join(map(quoted, self.name.split("."))))
        return read.selectExpr(*(column.listed for column in self.columns if column.spark is not None))


def table_of(source: Source, session: Callable[[], SparkSession]) -> SparkTable:
    """The table that a source names; a session is opened for the catalogue alone."""
    if source.format == "spark":
        return CatalogueTable(source.table or "", session())
    if source.format == "parquet":
        return ParquetTable(source)
    raise Refused(
        f"the source {source.path.name}",
        "Spark reads Parquet files and tables of its catalogue here.",
        'a Parquet file or folder, or source = "spark" with table = "database.visits".',
    )


def in_order(values: list[object]) -> list[object]:
    """Values in their order, NULL last."""
    return sorted(values, key=lambda value: (value is None, value))
