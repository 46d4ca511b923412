"""Random expressions over narrow, awkward, dense ranges on DuckDB: never an error, never outside the derived bounds."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import duckdb
import pytest
from tests.engines.engines import DuckDBUnderTest
from tests.fuzz.campaign import Campaign
from tests.fuzz.dense import Dense, create_tables
from tests.fuzz.lines import first_line_alone
from tests.fuzz.sizes import chunks


def campaign(seed: int, count: int, folder: Path, lines: AbstractContextManager[None]) -> Campaign:
    """A campaign on DuckDB, planned and run behind some of the lines."""
    made = Campaign.of(seed)
    with lines, duckdb.connect() as rows:
        create_tables(rows, made.blocks)
        dense = Dense.of(DuckDBUnderTest(), rows, folder, made.blocks)
        for batch in made.batches(count):
            made.check(batch, [dense])
        dense.close()
    return made


def test_the_first_line_alone_keeps_every_claim(tmp_path: Path) -> None:
    """R07, R16, R26: no error; bounds, keys, lengths and NULLs as believed; without TRY and a second attempt."""
    found = campaign(1, 1_000, tmp_path, first_line_alone())
    assert list(map(str, found.findings)) == []
    assert found.seen["run on duckdb"] == 1_000


def test_all_lines_together_keep_every_claim(tmp_path: Path) -> None:
    """The second line adds no NULL of its own, and changes no value's bounds."""
    assert list(map(str, campaign(2, 400, tmp_path, nullcontext()).findings)) == []


@pytest.mark.long
def test_the_first_line_alone_keeps_every_claim_on_many(tmp_path: Path) -> None:
    """R07, R16, R26: ten thousand expressions; more if TACIT_FUZZ_DUCKDB says so."""
    for seed, count in chunks(10_000, "duckdb"):
        found = campaign(seed, count, tmp_path, first_line_alone())
        assert list(map(str, found.findings)) == [], seed


@pytest.mark.long
def test_all_lines_together_keep_every_claim_on_many(tmp_path: Path) -> None:
    """R07, R16, R26: what analysts get."""
    assert list(map(str, campaign(1_000_000, 5_000, tmp_path, nullcontext()).findings)) == []
