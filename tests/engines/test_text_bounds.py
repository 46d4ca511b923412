"""Texts on every engine: as long as is believed at most, matched and read as numbers without stepping back."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pytest
import sqlglot
from tests.engines.engines import DuckDBUnderTest, EngineUnderTest
from tests.engines.expression_world import ExpressionWorld
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.spark_server import SparkUnderTest
from tests.query.expressions.awkward_texts import AWKWARD, EXPRESSIONS, NOTE, REGION, WIDEST

from tacit.query.sql.expressions import NamedScope, read_column, type_expression
from tacit.query.sql.values.typed import LONGEST, Typed
from tacit.schema.kind import Kind

_TABLE = 2
_PATTERNS = (
    *("%a%b%", "%a_b%c%d", "a%a%a%a%a%a%a%c", "%_%ß%", "%\n%_", "_%.%\\%*", "%𝔸%_%x", "%x%x%x%x%x%x%x%y", "%İ%_"),
    *("ab%ba%ab", "%aba%bab%", "%!%a%", "%é%%%é%"),
)
_MATCHED = (
    *("a.b\\c*", "abXbc\n", "aXbYcZd", "ab\nba\nab", "ababab", "ÉéÉ", "%a%", "_a_", "!%a!"),
    *("a" * 60_000, "ab" * 30_000),
)
_NUMBERS = (
    *("1" + "_1" * 30_000, "0x" + "1_" * 20_000 + "1", "1." + "0_" * 30_000 + "1", "1" * 65_000, " " * 60_000 + "7"),
    *("1_", "_1", "1__1", "1_0.5_0", "1_0e1_0", "0b1_1", "a" + "_1" * 30_000, "1e" + "_1" * 30_000, "9" * 40 + "e-30"),
)
_CASTS = ("CAST(note AS BIGINT)", "CAST(note AS DOUBLE)", "CAST(note AS SMALLINT)", "CAST(note AS BOOLEAN)")
_TEXTS = (*AWKWARD, *_MATCHED, *_NUMBERS)


def _typed(text: str) -> Typed:
    reads = {column.name: read_column(column, f'"t2"."{column.name}"', "VARCHAR") for column in (NOTE, REGION)}
    return type_expression(sqlglot.parse_one(text, dialect="duckdb"), NamedScope(reads))


def _worlds(other: EngineUnderTest, factory: pytest.TempPathFactory) -> tuple[ExpressionWorld, ExpressionWorld]:
    folder = factory.mktemp("texts")
    with duckdb.connect() as rows:
        rows.execute("CREATE TABLE t2 (row BIGINT, note VARCHAR, region VARCHAR)")
        rows.executemany("INSERT INTO t2 VALUES (?, ?, ?)", [[place, text, text] for place, text in enumerate(_TEXTS)])
        rows.execute("INSERT INTO t2 VALUES (-1, NULL, NULL)")
        one = ExpressionWorld.of(DuckDBUnderTest(), rows, folder / "duckdb", ["t2"])
        return one, ExpressionWorld.of(other, rows, folder / other.name, ["t2"])


def _compare(worlds: tuple[ExpressionWorld, ExpressionWorld], texts: Sequence[str]) -> None:
    for start in range(0, len(texts), 8):
        items = [_typed(text) for text in texts[start : start + 8]]
        one, other = (world.values(items, _TABLE) for world in worlds)
        for text, item, first, second in zip(texts[start:], items, one, other, strict=False):
            assert first == second, text
            if item.kind is Kind.TEXT:
                assert all(len(value) <= item.longest for value in second if isinstance(value, str)), text


_LIKES = [f"note {word} '{pattern}'" for word in ("LIKE", "NOT ILIKE") for pattern in _PATTERNS]
_LIKES += ["note LIKE '%!%%a%' ESCAPE '!'", "LENGTH(note)", "LENGTH(CONCAT(note, note, 'x'))"]


@pytest.mark.parametrize("step", [25, pytest.param(1, marks=pytest.mark.long)])
def test_postgresql_has_the_same_short_texts(
    postgres: PostgresUnderTest, tmp_path_factory: pytest.TempPathFactory, step: int
) -> None:
    _compare(_worlds(postgres, tmp_path_factory), [*EXPRESSIONS[::step], WIDEST, *_LIKES[:: min(step, 5)]])


def test_spark_has_the_same_short_texts(spark: SparkUnderTest, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Before, a text of ten thousand digits in groups overflowed the stack of Java, and Spark was gone for good."""
    _compare(_worlds(spark, tmp_path_factory), [*EXPRESSIONS[::9], WIDEST, *_LIKES[::2], *_LIKES[-3:], *_CASTS])
    assert max(map(len, _NUMBERS)) < LONGEST
