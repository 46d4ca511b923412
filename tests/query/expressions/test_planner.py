"""DuckDB's planning from constants and statistics never decides whether a statement has an answer.

Here a statement is run once and with the optimizer, as a session's second attempt without it would hide what fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
import sqlglot
from tests.query.expressions.typed_law import faults

from tacit.query.sql.expressions import NamedScope, read_column, type_expression
from tacit.query.sql.values.typed import Typed
from tacit.schema.description import Column
from tacit.schema.kind import Kind

_HALF = 2**62
_FAR = [
    f"GREATEST(LEAST(i, -{_HALF}), -{_HALF + 6}) + {_HALF} + {_HALF}",
    f"{_HALF} + ({_HALF} + GREATEST(LEAST(i, -{_HALF}), -{_HALF + 6}))",
    f"ROUND(GREATEST(LEAST(i, -{2**63 - 9}), -{2**63 - 1}) + {2**63 - 1}, -3)",
    "CAST(ROUND(LEAST(GREATEST(i, 0), 9), -15) AS DECIMAL(15, 5))",
    "LEAST(GREATEST(i, 0), 0) * 1000000000000 * 1000000000000",
    "1000000000000 * (1000000000000 * LEAST(GREATEST(i, 0), 0))",
    "ROUND(LEAST(GREATEST(i, 0), 9), -12) IN (-7, 0.000099999, NULL)",
]
_NEVER = "CASE WHEN i = 100 THEN 'x' END"
_TEXTS = [
    *(f"{side} {sign} {_NEVER}" for side in ("s", "'a'") for sign in ("=", "<>", "<", ">=", "IS DISTINCT FROM")),
    *(
        f"NULLIF('a', {_NEVER})",
        f"CASE {_NEVER} WHEN 'a' THEN 1 END",
        f"{_NEVER} IN ('a', 'b')",
        f"LEFT({_NEVER}, 3) = 'a'",
    ),
    *(
        "s = IF(i = 100, 'x', NULL)",
        "s = CASE WHEN i <> 100 THEN NULL ELSE 'x' END",
        "NULLIF('x', IF(i < 9, 'x', s)) = 'a'",
    ),
]


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """A file whose statistics say that i lies from 0 to 4."""
    file: Path = tmp_path_factory.mktemp("planner") / "t.parquet"
    with duckdb.connect() as opened:
        opened.execute(f"COPY (SELECT i::BIGINT AS i, i::VARCHAR AS s FROM range(5) r(i)) TO '{file}'")
        opened.execute(f"CREATE VIEW t AS FROM '{file}'")
        yield opened


def _typed(text: str) -> Typed:
    columns = (Column("i", Kind.INTEGER), "BIGINT"), (Column("s", Kind.TEXT), "VARCHAR")
    reads = {column.name: read_column(column, f'"t"."{column.name}"', kind) for column, kind in columns}
    return type_expression(sqlglot.parse_one(text, dialect="duckdb"), NamedScope(reads))


@pytest.mark.parametrize("text", [*_FAR, *_TEXTS])
def test_a_statement_can_be_planned(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    """R26: constants that add up to more than a type holds, and conditions that no row of the file fulfils."""
    typed = _typed(text)
    assert faults(connection, "t", [typed]) == []
    if typed.kind is Kind.BOOLEAN:
        connection.execute(f'SELECT count(*) FROM (SELECT {typed.sql} AS p FROM t) AS "q" WHERE "q"."p"').fetchall()


@pytest.mark.parametrize(
    "sql", [f"(i + {_HALF}::BIGINT) + {_HALF}::BIGINT", "(i * 1000000000000) * 1000000000000", f"s = ({_NEVER})"]
)
def test_the_planner_fails_on_plainer_forms(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Broken twins: what the rules would emit if they did not know."""
    with pytest.raises(duckdb.Error):
        connection.execute(f"SELECT {sql} FROM t WHERE i < 1").fetchall()
