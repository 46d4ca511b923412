"""Random expressions on poison rows: never an error, never outside the claimed kind, bounds, domain or nullability."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import duckdb
import pytest
import sqlglot
from tests.fuzz.block import Block
from tests.fuzz.campaign import Campaign
from tests.fuzz.dense import Bare
from tests.query.expressions.columns import COLUMNS
from tests.query.expressions.poison import create
from tests.query.expressions.typed_law import faults

from tacit.query.sql.expressions import NamedScope, read_column, type_expression

_VARIANTS = (0, 1, 2)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("SET TimeZone = 'UTC'; SET threads = 1")
        for variant in _VARIANTS:
            create(opened, f"t{variant}", _physical(variant), 240, shift=7)
        yield opened


@cache
def _scope(variant: int, is_known: bool) -> NamedScope:
    reads = {
        column.name: read_column(column, f'"t{variant}"."{column.name}"', types[variant] if is_known else None)
        for column, types in COLUMNS
    }
    return NamedScope(reads)


def _campaign(seed: int) -> Campaign:
    """Expressions over poison, with the physical types that a plan knows and without them."""
    blocks = [
        Block(f"t{variant}", {column.name: column for column, _ in COLUMNS}, _physical(variant) if is_known else {})
        for variant in _VARIANTS
        for is_known in (True, False)
    ]
    return Campaign(seed, blocks)


def _physical(variant: int) -> dict[str, str]:
    return {column.name: types[variant] for column, types in COLUMNS}


@pytest.mark.parametrize("count", [400, pytest.param(15_000, marks=pytest.mark.long)])
def test_random_expressions_are_total_and_within_their_bounds(
    connection: duckdb.DuckDBPyConnection, count: int
) -> None:
    """R07, R16, R26: whatever the rows hold, an accepted expression keeps every claim of `Typed`."""
    campaign = _campaign(count)
    for batch in campaign.batches(count):
        campaign.check(batch, [Bare(connection)])
    assert list(map(str, campaign.findings)) == []
    assert campaign.seen["accepted"] > 10 * campaign.seen["refused"]  # it is not vacuous


@pytest.mark.parametrize(
    ("text", "guard", "broken"),
    [
        ("age // z", r"CASE WHEN .* <> 0 THEN (.*) END", r"\1"),
        ("x * x", r"CASE WHEN isfinite\(.*\) THEN (\(.* \* .*\)) END", r"\1"),
        ("n + n", "CAST\\((.*) AS HUGEINT\\) \\+ CAST\\((.*) AS HUGEINT\\)", r"\1 + \2"),
        ("CAST(note AS DATE)", "TRY_CAST", "CAST"),
        ("SQRT(s)", r"CASE WHEN .* >= 0 THEN (sqrt\(.*\)) END", r"\1"),
    ],
)
def test_a_dropped_guard_is_caught(connection: duckdb.DuckDBPyConnection, text: str, guard: str, broken: str) -> None:
    """Deliberately broken twins: each guard of the emitted SQL is needed, and the law notices when it is gone (R26)."""
    typed = type_expression(sqlglot.parse_one(text, dialect="duckdb"), _scope(0, True))
    twin = replace(typed, sql=re.sub(guard, broken, typed.sql))
    assert twin.sql != typed.sql
    assert faults(connection, "t0", [typed]) == []
    assert faults(connection, "t0", [twin]) != []


@pytest.mark.parametrize("text", ["age - z", "cost * age", "debt / 3", "z % 3", "ABS(z)", "ROUND(debt)", "w + s"])
def test_a_bound_that_is_too_tight_is_caught(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    """Deliberately broken twins: poison reaches every bound, so one a step too tight is noticed (R16)."""
    typed = type_expression(sqlglot.parse_one(text, dialect="duckdb"), _scope(0, True))
    assert typed.low is not None
    assert typed.high is not None
    step = (typed.high - typed.low) / 1000
    assert faults(connection, "t0", [typed]) == []
    assert faults(connection, "t0", [replace(typed, high=typed.high - step)]) != []
