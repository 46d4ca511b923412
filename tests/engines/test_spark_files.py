"""Parquet files with values that Spark's reader gives up on, or that no text is: no row makes a question fail."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from tests.engines.spark_server import SparkUnderTest

from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.protocol import Engine
from tacit.schema.reader import read_description

_TOML = """\
[dataset]
name = "odd"
unit = { id = "pid", hides = "one" }
budget = { rho = 1, delta = 1e-6 }
SPARK
[tables.visits]
source = "visits.parquet"
[tables.visits.columns]
word = { type = "text" }
seen = { type = "timestamp" }
zoned = { type = "timestamp" }
"""
_MOMENTS = [0, 2**62, -(2**62), 9_223_372_036_854_775, 86_400_123, 2**63 - 1, -(2**63), None]
_SQL = 'SELECT word AS k0, COUNT(*) AS y0, COUNT(seen) AS y1, COUNT(zoned) AS y2 FROM "visits" GROUP BY word'


def _odd(folder: Path, master: str | None) -> Path:
    texts = [b"a", b"\xff", b"\xfe\xff", b"a", b"\xc3", b"z", b"z", b"\xe9t\xe9"]
    words = pa.Array.from_buffers(pa.string(), len(texts), pa.array(texts, pa.binary()).buffers())
    stamps = pa.array(_MOMENTS, pa.int64())
    coarse = {"seen": stamps.view(pa.timestamp("ms")), "zoned": stamps.view(pa.timestamp("ms", "UTC"))}
    folder.mkdir()
    pq.write_table(pa.table({"pid": words, "word": words, **coarse}), folder / "visits.parquet")
    (folder / "odd.toml").write_text(_TOML.replace("SPARK", f'spark = "{master}"' if master else ""))
    return folder / "odd.toml"


def _answer(engine: Engine, file: Path, sql: str) -> set[tuple[object, ...]]:
    description = read_description(file, lambda *_: [])
    headers = {table.name: dict(engine.header(table.source)) for table in description.sources}
    with engine.session(description, headers) as session:
        return {tuple(row.values()) for row in session.run(sql).to_pylist()}


def test_text_that_is_none_and_moments_beyond_the_calendar_are_missing(spark: SparkUnderTest, tmp_path: Path) -> None:
    """As keys, as people and as values; the moments are those that DuckDB reads."""
    file = _odd(tmp_path / "spark", spark.cluster.address)
    assert _answer(spark.engine(), file, _SQL) == {("a", 2, 2, 2), ("z", 2, 0, 0), (None, 4, 1, 1)}
    people = 'SELECT COUNT(DISTINCT pid) AS n, COUNT(pid) AS m FROM "visits"'
    assert _answer(spark.engine(), file, people) == {(2, 4)}
    moments = "SELECT seen AS s FROM \"visits\" WHERE seen < TIMESTAMP '9999-01-01'"
    other = _odd(tmp_path / "duckdb", None)
    assert _answer(spark.engine(), file, moments) == _answer(DuckDBEngine(threads=1), other, moments)
