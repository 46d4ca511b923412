"""The first line: believed bounds and total forms, on the expressions by which they were once broken."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import duckdb
import pytest
import sqlglot
from tests.query.expressions.typed_law import faults

from tacit.errors import Refused
from tacit.query.sql.expressions import NamedScope, read_column, type_expression
from tacit.query.sql.values.typed import Typed
from tacit.schema.description import Column
from tacit.schema.kind import Kind

_SCOPE = NamedScope(
    {
        "w": read_column(Column("w", Kind.INTEGER, Fraction(0), Fraction(2)), '"w"', "BIGINT"),
        "t": read_column(Column("t", Kind.TEXT), '"t"', "VARCHAR"),
        "n": read_column(Column("n", Kind.INTEGER, Fraction(0), Fraction(2**53)), '"n"', "BIGINT"),
    }
)
_BACK = "TIMESTAMP '2024-12-30 23:59:59' WHEN w = 2 THEN TIMESTAMP '2024-12-30' ELSE TIMESTAMP '2024-12-31' END"


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        texts = [
            "9",
            "-9",
            "900000000000000",
            "99999999999999999999999999",
            "0.9999999999",
            "1e17",
            "-1e300",
            "nan",
            "x",
        ]
        opened.execute("CREATE TABLE p (w BIGINT, t VARCHAR, n BIGINT)")
        opened.executemany("INSERT INTO p VALUES (?, ?, ?)", [(n % 3, text, 2**53 - n) for n, text in enumerate(texts)])
        yield opened


def _typed(text: str) -> Typed:
    return type_expression(sqlglot.parse_one(text, dialect="duckdb"), _SCOPE)


@pytest.mark.parametrize(
    "text",
    [
        f"date_diff('second', TIMESTAMP '2024-11-30', CASE WHEN w = 1 THEN {_BACK} - INTERVAL 1 MONTH)",
        "GREATEST(CAST(CASE WHEN w = 1 THEN 1e17 ELSE 0e0 END AS DECIMAL(28, 9)) - 100000000000000000, 0)",
        "CAST(CASE WHEN w = 1 THEN 9e14 ELSE 1e0 END AS DECIMAL(18, 3)) > 0",
        "CAST(t AS DECIMAL)",
        *(
            f"CAST(t AS DECIMAL({width}, {scale}))"
            for width, scale in ((18, 3), (18, 9), (10, 9), (28, 9), (37, 0), (1, 1))
        ),
        "CAST(CAST(t AS DOUBLE) AS DECIMAL(18, 9))",
        "CAST(w * 1e14 AS DECIMAL(18, 9))",
        "FLOOR(LEAST(w / 1e0, 0.9999999999999999))",
        "WIDTH_BUCKET(n, 0e0, 9007199254740993, 10)",
    ],
)
def test_values_lie_within_their_bounds_and_nothing_fails(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    """R07, R16: a month back is not monotone; 1e17 is more as a decimal; 64 bits overflow on the way."""
    assert faults(connection, "p", [_typed(text)]) == []


def test_bounds_of_a_month_back_are_exact() -> None:
    """No wider than the values: midnight of the 31st goes to the least, the second before it to the greatest."""
    moved = _typed(f"CASE WHEN w = 1 THEN {_BACK} - INTERVAL 1 MONTH")
    assert moved.low is not None
    assert moved.high is not None
    assert moved.high - moved.low == 86_400 * 10**6 - 1


@pytest.mark.parametrize(
    ("text", "value"), [("1e-999999999", 0.0), ("1.5e-400", 0.0), (f"0.{'3' * 4000}", 1 / 3), ("2e-5", 2e-5)]
)
def test_a_tiny_literal_is_its_nearest_double_at_once(text: str, value: float) -> None:
    """No fraction of a billion digits is made of it."""
    assert _typed(text).low == Fraction(value)


@pytest.mark.parametrize("text", ["1e999999999", "1e38", "9" * 9999, f"{10**33}.12345", "1e99999999999999999999"])
def test_a_vast_literal_is_refused_at_once(text: str) -> None:
    with pytest.raises(Refused):
        _typed(text)


@pytest.mark.parametrize(
    ("text", "value"), [("12", "12"), ("0.50", "1/2"), ("1_000", "1000"), (".5", "1/2"), ("5.", "5")]
)
def test_a_plain_literal_is_exact(text: str, value: str) -> None:
    assert _typed(text).low == Fraction(value)


_MANTISSAS = ("1", "9.99", "999999999", "0.0001", "-9.5", "9.99999999999999999999", "-1_0", "99.5")


def test_a_written_number_of_too_many_digits_is_no_decimal(connection: duckdb.DuckDBPyConnection) -> None:
    """R16: DuckDB lets '9.99e6' be a DECIMAL(5, 0), with seven digits; every width and scale, every exponent."""
    texts = [f"{mantissa}e{exponent}" for mantissa in _MANTISSAS for exponent in range(-12, 45)]
    connection.execute("CREATE OR REPLACE TABLE written AS SELECT unnest(?) AS t", [texts])
    shapes = [(width, scale) for width in range(1, 37) for scale in range(min(9, width, 37 - width) + 1)]
    casts = [_typed(f"CAST(t AS DECIMAL({width}, {scale}))") for width, scale in shapes]
    assert faults(connection, "written", casts) == []
    plain = connection.execute("SELECT max(TRY_CAST(t AS DECIMAL(5, 0))) FROM written").fetchall()
    assert plain[0][0] > 99_999  # the broken twin
