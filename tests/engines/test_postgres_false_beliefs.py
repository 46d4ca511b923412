"""PostgreSQL's second line without the first: columns have the worst values, against all derived facts."""

from __future__ import annotations

from pathlib import Path
from random import Random

import duckdb
import pytest
import sqlglot
from tests.engines.postgres_server import PostgresUnderTest
from tests.fuzz.block import make_block
from tests.fuzz.grammar import Grammar
from tests.fuzz.test_false_beliefs import WORST, lies

from tacit.errors import Failed, Refused
from tacit.query.engines.postgres import engine as postgres_engine
from tacit.query.engines.postgres.engine import PostgresEngine
from tacit.query.sql.expressions import second_line, type_expression
from tacit.schema.description import Description
from tacit.schema.reader import read_description

_WORST = WORST | {
    "HUGEINT": ("99999999999999999999999999999999999999", "-99999999999999999999999999999999999999", "0", "7"),
    "VARCHAR": tuple(value for value in WORST["VARCHAR"] if "chr(0)" not in value),
    "DATE": ("'infinity'", "'-infinity'", "'2024-01-31'", "'5874897-12-31'", "'4713-01-01 (BC)'"),
    "TIMESTAMP": ("'infinity'", "'-infinity'", "'2024-01-31'", "'294246-12-31 23:59:59'", "'4713-01-01 (BC) 00:00:00'"),
}
"""The worst that PostgreSQL can hold."""

_HEAD = '[dataset]\nname = "liar"\nunit = { row = true, hides = "one" }\nbudget = { rho = 1, delta = 0.1 }\n'
_TOGETHER = 20


def _described(postgres: PostgresUnderTest, rows: duckdb.DuckDBPyConnection, folder: Path) -> Description:
    folder.mkdir()
    file = folder / "liar.toml"
    file.write_text(f"{_HEAD}[tables.t]\n{postgres.load(rows, ['t'], folder)['t']}\n")
    return read_description(file)


def _failures(postgres: PostgresUnderTest, folder: Path, count: int) -> tuple[int, list[str]]:
    """How many expressions were sent, each as a value, a key and a filter, and those that failed."""
    random, sent, found = Random(count), 0, []
    for place in range(count // _TOGETHER):
        block = make_block("t", random)
        with duckdb.connect() as rows:
            scope, grammar = lies(rows, block, _WORST), Grammar(block, random)
            described = _described(postgres, rows, folder / str(place))
        header = {"t": dict(PostgresEngine().header(described.sources[0].source))}
        for _ in range(_TOGETHER):
            text = grammar.expression()
            try:
                sql = type_expression(sqlglot.parse_one(text, dialect="duckdb"), scope).sql
            except Refused:
                continue
            grouped = f'SELECT {sql} AS k, COUNT(*) AS y FROM "t" GROUP BY k'
            try:
                PostgresEngine().said(grouped, header)
            except Refused:
                continue
            sent += 1
            try:
                with PostgresEngine().session(described) as session:
                    session.run(f"SELECT COUNT(*) AS y FROM ({grouped}) AS g")
                    session.run(f'SELECT COUNT(*) AS y FROM "t" WHERE ({sql}) IS NOT NULL')
            except Failed:
                found.append(text)
    return sent, found


@pytest.mark.parametrize("count", [100, pytest.param(400, marks=pytest.mark.long)])
def test_no_row_fails_a_statement(
    postgres: PostgresUnderTest, tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R26: where a proof is wrong, a function returns NULL."""
    for line in (second_line, postgres_engine):
        monkeypatch.setattr(line, "IS_ON", True)
    sent, found = _failures(postgres, tmp_path, count)
    assert found == []
    assert sent > 0.4 * count


def test_without_the_second_line_many_do(
    postgres: PostgresUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above is not vacuous."""
    monkeypatch.setattr(second_line, "IS_ON", True)
    sent, found = _failures(postgres, tmp_path, 100)
    assert len(found) > 0.05 * sent
