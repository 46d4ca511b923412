"""Files of any octets in every type: no row makes a question fail, and neighbours are not distinguished.

R07, R26: holes that were closed in the reading of files, put back, are found by these files, which nobody wrote for
them (R46).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from tests.fuzz.stored import compare

from tacit.query.engines.duckdb import tables as duckdb_tables
from tacit.schema import catalogue

_MANY = range(100, 160)


def _found(seeds: Iterable[int], folder: Path) -> str | None:
    """The first file that distinguishes neighbours, and how."""
    for seed in seeds:
        wrong = compare(seed, folder / str(seed)).wrong
        if wrong:
            return wrong[0]
    return None


def test_no_octets_fail_a_question(tmp_path: Path) -> None:
    """Some files."""
    assert _found(range(6), tmp_path) is None


@pytest.mark.long
def test_no_octets_fail_a_question_in_many_files(tmp_path: Path) -> None:
    """More of them."""
    assert _found(_MANY, tmp_path) is None


def _moments_as_they_are(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(duckdb_tables, "_register_coarse", lambda *_: frozenset())


def _texts_as_they_are(patch: pytest.MonkeyPatch) -> None:
    real = duckdb_tables.parquet_sql
    patch.setattr(duckdb_tables, "parquet_sql", lambda source: real(source).replace("'replace'", "'strict'"))


def _times_as_text(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(catalogue, "is_read_without_fail", lambda kind: True)


@pytest.mark.long
@pytest.mark.parametrize("hole", [_moments_as_they_are, _texts_as_they_are, _times_as_text])
def test_a_hole_that_is_put_back_is_found(
    hole: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Moments beyond the calendar, octets that are no text, and times beyond a day."""
    hole(monkeypatch)
    told = _found(_MANY, tmp_path)
    assert told is not None
    assert "fail" in told
