"""Casts in PostgreSQL's words: by the type that a value has and the one it gets."""

from __future__ import annotations

from tacit.errors import Refused
from tacit.query.dialects.dialect import cannot
from tacit.query.dialects.piece import Piece
from tacit.query.dialects.postgres.doubles import half_away
from tacit.query.dialects.postgres.exact_doubles import decimal_to_double, double_to_numeric, huge_to_double
from tacit.query.dialects.postgres.literals import ENGINE, double, type_name
from tacit.query.dialects.postgres.once import once
from tacit.query.dialects.postgres.written import written
from tacit.query.dialects.sql_type import BOOLEAN, DATE, DOUBLE, TIMESTAMP, VARCHAR, SqlType, as_decimal

_BITS = {"TINYINT": 7, "SMALLINT": 15, "INTEGER": 31, "BIGINT": 63, "HUGEINT": 127}
_TRUE, _FALSE = "('true', 't', 'yes', 'y', '1')", "('false', 'f', 'no', 'n', '0')"


def cast(value: Piece, target: SqlType, is_try: bool) -> str:
    """The value as another type."""
    own = value.type
    if target == VARCHAR:
        return once([value], lambda a: written(a, own))
    if own == VARCHAR:
        if target == BOOLEAN:
            return once([value], _truth)
        raise _text(target)
    if own == BOOLEAN and target.is_number:
        return f"{value.sql}::integer::{type_name(target)}"
    if own.is_number and target == BOOLEAN:
        return f"({value.sql} <> 0)"
    if own.is_exact and target.is_exact:
        return _exact(value, target, is_try)
    if own.is_number and target == DOUBLE:
        return _to_double(value)
    if own == DOUBLE and target.is_integer:
        return _whole(value, target, is_try)
    if own == DOUBLE and target.name == "DECIMAL":
        return once([value], lambda a: _rounded(a, target))
    if own.name == "FLOAT" and target.is_exact:
        return cast(Piece(f"{value.sql}::float8", DOUBLE), target, is_try)
    if (own, target) == (DATE, TIMESTAMP):
        return once([value], _moment) if is_try else f"{value.sql}::timestamp"
    if (own, target) == (TIMESTAMP, DATE):
        return f"{value.sql}::date"
    raise cannot(ENGINE, f"a cast of {own} to {target}", "a column of another type, or leave it out.")


def _text(target: SqlType) -> Refused:
    return cannot(
        ENGINE,
        f"reading a text as {target}",
        "a column that has this type in the database: ALTER TABLE, or a materialized view with the cast.",
        "PostgreSQL reads texts as numbers and times by rules of its own, and raises an error where it cannot.",
    )


def _truth(a: str) -> str:
    """The words that DuckDB takes for a truth value."""
    return f"(CASE WHEN lower({a}) IN {_TRUE} THEN TRUE WHEN lower({a}) IN {_FALSE} THEN FALSE END)"


def _exact(value: Piece, target: SqlType, is_try: bool) -> str:
    """Between integers and decimals: halves go away from zero, as in DuckDB."""
    own, name = value.type, type_name(target)
    wide = as_decimal(target)
    rounds = as_decimal(own).scale > wide.scale
    if target.name == "DECIMAL":
        scaled = f"round({value.sql}::numeric, {wide.scale})" if wide.scale != as_decimal(own).scale else value.sql
        scaled = scaled if own.name in ("DECIMAL", "HUGEINT") or rounds else f"{scaled}::numeric"
    else:
        is_plain = not is_try or _fits(value, target)  # a cast to an integer rounds by itself
        scaled = f"round({value.sql})" if rounds and not is_plain else value.sql
    if not is_try or _fits(value, target):
        return scaled if type_name(own) == name == "numeric" else f"{scaled}::{name}"
    return once(
        [Piece(scaled, own, fixed=value.fixed)], lambda a: f"(CASE WHEN {_holds(a, target)} THEN {a}::{name} END)"
    )


def _fits(value: Piece, target: SqlType) -> bool:
    """Whether no value can be too large, by its type or by what is known of it."""
    if target.is_integer and value.type.is_integer and _BITS[value.type.name] <= _BITS[target.name]:
        return True
    wide = as_decimal(target)
    most = 2.0 ** _BITS[target.name] if target.is_integer else 10.0 ** (wide.width - wide.scale)
    return value.reach.most < most * 0.999 - 1


def _holds(a: str, target: SqlType) -> str:
    if target.name == "DECIMAL":
        most = f"{10 ** (target.width - target.scale)}::numeric"
        return f"{a} > -{most} AND {a} < {most}"
    bits = _BITS[target.name]
    return f"{a} BETWEEN {-(2**bits)} AND {2**bits - 1}"


def _to_double(value: Piece) -> str:
    if value.type.name == "HUGEINT":
        return once([value], huge_to_double)
    if value.type.name == "DECIMAL":
        return once([value], lambda a: decimal_to_double(a, value.type))
    return f"{value.sql}::float8"


def _whole(value: Piece, target: SqlType, is_try: bool) -> str:
    """A double to the nearest integer, halves to the even one, as DuckDB and PostgreSQL both do it."""
    if target.name == "HUGEINT":
        return once([value], lambda a: double_to_numeric(a, is_try))
    name = type_name(target)
    if not is_try:
        return f"{value.sql}::{name}"
    bits = _BITS[target.name]
    low, high = (-(2.0**bits), 2.0**bits) if bits == 63 else (-(2.0**bits) - 0.5, 2.0**bits - 0.5)
    return once([value], lambda a: f"(CASE WHEN {a} >= {double(low)} AND {a} < {double(high)} THEN {a}::{name} END)")


def _rounded(a: str, target: SqlType) -> str:
    """A double to a decimal: times its power of ten, rounded with halves away from zero; NULL where it is too wide."""
    power, limit = float(10**target.scale), float(10**target.width)  # 10.0**23 is another double
    scaled = f"({a} * {double(power)})" if target.scale else a
    digits = double_to_numeric(half_away(scaled), is_try=False)
    small = f"abs({a}) < {double(limit / power * 1.01)}"
    unit = f"0.{'0' * (target.scale - 1)}1::numeric" if target.scale else "1::numeric"
    inner = f"CASE WHEN abs({half_away(scaled)}) < {double(limit)} THEN {digits} * {unit} END"
    return f"(CASE WHEN {small} THEN {inner} END)"


def _moment(a: str) -> str:
    """A date beyond the last moment is after every moment, as it is where DuckDB compares the two."""
    return f"(CASE WHEN {a} > '294247-01-10'::date THEN 'infinity'::timestamp ELSE {a}::timestamp END)"
