"""Arithmetic in doubles on PostgreSQL, which raises errors where IEEE arithmetic has values: all pairs of extremes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from random import Random

import numpy as np
import psycopg
import pytest
from tests.engines.postgres_server import PostgresUnderTest

from tacit.query.engines.expression_walk import TranslatedColumn, TranslatedRelation
from tacit.query.engines.postgres.dialect import Postgres
from tacit.query.engines.translation import translate
from tacit.query.sql.dialects.sql_type import DOUBLE, INTEGER

_TINIEST, _LARGEST = 5e-324, 1.7976931348623157e308
_EDGES = [
    *(0.0, 1.0, 0.5, 1.5, 2.5, 3.0, 0.1, 1 / 3, 1e15 + 0.5, 2.0**53 + 2, _TINIEST, 2.0**-1022, 2.0**-1021, _LARGEST),
    *(math.nextafter(1.0, 2), math.nextafter(1.0, 0), math.nextafter(_LARGEST, 0), math.nextafter(2.0**-1022, 0)),
    *(2.0**512, 2.0**-512, 2.0**-538, 2.0**-537, 1.3407807929942597e154, 1.3407807929942596e154, 1e-162, 2.3e-162),
    *(2.0**500, 2.0**-500, 2.0**540, 2.0**-540, 1e-308, 1e308, 1e300, 1e-300, 0.49999999999999994, math.inf, math.nan),
]
_SIGNED = [sign * value for value in _EDGES for sign in (1, -1)]
_RANDOM = Random(7)
_WILD = [_RANDOM.choice([-1, 1]) * 2.0 ** _RANDOM.uniform(-1070, 1023) for _ in range(40)]
_ROOTS = [sign * 2.0 ** (-1075 / n) * near for n in range(1, 17) for near in (0.99, 1.01, 8.0) for sign in (1, -1)]
VALUES = [*_SIGNED, *_WILD]
_COLUMNS = (TranslatedColumn("n", INTEGER), TranslatedColumn("a", DOUBLE), TranslatedColumn("b", DOUBLE))
_TABLES = {"pairs": TranslatedRelation("pairs", _COLUMNS), "singles": TranslatedRelation("singles", _COLUMNS)}
Connection = psycopg.Connection[tuple[object, ...]]


@pytest.fixture(scope="module")
def server(postgres: PostgresUnderTest) -> Iterator[Connection]:
    """A table of every pair of these doubles, NULL among them."""
    with postgres.connect() as connection:
        connection.execute("CREATE TABLE pairs (n serial, a float8, b float8)")
        with connection.cursor().copy("COPY pairs (a, b) FROM STDIN") as copy:
            for a in (*VALUES, None):
                for b in (*VALUES, None):
                    copy.write_row((a, b))
        connection.execute("CREATE TABLE singles AS SELECT min(n) AS n, a, NULL::float8 AS b FROM pairs GROUP BY a")
        with connection.cursor().copy("COPY singles (a) FROM STDIN") as copy:
            for a in _ROOTS:
                copy.write_row((a,))
        yield connection
        connection.execute("DROP TABLE pairs, singles")


def _found(server: Connection, expression: str, table: str) -> list[tuple[float | None, float | None, float | None]]:
    """The operands, and the value of an expression of them."""
    said = translate(f"SELECT a, b, {expression} AS v FROM {table}", _TABLES, Postgres()).sql
    return [(_double(a), _double(b), _double(value)) for a, b, value in server.execute(said).fetchall()]


def _double(value: object) -> float | None:
    assert value is None or isinstance(value, float)
    return value


def _bits(value: float | None) -> object:
    return None if value is None else "nan" if math.isnan(value) else value.hex()


@pytest.mark.parametrize(
    ("sign", "function"), [("+", np.add), ("-", np.subtract), ("*", np.multiply), ("/", np.divide)]
)
def test_every_pair_of_extremes(server: Connection, sign: str, function: np.ufunc) -> None:
    """R07, R26: the value of IEEE arithmetic to the last bit, and no error; a division by zero is NULL."""
    for a, b, value in _found(server, f"a {sign} b", "pairs"):
        if a is None or b is None or (sign == "/" and b == 0):
            assert value is None
            continue
        with np.errstate(all="ignore"):
            expected = float(function(np.float64(a), np.float64(b)))
        assert _bits(value) == _bits(expected), (a, b)


@pytest.mark.parametrize("constant", [0.5, 3.0, 1e-300, 1e300, 0.1, 1e-5, -7.0, -1e-310, 1.7976931348623157e308])
def test_every_extreme_beside_a_literal(server: Connection, constant: float) -> None:
    """R26: a planner calculates what is fixed before any row is read, and that must not fail either."""
    written = f"{constant!r}::DOUBLE" if constant > 0 else f"({constant!r})::DOUBLE"
    cases: list[tuple[str, Callable[[np.float64], np.float64]]] = [
        (f"a * {written}", lambda a: a * np.float64(constant)),
        (f"{written} * a", lambda a: a * np.float64(constant)),
        (f"a / {written}", lambda a: a / np.float64(constant)),
        (f"{written} / a", lambda a: np.float64(constant) / a),
        (f"a + {written}", lambda a: a + np.float64(constant)),
        (f"a * ({written} * {written})", lambda a: a * (np.float64(constant) * np.float64(constant))),
        (f"a / exp({written})", lambda a: a / np.exp(np.float64(constant))),
    ]
    for text, function in cases:
        for a, _, value in _found(server, text, "singles"):
            if a is None or (text.endswith("/ a") and a == 0):
                assert value is None
                continue
            with np.errstate(all="ignore"):
                expected = float(function(np.float64(a)))
            if "exp" in text:
                assert value is None or np.isclose(value, expected, rtol=1e-12, atol=0, equal_nan=True)
            else:
                assert _bits(value) == _bits(expected), (text, a)


_NEAR = "(CASE WHEN a = 1 THEN 1.5e0 ELSE 3e0 END - CASE WHEN a = 1 THEN 1.4999999999999998e0 ELSE 1e0 END)"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (f"{_NEAR} * " * 21 + "1e0", 0.0),
        (f"{_NEAR} * 1e-300 * {_NEAR}", 0.0),
        ("1e300 / " + f"{_NEAR}", math.inf),
        ("CAST(CASE WHEN a = 1 THEN 1.5e0 ELSE 1e0 END AS BIGINT) * 7e153 * 7e153 * 2e0", math.inf),
        ("CAST(CASE WHEN a = 1 THEN 0.5e0 ELSE 1e-1 END AS DECIMAL(5, 0)) * 1.5e154 * 1.5e154", math.inf),
    ],
)
def test_what_all_but_cancels_out(server: Connection, expression: str, expected: float) -> None:
    """R26: what is small or rounded on one row alone neither vanishes nor overflows into an error."""
    values = {value for a, _, value in _found(server, expression, "singles") if a == 1}
    assert values == {expected}


@pytest.mark.parametrize("constant", ["1e-300", "5e-324", "1e300", "-0e0"])
@pytest.mark.parametrize("sign", ["+", "-", "*", "/"])
def test_every_extreme_beside_a_constant_of_a_sub_query(server: Connection, constant: str, sign: str) -> None:
    """R26: a planner puts it in place of its name, and calculates with it before any row is read."""
    named = f"(SELECT a, {constant} AS c FROM singles) AS q"
    grouped = f"(SELECT a, {constant} AS c FROM singles GROUP BY a) AS q"
    for source in (named, grouped):
        for text in (f"a {sign} c", f"c {sign} a", f"c {sign} c"):
            said = translate(f"SELECT {text} AS v FROM {source} WHERE {text} > 0", _TABLES, Postgres()).sql
            server.execute(said).fetchall()


def _power(value: float, exponent: int) -> float:
    """The library's, which DuckDB calls too."""
    try:
        return math.pow(value, exponent)
    except OverflowError:
        return math.copysign(math.inf, value if exponent % 2 else 1.0)


@pytest.mark.parametrize("exponent", range(17))
def test_every_power_of_an_extreme(server: Connection, exponent: int) -> None:
    """R26: no error, and the library's own value; to one unit in the last place where it lies below the normal doubles.

    The values around the roots of the least doubles are among them.
    """
    for a, _, value in _found(server, f"power(a, {exponent})", "singles"):
        if a is None:
            assert value is None
            continue
        assert value is not None
        expected = _power(a, exponent)
        is_small = 0 < abs(expected) < 2.0**-1021
        assert _bits(value) == _bits(expected) or (is_small and abs(value - expected) <= _TINIEST), a


def test_an_unguarded_product_fails(server: Connection) -> None:
    """The twin without its guard: PostgreSQL's own * does raise errors on these pairs."""
    with pytest.raises(psycopg.errors.NumericValueOutOfRange):
        server.execute("SELECT count(a * b) FROM pairs")
