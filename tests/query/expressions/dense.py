"""Narrow ranges of awkward numbers and times, with values dense inside them, and expressions of one column x over them.

A bound that is derived from the ends of a range alone is wrong wherever the function is not monotone in between: so the
ranges begin and end at every awkward value, and contain all those between.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import combinations_with_replacement
from random import Random

import sqlglot

from tacit.errors import Refused
from tacit.query.sql.expressions import NamedScope, read_column, type_expression
from tacit.query.sql.values.storage import double_sql, integer_sql, literal_sql, number_of
from tacit.query.sql.values.typed import Typed
from tacit.schema.description import Column
from tacit.schema.kind import Kind

_TINIEST, _LARGEST = 5e-324, 1.7976931348623157e308
_CLOCK = (
    timedelta(0),
    timedelta(microseconds=1),
    timedelta(hours=12),
    timedelta(seconds=86_399),
    timedelta(days=1, microseconds=-1),
)
_ENDS_OF_MONTHS = ((1, 12), (1, 1), (1900, 2), (2000, 2), (2023, 1), (2024, 2), (2024, 11), (2024, 12), (9999, 12))
SHIFTS = [
    *(f"x + INTERVAL {months} MONTH" for months in (1, -1, 2, 3, -3, 11, -12, 13, 1200)),
    *("x - INTERVAL '1 month 1 second'", "x + INTERVAL '1 month 1 day'", "x + INTERVAL 1 YEAR", "x - INTERVAL 4 YEAR"),
    *("x - INTERVAL 86399 SECOND", "x + INTERVAL 1 WEEK", "x - INTERVAL 9999 YEAR", "x + INTERVAL 2 QUARTER"),
    "(x - INTERVAL 1 MONTH) + INTERVAL 1 MONTH",
]
TIMES = [
    *SHIFTS,
    *(f"date_trunc('{unit}', x)" for unit in ("year", "quarter", "month", "week", "day", "hour", "minute", "second")),
    *(
        f"date_part('{unit}', x)"
        for unit in ("year", "quarter", "month", "week", "day", "dow", "isodow", "doy", "hour")
    ),
    *(f"date_part('{unit}', x - INTERVAL 1 MONTH)" for unit in ("minute", "second", "year")),
    *(
        f"date_diff('{unit}', TIMESTAMP '2024-02-29 12:00:00', {moved})"
        for unit in ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
        for moved in ("x", "x - INTERVAL 1 MONTH")
    ),
    "date_diff('second', x, x + INTERVAL 1 MONTH)",
    "CAST(x AS DATE)",
    "CAST(x - INTERVAL 1 MONTH AS DATE)",
    "CAST(x AS DATE) - DATE '2024-02-29'",
    "GREATEST(LEAST(x, TIMESTAMP '2024-12-31'), TIMESTAMP '2024-01-31') - INTERVAL 1 MONTH",
]
FLOATS = [
    *(
        "-x",
        "abs(x)",
        "sign(x)",
        "sqrt(x)",
        "cbrt(x)",
        "ln(x)",
        "log10(x)",
        "log2(x)",
        "exp(x)",
        "floor(x)",
        "ceil(x)",
        "trunc(x)",
    ),
    *(f"power(x, {exponent})" for exponent in (0, 1, 2, 3, 16)),
    *(f"round(x, {digits})" for digits in (-15, -2, -1, 0, 1, 2, 9, 15)),
    *(f"CAST(x AS {kind})" for kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")),
    *("x + x", "x - x", "x * x", "x / 3", "3 / x", "x / x", "x + 0.1", "x * 0.1", "x * 0.9999999999999999", "1e0 - x"),
    *("LEAST(x, 0.9999999999999999)", "FLOOR(LEAST(x, 0.9999999999999999))", "GREATEST(x, 1)", "NULLIF(x, 0)"),
    *("WIDTH_BUCKET(x, 0, 1, 7)", "WIDTH_BUCKET(x, 0.1, 0.3e0, 3)", "WIDTH_BUCKET(x, 0, 9007199254740993, 10)"),
    *(
        "CASE WHEN x > 0.5 THEN x ELSE -x END",
        "COALESCE(x, 0)",
        "exp(ln(x))",
        "CAST(CAST(x AS DECIMAL(18, 3)) AS DOUBLE)",
    ),
]
INTEGERS = [
    *("-x", "abs(x)", "sign(x)", "x + x", "x - x", "x * x", "x + 1", "x * 3", "x // 7", "x % 7", "x // -1", "x % -1"),
    *(
        "7 // x",
        "7 % x",
        "x / 3",
        "3 / x",
        "x / x",
        "sqrt(x)",
        "ln(x)",
        "power(x, 3)",
        "x + 0.5",
        "x * 0.25",
        "x * 0.1e0",
    ),
    *(f"round(x, {digits})" for digits in (-15, -3, -1, 0, 2)),
    *(f"CAST(x AS {kind})" for kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DOUBLE", "BOOLEAN")),
    *(
        "FLOOR(x / 7)",
        "CEIL(x * 0.3)",
        "TRUNC(x / 3.5)",
        "LEAST(x, 5)",
        "GREATEST(x, -5)",
        "NULLIF(x, 1)",
        "COALESCE(x, 1)",
    ),
    *(
        "WIDTH_BUCKET(x, -10, 10, 7)",
        "WIDTH_BUCKET(x, 0e0, 9007199254740993, 10)",
        "CAST(CAST(x AS VARCHAR) AS BIGINT)",
    ),
]
HUGE = [  # x is an integer, and x * x needs 128 bits
    *(
        "(x * x) // 7",
        "(x * x) % 7",
        "-(x * x)",
        "abs(x * -x)",
        "x * x - x * x",
        "x * x + x",
        "sign(x * x)",
        "x * x / 3",
    ),
    *("3 / (x * x)", "sqrt(x * x)", "CAST(x * x AS DOUBLE)", "CAST(x * x AS BIGINT)", "CAST(x * x AS DECIMAL(37, 0))"),
    *("round(x * x, -3)", "LEAST(x * x, 100)", "GREATEST(x * -x, -100)", "CAST(x * x AS VARCHAR)", "7 // (x * x)"),
    *("CAST(x * x AS DOUBLE) - x * 1e0 * x", "COALESCE(x * x, 0) % 1000", "(x * x) // (x * x)", "(x * x) % x"),
]
CENTS = [  # x is a decimal of two digits after the point
    *(
        "-x",
        "abs(x)",
        "sign(x)",
        "x + x",
        "x - 0.5",
        "x * x",
        "x * 0.125",
        "x % 0.07",
        "x % 7",
        "x / 3",
        "3 / x",
        "x / x",
    ),
    *("floor(x)", "ceil(x)", "trunc(x)", "sqrt(x)", "ln(x)", "power(x, 2)", "CAST(x AS DOUBLE)", "CAST(x AS VARCHAR)"),
    *(f"round(x, {digits})" for digits in (-3, -1, 0, 1, 2, 5)),
    *(f"CAST(x AS {kind})" for kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")),
    *("CAST(x AS DECIMAL(4, 1))", "CAST(x AS DECIMAL(18, 9))", "CAST(x AS DECIMAL(28, 9))", "CAST(x AS DECIMAL(3, 3))"),
    *("LEAST(x, 0.05)", "GREATEST(x, 1e0)", "NULLIF(x, 0.01)", "x > 0.005", "COALESCE(x, 1)", "x * 1e-1", "x + 0.1e0"),
    *("WIDTH_BUCKET(x, 0, 1, 7)", "WIDTH_BUCKET(x, 0.01, 0.3e0, 3)", "WIDTH_BUCKET(x, -5.5, 100, 13)"),
]
DECIMALS = [f"CAST(x AS DECIMAL({width}, {scale}))" for width in range(1, 38) for scale in range(min(10, width + 1))]


def typed(text: str, column: Column, physical: str) -> Typed | None:
    """The expression over the column x; None if it is refused."""
    scope = NamedScope({"x": read_column(column, '"x"', physical)})
    try:
        return type_expression(sqlglot.parse_one(text, dialect="duckdb"), scope)
    except Refused:
        return None


def moments() -> Iterator[list[datetime]]:
    """The last and first days of a month, hour by hour where it matters: one list for each month."""
    for year, month in _ENDS_OF_MONTHS:
        first = datetime(year, month, 27)
        count = 5 if (year, month) == (9999, 12) else 6
        yield [first + timedelta(days=day) + clock for day in range(count) for clock in _CLOCK]
    yield [datetime(1, 1, 1) + timedelta(days=day) + clock for day in range(4) for clock in _CLOCK]


def days() -> Iterator[list[date]]:
    """The same as dates."""
    for listed in moments():
        yield sorted({moment.date() for moment in listed})


def floats() -> list[float]:
    """Zeros, the least and the largest doubles, powers of two and ten with their neighbours, halves, and some more."""
    random = Random(13)
    powers = [
        2.0**power for power in (-1074, -1022, -60, -30, -3, -1, 0, 1, 2, 10, 31, 52, 53, 62, 63, 64, 100, 126, 127)
    ]
    tens = [10.0**power for power in (-9, -3, -1, 1, 3, 9, 14, 15, 16, 17, 18, 19, 22, 28, 30, 37, 38, 100)]
    others = [
        0.1,
        0.3,
        0.5,
        1.5,
        2.5,
        0.005,
        1.005,
        99.995,
        123456.5,
        9e14,
        4503599627370497.5,
        0.9999999999999999,
        709.7,
        _LARGEST,
    ]
    near = [
        value
        for end in (*powers, *tens, *others)
        for value in (end, math.nextafter(end, 0), math.nextafter(end, math.inf))
    ]
    wild = [random.uniform(0.5, 1) * 2.0 ** random.randrange(-40, 130) for _ in range(60)]
    sizes = [0.0, *(value for value in (*near, *wild) if value <= _LARGEST)]
    return sorted({*sizes, *(-value for value in sizes)})


def integers() -> list[int]:
    """Small ones, powers of two and of ten with their neighbours, up to the ends of 64 bits."""
    sizes = [*range(12), *(2**power + step for power in (7, 15, 31, 53, 62, 63) for step in (-1, 0, 1))]
    sizes += [10**power + step for power in (2, 9, 17, 18) for step in (-1, 0, 5)]
    return sorted({value for size in sizes for value in (size, -size) if -(2**63) <= value < 2**63})


def ranges(listed: Sequence[float], count: int, seed: int = 1) -> list[tuple[float, float]]:
    """Ranges from one listed value to another: neighbours, the whole, and some that are drawn."""
    pairs = list(combinations_with_replacement(range(len(listed)), 2))
    chosen = [pair for pair in pairs if pair[1] - pair[0] <= 2] + Random(seed).sample(pairs, min(count, len(pairs)))
    return [(listed[low], listed[high]) for low, high in dict.fromkeys([(0, len(listed) - 1), *chosen])]


def literal(value: object) -> str:
    """A value as it is put into a table."""
    if isinstance(value, float):
        return double_sql(value)
    if isinstance(value, int):
        return integer_sql(value)
    assert isinstance(value, (date, datetime))
    return literal_sql(value)


def column(kind: Kind, low: object, high: object, scale: int = 0) -> Column:
    """The column x, declared within [low, high]; of a decimal these count its steps."""
    ends = [Fraction(end) / 10**scale if isinstance(end, (int, float)) else _number(end) for end in (low, high)]
    return Column("x", kind, *ends, scale=scale)


def _number(end: object) -> Fraction:
    assert isinstance(end, date)
    return number_of(end)
