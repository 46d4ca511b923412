"""The engine's types of the columns as they lie in the files: which of them are integers, and how large."""

from __future__ import annotations

import re

_BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}
_INTEGERS = {name: (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for name, bits in _BITS.items()} | {
    "U" + name: (0, 2**bits - 1) for name, bits in _BITS.items()
}
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


def integer_range(physical: str | None) -> tuple[int, int] | None:
    """The least and the greatest value of an integer type; None for any other type."""
    return _INTEGERS.get(physical or "")


def decimal_shape(physical: str | None) -> tuple[int, int] | None:
    """The width and the scale of a DECIMAL; None for any other type."""
    match = _DECIMAL.fullmatch((physical or "").replace(" ", ""))
    return (int(match[1]), int(match[2])) if match else None


def is_float(physical: str | None) -> bool:
    """The type is a floating-point number."""
    return physical in ("DOUBLE", "FLOAT", "REAL")
