"""No person's value decides how another's is read, although DuckDB uses the least and greatest of all values."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.duckdb.frames import read_frame
from tacit.query.sql.scan import reading
from tacit.schema.catalogue import Catalogue, compare_headers
from tacit.schema.reader import read_description

_NAN, _INF = float("nan"), float("inf")
_LONG = [0, 1, 5, -7, 2**63 - 1, -(2**63), -(2**63) + 1, -(2**63) + 2, 2**62, None]
VALUES: dict[pa.DataType, list[Any]] = {
    pa.int8(): [0, 1, 5, 127, -128, None],
    pa.int64(): _LONG,
    pa.uint64(): [0, 1, 5, 2**64 - 1, 2**63, None],
    pa.float32(): [0.0, -0.0, 1.5, 5.0, 3e38, _NAN, _INF, -_INF, 1e-45, None],
    pa.float64(): [0.0, -0.0, 1.5, 5.0, 1e308, _NAN, _INF, -_INF, 5e-324, None],
    pa.decimal128(18, 3): [Decimal("0"), Decimal("1.500"), Decimal("-999999999999999.999"), None],
    pa.decimal128(38, 10): [Decimal("0"), Decimal("5"), Decimal("9999999999999999999999999999.9999999999"), None],
    pa.bool_(): [True, False, None],
    pa.string(): [
        "0",
        "1.5",
        "5",
        "NaN",
        "-inf",
        "1e400",
        "abc",
        "",
        "\uffff",
        "2020-02-29",
        "0001-01-01",
        "x" * 99,
        None,
    ],
    pa.date32(): [0, 18_321, 2**31 - 1, -(2**31), 2**31 - 2, 10**7, None],
    **{pa.timestamp(unit, zone): _LONG for unit in ("ms", "us", "ns") for zone in (None, "UTC")},
}
_KINDS = {
    "whole": 'type = "int", min = 0, max = 3',
    "free": 'type = "int"',
    "exact": 'type = "decimal", scale = 2, min = -1, max = 4',
    "double": 'type = "float", min = 0, max = 3',
    "loose": 'type = "float"',
    "word": 'type = "text"',
    "chosen": 'type = "text", keys = ["1.5", "5", "abc"]',
    "truth": 'type = "bool"',
    "day": 'type = "date", min = 2000-01-01, max = 2030-12-31',
    "moment": 'type = "timestamp"',
}
_HEAD = '[dataset]\nname = "odd"\nunit = {{ id = "pid", hides = "one" }}\nbudget = {{ rho = 1, delta = 1e-6 }}\n'
_TABLE = '[tables.visits]\nsource = "{source}"\n{more}[tables.visits.columns]\n'


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_timestamp(kind):
        return pa.array(values, pa.int64()).view(kind)
    return pa.array(values, pa.int32()).view(kind) if pa.types.is_date32(kind) else pa.array(values, kind)


def _read(folder: Path, kind: pa.DataType, others: list[Any], way: str) -> dict[str, list[Any]]:
    """By a declared type, the values of the first rows as they are read, and which of them meet conditions."""
    values = VALUES[kind]
    column = _array([*values, *others], kind)
    table = pa.table({"pid": range(len(column)), **dict.fromkeys(_KINDS, column)})
    source, more, engine = "visits.parquet", "", DuckDBEngine(threads=1)
    if way == "parquet":
        pq.write_table(table, folder / source)
    elif way == "frame":
        source, engine = "frame", DuckDBEngine(threads=1, frames={"visits": read_frame("visits", table)})
    else:
        source, more = "visits.duckdb", 'table = "visits"\n'
        (folder / source).unlink(missing_ok=True)
        with duckdb.connect(str(folder / source)) as own:
            own.register("given", read_frame("visits", table).table)
            own.execute("CREATE TABLE visits AS SELECT * FROM given")
    text = _HEAD.format() + _TABLE.format(source=source, more=more)
    (folder / "odd.toml").write_text(text + "".join(f"{name} = {{ {said} }}\n" for name, said in _KINDS.items()))
    description = read_description(folder / "odd.toml", lambda *_: [])
    header = list(engine.header(description.tables["visits"].source))
    wrong = " ".join(compare_headers(description, {"visits": header}))
    catalogue = Catalogue(description, {"visits": dict(header)})
    found = {}
    with engine.session(description, catalogue.physical) as session:
        for (_, name), read in reading(description.tables["visits"], "v", catalogue).items():
            if f"visits.{name} is" in wrong:
                continue
            for condition in _conditions(read.sql, name):
                sql = f'SELECT {read.sql} AS v FROM "visits" WHERE pid < {len(values)} AND ({condition}) ORDER BY pid'
                found[f"{name} {condition}"] = session.run(sql).column("v").to_pylist()
    return found


def _conditions(sql: str, name: str) -> Iterator[str]:
    yield "TRUE"
    literal = {"word": "'5'", "chosen": "'5'", "truth": "TRUE", "day": "DATE '2020-02-29'"}.get(name, "1")
    literal = "TIMESTAMP '1970-01-02'" if name == "moment" else literal
    yield from (f"{sql} {sign} {literal}" for sign in ("=", "<=", ">"))
    yield f"{sql} IS NULL"


@pytest.mark.parametrize(
    "way", ["parquet", *(pytest.param(way, marks=pytest.mark.long) for way in ("duckdb", "frame"))]
)
@pytest.mark.parametrize("kind", VALUES, ids=str)
def test_nobody_s_value_decides_how_another_s_is_read(kind: pa.DataType, way: str, tmp_path: Path) -> None:
    """The same rows alone, and beside each other value."""
    base = _read(tmp_path, kind, [], way)
    assert base
    for other in VALUES[kind]:
        found = _read(tmp_path, kind, [other], way)
        assert {name: repr(rows) for name, rows in found.items()} == {name: repr(rows) for name, rows in base.items()}
