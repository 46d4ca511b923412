"""The hunt for a hole: the campaign that every long run of the tests makes, until its first finding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
from tests.engines.engines import EngineUnderTest
from tests.fuzz.campaign import BATCH, Campaign, Finding
from tests.fuzz.dense import Dense, create_tables

AT_MOST = 10_000
"""Expressions: what the long tests try on DuckDB and PostgreSQL."""


def hunted(
    engines: Sequence[EngineUnderTest], folder: Path, at_most: int = AT_MOST, seed: int = 1, together: int = BATCH
) -> Finding:
    """The first finding; its `at` says after how many expressions it came. A statement has `together` of them."""
    campaign = Campaign.of(seed)
    with duckdb.connect() as rows:
        create_tables(rows, campaign.blocks)
        held = [Dense.of(engine, rows, folder / engine.name, campaign.blocks) for engine in engines]
        for batch in campaign.batches(at_most, together):
            campaign.check(batch, held)
            if campaign.findings:
                break
        for dense in held:
            dense.close()
    assert campaign.findings, f"nothing among {at_most:,} expressions"
    return campaign.findings[0]
