"""The second line without the first: columns have the worst values of their types, against all derived facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

import duckdb
import pytest
import sqlglot
from tests.fuzz.block import Block, make_block
from tests.fuzz.grammar import Grammar

from tacit.errors import Refused
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.sql.expressions import NamedScope, second_line, sql_type, type_expression

_TIMES = ("'infinity'", "'-infinity'", "'2024-01-31'")
WORST = {
    "BIGINT": ("9223372036854775807", "(-9223372036854775808)", "0", "-1", "3"),
    "HUGEINT": ("170141183460469231731687303715884105727", "-170141183460469231731687303715884105727 - 1", "0", "7"),
    "DOUBLE": ("'nan'", "'inf'", "'-inf'", "1.7976931348623157e308", "5e-324", "(-0.0)", "0.5", "(-1e19)"),
    "VARCHAR": ("''", "'x'", "repeat('é', 2000)", "'1e999'", "'9.9e20'", "'2024-01-31'", "chr(0)"),
    "BOOLEAN": ("TRUE", "FALSE"),
    "DATE": (*_TIMES, "'5881580-07-10'", "'5877642-06-25 (BC)'"),
    "TIMESTAMP": (*_TIMES, "'294247-01-10 04:00:54.775806'", "'290309-12-22 (BC) 00:00:00'"),
}
_BLOCKS, _ROWS = 10, 200


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with DuckDBEngine(threads=1).new_database() as opened:
        yield opened


def lies(connection: duckdb.DuckDBPyConnection, block: Block, worst: Mapping[str, Sequence[str]] = WORST) -> NamedScope:
    """The block's beliefs about a table of which none is true, NULLs among its values."""
    pieces = []
    for place, (name, typed) in enumerate(block.scope.columns.items()):
        kind = sql_type(typed)
        values = ", ".join(f"CAST({value} AS {kind})" for value in (*worst[kind], "NULL"))
        count = len(worst[kind]) + 1
        chosen = f"(row + (row // {count}) * {place * 7}) % {count} + 1"
        pieces.append(f'list_value({values})[CAST({chosen} AS BIGINT)] AS "{name}"')
    connection.execute(f"CREATE OR REPLACE TABLE t AS SELECT {', '.join(pieces)} FROM range({_ROWS}) r(row)")
    beliefs = block.scope.columns.items()
    return NamedScope({name: replace(typed, sql=f'"{name}"', nullable=False, keys=None) for name, typed in beliefs})


def _failing(connection: duckdb.DuckDBPyConnection, count: int) -> list[str]:
    """Of so many expressions, those that fail in one of the places where a statement has them."""
    random, found = Random(count), []
    for _ in range(_BLOCKS):
        block = make_block("t", random)
        scope, grammar = lies(connection, block), Grammar(block, random)
        for _ in range(count // _BLOCKS):
            text = grammar.expression()
            try:
                sql = type_expression(sqlglot.parse_one(text, dialect="duckdb"), scope).sql
            except Refused:
                continue
            try:
                connection.execute(f"SELECT {sql} AS k, COUNT(*), MAX({sql}) FROM t GROUP BY k").fetchall()
                connection.execute(f"SELECT COUNT(*) FROM t WHERE ({sql}) IS NOT NULL").fetchall()
            except duckdb.Error:
                found.append(text)
    return found


@pytest.mark.parametrize("count", [400, pytest.param(5_000, marks=pytest.mark.long)])
def test_no_row_fails_a_statement(
    connection: duckdb.DuckDBPyConnection, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R26: where a proof is wrong, TRY returns NULL."""
    monkeypatch.setattr(second_line, "IS_ON", True)
    assert _failing(connection, count) == []


def test_without_the_second_line_many_do(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above is not vacuous."""
    monkeypatch.setattr(second_line, "IS_ON", False)
    assert len(_failing(connection, 400)) > 20


def test_the_optimizer_would_undo_it(connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Common sub-expressions would be moved out of TRY, so the engine's setting is needed."""
    monkeypatch.setattr(second_line, "IS_ON", True)
    connection.execute("RESET disabled_optimizers")
    connection.execute("SET GLOBAL disabled_optimizers = ''")
    assert _failing(connection, 200) != []
