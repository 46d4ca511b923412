"""Texts on PostgreSQL: doubles in the digits that Python and DuckDB give, and letters in the other case."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from random import Random

import duckdb
import psycopg
import pytest
from tests.engines.postgres_server import PostgresUnderTest

from tacit.query.engines.postgres.casts import written
from tacit.query.engines.postgres.functions import cased, lower_letter, upper_letter
from tacit.query.sql.dialects.sql_type import DOUBLE

_RANDOM = Random(5)
_HALFWAY = [  # odd numbers of 54 bits with many factors 5: times a power of two they are short, and between two doubles
    float(odd + side) * 2.0**power
    for power in range(1, 24)
    for odd in range(5**power, 2**54, max(1, (2**54 // 5**power) // 40) * 2 * 5**power)
    if odd > 2**53
    for side in (-1, 1)
]
_VALUES = [
    *(1e23, 2.0**64 / 1000, 1e16, 9999999999999998.0, 2.0**53, 2.0**54, 1e22, 5e-324, 0.0, -0.0, 0.1, 123.0, 1e-4),
    *(1.7976931348623157e308, math.nextafter(1e-4, 0), math.inf, -math.inf, math.nan),
    *(_RANDOM.choice([-1, 1]) * 2.0 ** _RANDOM.uniform(-1070, 1023) for _ in range(500)),
    *(float(_RANDOM.randrange(2**54, 2**63)) for _ in range(500)),
    *_HALFWAY,
]


def test_doubles_have_the_same_digits(postgres: PostgresUnderTest) -> None:
    with duckdb.connect() as plain, postgres.connect() as server:
        wanted = plain.execute("SELECT CAST(unnest(CAST(? AS DOUBLE[])) AS VARCHAR)", [_VALUES]).fetchall()
        assert _texts(server, written("x", DOUBLE)) == [text for (text,) in wanted]
        own = _texts(server, "x::text")
    longer = sum(len(mine) > len(text) for mine, (text,) in zip(own, wanted, strict=True) if "e" in text)
    assert longer > 100  # the server's own digits would be seen


def _texts(server: psycopg.Connection[tuple[object, ...]], sql: str) -> list[object]:
    found = server.execute(f"SELECT {sql} FROM unnest(%s::float8[]) AS x".encode(), [_VALUES])
    return [text for (text,) in found.fetchall()]


@pytest.mark.parametrize(("name", "function"), [("lower", lower_letter), ("upper", upper_letter)])
def test_every_letter_in_the_other_case(postgres: PostgresUnderTest, name: str, function: Callable[[str], str]) -> None:
    """All of them in one text, which takes time in proportion to its length; and none, and nothing."""
    letters = "".join(chr(code) for code in range(1, sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF)
    given = [letters, "", "Abc", None, "\u00c9", "Z\u00e9Z"]
    with postgres.connect() as server:
        sql = f"SELECT {cased(name, function, 'a')} FROM unnest(%s::text[]) WITH ORDINALITY AS t(a, n) ORDER BY n"
        found = [text for (text,) in server.execute(sql.encode(), [given]).fetchall()]
    assert found == [None if text is None else "".join(map(function, text)) for text in given]
