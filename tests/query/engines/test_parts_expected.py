"""Where not all groups would fit memory, people are cut into parts from the start; not where they fit or are text."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from tacit.query.engines.parts import MOST, parts_expected

_ROWS = "SELECT i * 1000000007 % 99991 * 1000000 AS writer, 'w' || i % 997 AS word FROM range(100000) AS r(i)"
_BY_KEY = 'SELECT writer AS "__unit", word AS k0, COUNT(*) AS v0 FROM {rows} GROUP BY ALL'
_GROUPS = 100_000  # at the most: as many as rows


@pytest.fixture
def letters(tmp_path: Path) -> tuple[duckdb.DuckDBPyConnection, str]:
    connection = duckdb.connect()
    connection.execute(f"COPY ({_ROWS}) TO '{tmp_path / 'letters.parquet'}'")
    return connection, f"read_parquet('{tmp_path / 'letters.parquet'}')"


@pytest.mark.parametrize(("memory", "parts"), [(_GROUPS * 48, 1), (_GROUPS * 12, 4), (_GROUPS * 3, 16), (1, MOST)])
def test_a_part_fits(letters: tuple[duckdb.DuckDBPyConnection, str], memory: int, parts: int) -> None:
    connection, rows = letters
    assert parts_expected(connection, _BY_KEY.format(rows=rows), memory) == parts


def test_sums_without_keys_are_not_cut(letters: tuple[duckdb.DuckDBPyConnection, str]) -> None:
    connection, rows = letters
    assert parts_expected(connection, f"SELECT COUNT(*) AS y0 FROM {rows}", 1) == 1


def test_text_is_read_once(letters: tuple[duckdb.DuckDBPyConnection, str], tmp_path: Path) -> None:
    connection, rows = letters
    connection.execute(f"COPY (FROM {rows}) TO '{tmp_path / 'letters.csv'}'")
    assert parts_expected(connection, _BY_KEY.format(rows=f"read_csv('{tmp_path / 'letters.csv'}')"), 1) == 1
