"""Parquet files with values that DuckDB's reader gives up on: no row makes a question fail, or another row count."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.errors import Refused
from tacit.query.engines.duckdb import tables as duckdb_tables
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.duckdb.tables import coarse_moments, parquet_sql, read_by_arrow
from tacit.query.sql.scan import reading
from tacit.schema.catalogue import Catalogue
from tacit.schema.file_identity import files_of
from tacit.schema.reader import read_description
from tacit.schema.sources import read_source

_TOML = """\
[dataset]
name = "odd"
unit = { id = "pid", hides = "one" }
budget = { rho = 1, delta = 1e-6 }
[tables.visits]
source = "visits"
[tables.visits.columns]
"""
_STAMP = 'seen = { type = "timestamp" }\n'
_WORD = 'word = { type = "text" }\n'
_BEYOND = [0, 2**62, -(2**62), 9_223_372_036_854_775, -9_223_372_022_400_000, 86_400_000, 2**63 - 1, -(2**63)]


def _invalid(texts: Sequence[bytes]) -> pa.Array:
    """Octets that pass for text, as a careless writer leaves them in a file."""
    return pa.Array.from_buffers(pa.string(), len(texts), pa.array(texts, pa.binary()).buffers())


def _answer(folder: Path, columns: str, tables: Sequence[pa.Table], sql: str) -> list[tuple[Any, ...]]:
    (folder / "visits").mkdir(parents=True)
    for place, table in enumerate(tables):
        pq.write_table(table, folder / "visits" / f"{place}.parquet")
    (folder / "odd.toml").write_text(_TOML + columns)
    description, engine = read_description(folder / "odd.toml", lambda *_: []), DuckDBEngine(threads=1)
    headers = {table.name: dict(engine.header(table.source)) for table in description.sources}
    for (_, name), read in reading(description.tables["visits"], "v", Catalogue(description, headers)).items():
        sql = sql.replace(f"READ({name})", read.sql)
    with engine.session(description, headers) as session:
        return [tuple(row.values()) for row in session.run(sql).to_pylist()]


@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_a_moment_beyond_the_calendar_is_missing(unit: str, zone: str | None, tmp_path: Path) -> None:
    """Also where it stands beside text that is none."""
    stamps = pa.array(_BEYOND, pa.int64()).view(pa.timestamp(unit, zone))
    words = _invalid([b"w", b"\xff", *[b"w"] * 6])
    table = pa.table({"pid": list(range(8)), "seen": stamps, "word": words, "other": stamps})
    rows = 'SELECT pid, epoch_us(READ(seen)) AS at, word FROM "visits" ORDER BY pid'
    found = _answer(tmp_path, _STAMP + _WORD, [table], rows)
    scale = {"ms": 1000, "us": 1}.get(unit)
    assert [who for who, _, _ in found] == list(range(8))
    assert found[0][1:] == (0, "w")
    if unit == "ms":
        inside = [-9_223_372_022_400_000 <= each <= 9_223_372_036_854_775 for each in _BEYOND]
        assert [at is not None for _, at, _ in found] == inside
    assert scale is None or found[5][1] == 86_400_000 * scale


@pytest.mark.parametrize("names", [("pid", "PID"), ("PID", "pid"), ("pid", "Word", "word")])
def test_columns_that_differ_in_case_alone_are_refused(names: Sequence[str], tmp_path: Path) -> None:
    """Otherwise the other column could decide the owner: of PID and pid the first one was read."""
    one, more = pa.table({name: ["a"] for name in ("pid", "word")}), pa.table({name: ["a"] for name in names})
    for place, tables in enumerate(([more], [one, more])):
        with pytest.raises(Refused, match="case alone"):
            _answer(tmp_path / str(place), _WORD, tables, 'SELECT READ(word) AS w FROM "visits" AS "v"')


def test_moments_in_milliseconds_are_the_same_moments(tmp_path: Path) -> None:
    """Over several files, and through every type that a column beside them may have."""
    days = [datetime(1999, 12, 31, 23, 59, 59, 999_000), datetime(2024, 2, 29), None]
    tables = []
    for unit in ("ms", "us"):
        own = {
            "pid": pa.array(["a", "b", "c"]).dictionary_encode(),
            "seen": pa.array(days, pa.timestamp(unit)),
            "word": ["é", None, "x"],
        }
        tables.append(pa.table(own))
    rows = 'SELECT pid, seen, word FROM "visits" ORDER BY pid, seen'
    coarse = _answer(tmp_path / "ms", _STAMP + _WORD, [tables[0], tables[0]], rows)
    assert coarse == _answer(tmp_path / "us", _STAMP + _WORD, [tables[1], tables[1]], rows)
    with pytest.raises(Refused, match="in milliseconds"):
        _answer(tmp_path / "both", _STAMP, tables, rows)


def _matching(folder: Path, texts: Sequence[bytes]) -> int:
    table = pa.table({"pid": list(range(len(texts))), "word": _invalid(texts)})
    sql = 'SELECT COUNT(*) AS n FROM (SELECT (word COLLATE "C") AS w FROM "visits") AS t WHERE w = \'Z?\''
    return int(_answer(folder, _WORD, [table], sql)[0][0])


def test_text_that_is_none_is_read_alike_whoever_stands_beside_it(tmp_path: Path) -> None:
    """The reader replaces it by question marks, but the file's statistics, of all rows, are of the original octets."""
    assert _matching(tmp_path / "one", [b"ZA", b"Z\xff", b"b"]) == 1
    assert _matching(tmp_path / "two", [b"ZA", b"Z\xff", b"b", b"A"]) == 1


def test_text_compared_by_statistics_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken twin: another person's row decides whether this one counts."""
    monkeypatch.setattr(duckdb_tables, "mended", lambda reference, kind, is_identifying: reference)
    assert _matching(tmp_path / "one", [b"ZA", b"Z\xff", b"b"]) == 0
    assert _matching(tmp_path / "two", [b"ZA", b"Z\xff", b"b", b"A"]) == 1


def test_a_name_that_is_no_text_is_nobody_s(tmp_path: Path) -> None:
    """Two such names would become the same one."""
    table = pa.table({"pid": _invalid([b"a", b"\xff", b"\xfe", b""]), "word": ["x"] * 4})
    found = _answer(tmp_path, _WORD, [table], 'SELECT pid FROM "visits" ORDER BY pid')
    assert sorted(found, key=str) == [("",), ("a",), (None,), (None,)]


@pytest.mark.parametrize("condition", ["TRUE", "READ(dose) >= 1", "READ(dose) <= 4", "NOT (READ(dose) < 2)"])
@pytest.mark.parametrize("bounds", ["", ", min = 0, max = 5"])
@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
def test_nobody_s_value_decides_how_another_s_nan_is_read(
    kind: pa.DataType, bounds: str, condition: str, tmp_path: Path
) -> None:
    """The file's greatest value is everybody's: with one of 50 every NaN was read as the upper bound."""
    found = []
    for place, others in enumerate(([], [50.0], [-50.0], [float("inf")])):
        table = pa.table({"pid": range(4 + len(others)), "dose": pa.array([1, 2, 4, float("nan"), *others], kind)})
        dose = f'dose = {{ type = "float"{bounds} }}\n'
        sql = f'SELECT pid, READ(dose) AS v FROM "visits" WHERE pid < 4 AND {condition} ORDER BY pid'
        found.append(_answer(tmp_path / str(place), dose, [table], sql))
    assert all(each == found[0] for each in found)
    assert 3 not in [who for who, value in found[0] if value is not None]


@pytest.mark.parametrize("written", ["parts", "parts/*.parquet", "parts/**/*.parquet"])
def test_what_is_read_is_what_has_the_account(tmp_path: Path, written: str) -> None:
    """DuckDB's own patterns find hidden files, which no account was asked for, and whose changes nobody noticed."""
    names = ("a.parquet", "a[1].parquet", "a1.parquet", "b*.parquet", "it's.parquet", ".hidden.parquet", ".d/c.parquet")
    for place, name in enumerate(names):
        (tmp_path / "parts" / name).parent.mkdir(parents=True, exist_ok=True)
        moment = datetime(2025, 1, 1)
        pq.write_table(
            pa.table({"n": [10**place], "at": pa.array([moment], pa.timestamp("ms"))}), tmp_path / "parts" / name
        )
    (tmp_path / "parts" / "folder.parquet").mkdir()
    source = read_source(written, tmp_path)
    assert [os.path.basename(path) for path in files_of(source)] == sorted(names[:5])
    connection = duckdb.connect()
    assert connection.execute(f"SELECT SUM(n) FROM {parquet_sql(source)}").fetchone() == (11111,)
    assert coarse_moments(connection, source) == {"at"}
    assert read_by_arrow(source, ["n", "at"]).count_rows() == 5


def test_a_public_moment_with_a_zone_can_be_read(tmp_path: Path) -> None:
    """DuckDB needs pytz for it, and does not install it."""
    seen = [datetime(2020, 1, 1, tzinfo=UTC), datetime(2021, 7, 1, 12, tzinfo=UTC)]
    pq.write_table(pa.table({"seen": pa.array(seen, pa.timestamp("us", "UTC"))}), tmp_path / "days.parquet")
    source = read_source("days.parquet", tmp_path)
    assert DuckDBEngine().public_values(source, "seen") == seen
