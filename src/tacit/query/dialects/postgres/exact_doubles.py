"""Between doubles and numerics, bit by bit as DuckDB does it.

PostgreSQL's own casts keep 15 digits one way, and round otherwise the other way.
"""

from __future__ import annotations

from tacit.query.dialects.postgres.literals import double
from tacit.query.dialects.sql_type import SqlType

_WORD = 2**64
_SIGNED = 2**63
_EXACT = 2**53


def huge_to_double(a: str) -> str:
    """An integer of up to 128 bits: its upper and lower 64 bits, each rounded, then their sum rounded."""
    upper = f"(div({a} + {_SIGNED * _WORD}::numeric, {_WORD}::numeric) - {_SIGNED}::numeric)"  # a quotient is rounded
    lower = f"({a} - {upper} * {_WORD}::numeric)"
    return (
        f"(CASE WHEN {a} BETWEEN {-_EXACT} AND {_SIGNED - 1} THEN {a}::bigint::float8 "
        f"WHEN {a} BETWEEN {-_WORD} AND -1 THEN -((-{a} - 1)::float8) - 1::float8 "
        f"ELSE {lower}::float8 + {upper}::float8 * {double(float(_WORD))} END)"
    )


def decimal_to_double(a: str, kind: SqlType) -> str:
    """A decimal: the nearest double, as PostgreSQL has it too, unless it is whole, which DuckDB reads as an integer."""
    return huge_to_double(a) if kind.scale == 0 else f"{a}::float8"


def double_to_numeric(a: str, is_try: bool) -> str:
    """A double to the nearest integer, halves to the even one, as a numeric with all its digits; |a| < 2^127."""
    word = f"{a}::bigint::numeric"
    high = f"trunc({a} / {double(2.0**64)})"
    rest = f"({a} - {high} * {double(2.0**64)})"
    middle = f"trunc({rest} / {double(2.0**32)})"
    last = f"({rest} - {middle} * {double(2.0**32)})"
    wide = f"{high}::bigint::numeric * {_WORD} + {middle}::bigint::numeric * {2**32} + {last}::bigint::numeric"
    inner = f"CASE WHEN abs({a}) < {double(2.0**63)} THEN {word} ELSE {wide} END"
    if not is_try:
        return f"({inner})"
    return f"(CASE WHEN abs({a}) < {double(2.0**127)} THEN {inner} END)"
