"""A double of the plan is the same double, to the bit, in every engine: written with an exponent, not as a decimal."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from contextlib import AbstractContextManager
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from random import Random

import duckdb
import pytest
import sqlglot
from tests.engines.engines import DuckDBUnderTest, EngineUnderTest
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.spark_server import SparkUnderTest

from tacit.query.engines.protocol import Session
from tacit.query.sql.expressions import NamedScope, read_column, type_expression
from tacit.query.sql.values.storage import double_sql
from tacit.schema.description import Column
from tacit.schema.kind import Kind
from tacit.schema.reader import read_description

_HEAD = '[dataset]\nname = "one"\nunit = { row = true, hides = "one" }\nbudget = { rho = 1, delta = 0.1 }'


def _doubles(count: int) -> list[float]:
    """Zeros, subnormals, powers of two with their neighbours, decimals of 16 and 17 digits, and any bits."""
    random = Random(6)
    powers = [2.0**power for power in (*range(-1074, 1024, 31), -1, 0, 1, 52, 53, 63)]
    near = [value for end in powers for value in (end, math.nextafter(end, 0), math.nextafter(end, math.inf))]
    digits = [float(f"0.{random.randrange(10**16, 10**17)}") for _ in range(count // 4)]
    digits += [float(f"{random.randrange(10**16)}.{random.randrange(10**4)}") for _ in range(count // 4)]
    sizes = [0.0, 0.9999999999999999, 0.1 + 0.2, 123456789.123456789, 5e-324, 1.7976931348623157e308, *near, *digits]
    bits = (struct.unpack("<d", random.randbytes(8))[0] for _ in range(2 * count))
    wild = [value for value in bits if math.isfinite(value)]
    return [*dict.fromkeys([*sizes[:6], *random.sample([*sizes, *wild], count)]), -0.0, -0.9999999999999999, -5e-324]


def _session(under_test: EngineUnderTest, folder: Path, table: str) -> AbstractContextManager[Session]:
    """A session of the engine over one table called "one", made by this SELECT."""
    with duckdb.connect() as rows:
        rows.execute(f"CREATE TABLE one AS {table}")
        sources = under_test.load(rows, ["one"], folder)
    file = folder / "one.toml"
    file.write_text(f'{_HEAD}\n[tables.one]\n{sources["one"]}\ncolumns = {{ n = {{ type = "int" }} }}')
    engine = under_test.engine()
    return engine.session(read_description(file, engine.public_values))


def _carried(under_test: EngineUnderTest, folder: Path, values: Sequence[float], together: int) -> list[float]:
    """What the engine makes of each literal, so many in one statement."""
    found: list[float] = []
    with _session(under_test, folder, "SELECT 1 AS n") as session:
        for start in range(0, len(values), together):
            part = values[start : start + together]
            listed = ", ".join(f"{double_sql(value)} AS v{place}" for place, value in enumerate(part))
            table = session.run(f'SELECT {listed} FROM "one"')
            found += [table.column(f"v{place}")[0].as_py() for place in range(len(part))]
    return found


def _bits(values: Sequence[float]) -> list[bytes]:
    return [struct.pack("<d", value) for value in values]


def test_duckdb_carries_every_double(tmp_path: Path) -> None:
    values = _doubles(3000)
    assert _bits(_carried(DuckDBUnderTest(), tmp_path, values, 1000)) == _bits(values)


def test_postgresql_carries_every_double(postgres: PostgresUnderTest, tmp_path: Path) -> None:
    values = _doubles(3000)
    assert _bits(_carried(postgres, tmp_path, values, 1000)) == _bits(values)


def test_spark_carries_every_double(spark: SparkUnderTest, tmp_path: Path) -> None:
    values = _doubles(400)
    assert _bits(_carried(spark, tmp_path, values, 100)) == _bits(values)


_SHAPES = ((16, 16), (18, 2), (18, 9), (19, 0), (28, 9), (37, 0), (38, 30))


def _converted(under_test: EngineUnderTest, folder: Path) -> list[list[float]]:
    """Decimals of several shapes as doubles."""
    random = Random(7)
    numbers = [[random.randrange(-(10**width) + 1, 10**width) for _ in range(300)] for width, _ in _SHAPES]
    texts = [
        [format(Decimal(number).scaleb(-scale, Context(prec=50)), "f") for number in listed]
        for listed, (_, scale) in zip(numbers, _SHAPES, strict=True)
    ]
    columns = ", ".join(
        f"CAST(list_value({', '.join(map(repr, listed))})[n] AS DECIMAL({width}, {scale})) AS d{place}"
        for place, (listed, (width, scale)) in enumerate(zip(texts, _SHAPES, strict=True))
    )
    wanted = ", ".join(f'TRY_CAST("one"."d{place}" AS DOUBLE) AS v{place}' for place in range(len(_SHAPES)))
    with _session(under_test, folder, f"SELECT n, {columns} FROM range(1, 301) r(n)") as session:
        table = session.run(f'SELECT "one"."n" AS n, {wanted} FROM "one"').sort_by("n")
    return [table.column(f"v{place}").to_pylist() for place in range(len(_SHAPES))]


def test_decimals_are_the_same_doubles_on_postgresql(postgres: PostgresUnderTest, tmp_path: Path) -> None:
    """R20: the nearest; of whole numbers beyond 64 bits DuckDB's, which is not always the nearest."""
    (tmp_path / "one").mkdir()
    assert _converted(DuckDBUnderTest(), tmp_path / "one") == _converted(postgres, tmp_path)


def test_decimals_are_the_same_doubles_on_spark(spark: SparkUnderTest, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    assert _converted(DuckDBUnderTest(), tmp_path / "one") == _converted(spark, tmp_path)


@pytest.mark.parametrize(
    "text", ["0.9999999999999999", "0.30000000000000004", "123456789012.12345678901", "1e23", "-0.1e0"]
)
def test_a_literal_of_the_query_is_the_double_that_the_plan_believes(text: str) -> None:
    """R16: FLOOR(LEAST(x, 0.9999999999999999)) is believed to be 0, and is."""
    read = read_column(Column("x", Kind.FLOAT), '"x"', "DOUBLE")
    typed = type_expression(
        sqlglot.parse_one(f"LEAST(GREATEST(x, {text}), {text})", dialect="duckdb"), NamedScope({"x": read})
    )
    assert (typed.low, typed.high) == (Fraction(float(text)), Fraction(float(text)))
    assert double_sql(float(text)) in typed.sql
    assert "e" in double_sql(float(text))
