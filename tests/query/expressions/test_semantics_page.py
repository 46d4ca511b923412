"""docs/sql-semantics.md: every example runs, and every supported word is listed."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from tests.query.expressions.clinic import create, typed
from tests.query.expressions.semantics_page import EXAMPLES, LISTED
from tests.query.expressions.typed_law import faults

from tacit.query.sql.expressions.rule_registry import FAMILIES


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute(create())
        rows = "(1, 200, -3, 'Abc', '1900-01-01'), (2, 30, 5.5, NULL, NULL)"
        opened.execute(f"INSERT INTO visits (id, age, cost, ward, day) VALUES {rows}")
        yield opened


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_runs(text: str, connection: duckdb.DuckDBPyConnection) -> None:
    """What the page promises is accepted, and keeps the law of `Typed` (R26)."""
    assert faults(connection, "visits", [typed(text)]) == []


def test_every_word_is_listed() -> None:
    """The page and the registry name the same words."""
    words = {word for family in FAMILIES if family.name != "literals" for word in family.words}
    assert words == LISTED
