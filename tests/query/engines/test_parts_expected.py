"""Where not all groups would fit memory, people are cut into parts from the start; not where they fit or are text."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from tests.query.engines.parted_worlds import as_set

from tacit.query.engines.duckdb import memory as parts
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.duckdb.memory import MOST, parts_expected
from tacit.schema.reader import read_description

_ROWS = "SELECT i * 1000000007 % 99991 * 1000000 AS writer, 'w' || i % 997 AS word FROM range(100000) AS r(i)"
_BY_KEY = 'SELECT writer AS "__unit", word AS k0, COUNT(*) AS v0 FROM {rows} GROUP BY ALL'
_GROUPS = 100_000  # at the most: as many as rows
_DESCRIPTION = """\
[dataset]
name = "letters"
unit = { id = "writer", hides = "one writer, all letters" }
budget = { rho = 1, delta = 1e-6 }

[tables.letters]
source = "letters.parquet"
[tables.letters.columns]
word = { type = "text" }
"""


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


@pytest.mark.parametrize(("memory", "cut"), [("500MB", 4), (None, 1)])
def test_a_session_begins_with_them(
    letters: tuple[duckdb.DuckDBPyConnection, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    memory: str | None,
    cut: int,
) -> None:
    """Under a limit alone, for this statement alone, with the same integers."""
    (tmp_path / "letters.toml").write_text(_DESCRIPTION)
    sums = f"SELECT k0, SUM(v0)::BIGINT AS y0 FROM ({_BY_KEY.format(rows='letters')}) GROUP BY ALL"
    description = read_description(tmp_path / "letters.toml", DuckDBEngine().public_values)
    with DuckDBEngine(memory=memory).session(description) as session:
        one = as_set(session.add_up(sums))
        assert session.course.part.of == 1
        monkeypatch.setattr(parts, "_GROUP", 5_000)  # octets: as if there were a hundred times as many
        assert as_set(session.add_up(sums)) == one
        assert (session.course.part.of, session.course.parts) == (cut, 1)
