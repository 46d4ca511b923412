"""Column types of a file's header, in DuckDB's terms: the kind of each, and the kinds it can be read as."""

from __future__ import annotations

import re

from tacit.schema.kind import Kind

_OF_HEADER = {name: kind for kind in Kind for name in kind.traits.headers}
_DECIMAL = re.compile(r"DECIMAL\(\s*\d+\s*,\s*(\d+)\s*\)")
_NOTHING = frozenset(["NULL", '"NULL"'])  # a column without values
_WHATEVER_IT_HOLDS = _NOTHING | _OF_HEADER.keys() | {"BLOB", "JSON"}
_MOST_DIGITS = 9


def base_type(engine_type: str) -> str:
    """The type without its brackets: those of an enumeration contain values, which must not be shown."""
    name = engine_type.strip().upper()
    if name.endswith("]"):
        return "LIST"
    return name.split("(", 1)[0].strip()


def natural_kind(engine_type: str) -> tuple[Kind, int] | None:
    """The kind, and the digits after the point, of a column of this type; None if Tacit has no kind for it."""
    kind = _OF_HEADER.get(base_type(engine_type))
    if kind is Kind.DECIMAL:
        return _decimal(engine_type)
    return None if kind is None else (kind, 0)


def is_whole(engine_type: str) -> bool:
    """Whether a column of this type holds only whole numbers, each with one spelling."""
    return base_type(engine_type) in Kind.INTEGER.traits.headers


def can_identify(engine_type: str) -> bool:
    """Whether values of this type can identify units: whole numbers and texts, which are equal if their texts are."""
    base = base_type(engine_type)
    if base == "DECIMAL":
        return _decimal(engine_type) == (Kind.INTEGER, 0)
    return base in Kind.INTEGER.traits.headers or base in Kind.TEXT.traits.headers or base in _NOTHING


def _decimal(engine_type: str) -> tuple[Kind, int]:
    found = _DECIMAL.fullmatch(engine_type.strip().upper())
    digits = int(found[1]) if found else 3  # DuckDB's own DECIMAL is (18, 3)
    if digits == 0:
        return Kind.INTEGER, 0
    return (Kind.DECIMAL, digits) if digits <= _MOST_DIGITS else (Kind.FLOAT, 0)


def can_be_read(engine_type: str, kind: Kind) -> bool:
    """Whether a value of this type, other than NULL, can be read as the kind; a text can spell a value of any kind."""
    base = base_type(engine_type)
    if kind is Kind.TEXT or base in ("VARCHAR", "ENUM") or base in _NOTHING:
        return True
    own = _OF_HEADER.get(base)
    return own is not None and (own.is_time if kind.is_time else own.is_number or own is Kind.BOOLEAN)


def is_read_without_fail(engine_type: str) -> bool:
    """Whether DuckDB can read a Parquet column of this type for any octets in it.

    A time beyond a day, also one inside a list or a structure, makes DuckDB's reader fail, and with it the query.
    """
    return base_type(engine_type) in _WHATEVER_IT_HOLDS
