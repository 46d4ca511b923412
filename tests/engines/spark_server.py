"""A real Spark cluster for the tests: a master and two workers on this machine's loopback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
from examples.spark_cluster import Cluster, running
from pyspark import SparkContext

from tacit.query.engines.protocol import Engine
from tacit.query.engines.spark.engine import SparkEngine

_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # Java that starts soon rather than runs fast
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.driver.extraJavaOptions": _QUICK,
    "spark.executor.memory": "700m",
    "spark.executor.extraJavaOptions": _QUICK,
    "spark.sql.shuffle.partitions": "2",
}


@dataclass(frozen=True)
class SparkUnderTest:
    """Spark on Parquet files."""

    cluster: Cluster
    name: str = "spark"

    def engine(self) -> Engine:
        warehouse = str(self.cluster.folder / "warehouse")
        return SparkEngine(self.cluster.address, {**SETTINGS, "spark.sql.warehouse.dir": warehouse})

    def load(self, rows: duckdb.DuckDBPyConnection, tables: Sequence[str], folder: Path) -> dict[str, str]:
        for table in tables:
            rows.execute(f"COPY {table} TO '{folder / table}.parquet' (FORMAT parquet)")
        return {table: f'source = "{table}.parquet"' for table in tables}


@contextmanager
def running_spark() -> Iterator[SparkUnderTest]:
    """The cluster, and this process's connection to it, for a block."""
    with running(workers=2, cores=1, memory="1g") as cluster:
        try:
            yield SparkUnderTest(cluster)
        finally:
            context = SparkContext._active_spark_context
            if context is not None:
                context.stop()
