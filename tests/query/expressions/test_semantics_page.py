"""docs/sql-semantics.md: every example runs, and every supported word is listed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from tests.query.expressions.clinic import create, typed
from tests.query.expressions.typed_law import faults

from tacit.query.sql.expressions.rule_registry import FAMILIES

_PAGE = (Path(__file__).parents[3] / "docs" / "sql-semantics.md").read_text()
_SUPPORTED = _PAGE.split("## What is supported")[1].split("## Public domains")[0]
_ROWS = [re.split(r"(?<!\\)\|", line) for line in _SUPPORTED.splitlines() if line.startswith("|")][2:]
_EXAMPLES = [text.replace("\\|", "|") for row in _ROWS for text in re.findall(r"`([^`]+)`", row[2])]
_LISTED = {text.replace("\\|", "|") for row in _ROWS for text in re.findall(r"`([^`]+)`", row[1])}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute(create())
        rows = "(1, 200, -3, 'Abc', '1900-01-01'), (2, 30, 5.5, NULL, NULL)"
        opened.execute(f"INSERT INTO visits (id, age, cost, ward, day) VALUES {rows}")
        yield opened


@pytest.mark.parametrize("text", _EXAMPLES)
def test_every_example_runs(text: str, connection: duckdb.DuckDBPyConnection) -> None:
    """What the page promises is accepted, and keeps the law of `Typed` (R26)."""
    assert faults(connection, "visits", [typed(text)]) == []


def test_every_word_is_listed() -> None:
    """The page and the registry name the same words."""
    words = {word for family in FAMILIES if family.name != "literals" for word in family.words}
    assert words == _LISTED
