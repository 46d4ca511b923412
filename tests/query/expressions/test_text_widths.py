"""Texts have a greatest length, which the SQL that runs enforces: read, written, joined, nested (R26)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import duckdb
import pytest
import sqlglot
from tests.query.expressions.awkward_texts import AWKWARD, EXPRESSIONS, NOTE, REGION
from tests.query.expressions.typed_law import faults

from tacit.errors import Refused
from tacit.query.sql.expressions import NamedScope, read_column, type_expression
from tacit.query.sql.values.domains import (
    HANDED_ON,
    KEPT,
    LONGEST_MADE,
    MOST_PIECES,
    kept,
    refuse_many_texts,
    told_apart,
)
from tacit.query.sql.values.typed import LONGEST, Typed
from tacit.schema.kind import Kind

_PHYSICAL = ("VARCHAR", None)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("CREATE TABLE t (note VARCHAR, region VARCHAR)")
        opened.executemany("INSERT INTO t VALUES (?, ?)", [[text, text] for text in (*AWKWARD, None)])
        yield opened


def _typed(text: str, physical: str | None = "VARCHAR") -> Typed:
    reads = {column.name: read_column(column, f't."{column.name}"', physical) for column in (NOTE, REGION)}
    return type_expression(sqlglot.parse_one(text, dialect="duckdb"), NamedScope(reads))


@pytest.mark.parametrize("physical", _PHYSICAL)
def test_no_text_is_longer_than_believed(connection: duckdb.DuckDBPyConnection, physical: str | None) -> None:
    for text in EXPRESSIONS:
        typed = _typed(text, physical)
        assert typed.longest <= LONGEST
        assert faults(connection, "t", [typed]) == [], text


@pytest.mark.parametrize(
    ("text", "guard"),
    [
        ("note", r"CASE WHEN strlen\(.*?\) > \d+ THEN .*? ELSE (.*?) END"),
        ("CONCAT(note, note)", r"^substring\((concat\(.*\)), 1, \d+\)$"),
        ("note || note", r"^substring\((.*), 1, \d+\)$"),
        ("LEFT(note, 9)", r"left\((.*), 9\)"),
    ],
)
def test_a_missing_cut_is_seen(connection: duckdb.DuckDBPyConnection, text: str, guard: str) -> None:
    """Broken twins: without the cut the law above is broken."""
    typed = _typed(text)
    twin = replace(typed, sql=re.sub(guard, r"\1", typed.sql))
    assert twin.sql != typed.sql
    assert any("longer" in fault for fault in faults(connection, "t", [twin]))


@pytest.mark.parametrize("text", ["UPPER(LEFT(note, 3))", "CONCAT(LEFT(note, 3), 'ab')", "LOWER(region)", "TRIM(note)"])
def test_a_length_one_too_small_is_seen(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    """The awkward texts are as long as is believed, so that a belief too small is noticed."""
    typed = replace(_typed(text), keys=None)
    assert faults(connection, "t", [replace(typed, longest=typed.longest - 1)]) != []


def test_lengths_are_carried() -> None:
    assert _typed("'abc' || 'de'").longest == 5
    assert _typed("CASE WHEN TRUE THEN 'abc' ELSE LEFT(note, 9) END").longest == 9
    assert _typed("COALESCE(LEFT(note, 4), 'abcdef')").longest == 6
    assert _typed("CONCAT(note, note)").longest == LONGEST_MADE
    assert _typed("LENGTH(note)").high == LONGEST
    assert _typed("LENGTH(CONCAT(LEFT(note, 7), '!'))").high == 8
    assert _typed("LENGTH(region)").high == 5


def test_a_join_of_texts_has_few_pieces_and_short_ones() -> None:
    assert _typed(f"CONCAT({', '.join(['note'] * MOST_PIECES)})").longest == LONGEST_MADE
    for text in (f"CONCAT({', '.join(['note'] * (MOST_PIECES + 1))})", " || ".join(["note"] * (MOST_PIECES + 1))):
        with pytest.raises(Refused, match="joined"):
            _typed(text)
    with pytest.raises(Refused, match="letters"):
        _typed(f"'{'x' * (LONGEST_MADE + 1)}'")


def test_a_query_makes_few_texts() -> None:
    """One || chain is one text, however long."""
    refuse_many_texts(sqlglot.parse_one(f"SELECT {', '.join(['a || b || c'] * 64)}", dialect="duckdb"))
    for made in (["a || b"] * 65, ["CONCAT(a, b)"] * 65, ["LOWER(a)"] * 257):
        with pytest.raises(Refused, match="wide"):
            refuse_many_texts(sqlglot.parse_one(f"SELECT {', '.join(made)}", dialect="duckdb"))


def test_a_long_text_is_told_apart_by_its_digest() -> None:
    """Else a person's pairs of rows, each with a text of its own, would be kept letter by letter."""
    assert told_apart(_typed("CONCAT(note, 'x')")).startswith("md5(")
    for short in ("note", "LOWER(note)", "region || '!'", "LENGTH(note)"):
        assert not told_apart(_typed(short)).startswith("md5(")


def _computed(longest: int, name: str) -> Typed:
    return Typed(Kind.TEXT, name, longest=longest, weight=1)


@pytest.mark.parametrize(("many", "letters"), [(1, KEPT), (2, KEPT), (60, KEPT), (64, KEPT), (90, HANDED_ON)])
def test_texts_that_are_held_together_share_their_letters(many: int, letters: int) -> None:
    values = kept([_computed(LONGEST, f"t{place}") for place in range(many)], letters)
    assert sum(value.longest for value in values) <= letters
    assert all(f", 1, {value.longest})" in value.sql for value in values)


def test_a_column_is_free_once_and_short_texts_are() -> None:
    column, short = Typed(Kind.TEXT, "note"), _computed(64, "short")
    assert kept([column, *[short] * 200]) == [column, *[short] * 200]
    assert [value.longest for value in kept([column] * 3)] == [LONGEST, KEPT // 2, KEPT // 2]


def test_more_texts_than_can_be_held_together_are_refused() -> None:
    with pytest.raises(Refused, match="65 computed texts"):
        kept([_computed(LONGEST_MADE, f"t{place}") for place in range(65)])
