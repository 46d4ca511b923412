"""Casts in PostgreSQL, by source and target type.

Casts between doubles and numerics are exact to the bit, as in DuckDB: PostgreSQL's own casts keep 15 digits in one
direction and round differently in the other. Casts to text write each value exactly as DuckDB does.
"""

from __future__ import annotations

from tacit.errors import Refused
from tacit.query.engines.postgres.doubles import half_away
from tacit.query.engines.postgres.spelling import ENGINE, double, once, type_name
from tacit.query.sql.dialects.sql_type import BOOLEAN, DATE, DOUBLE, VARCHAR, SqlType, as_decimal
from tacit.query.sql.dialects.translator import Piece, cannot

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
    """A decimal: the nearest double, as in PostgreSQL, unless it is whole, which DuckDB converts as an integer."""
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


_PLAIN = frozenset(
    ["BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DECIMAL", "UUID", "TIME", "VARCHAR"]
)
_FEW_DIGITS = 2.0**54
_LARGEST = "1.7976931348623157e308::numeric"


def written(a: str, kind: SqlType) -> str:
    """The text of a value, in collation "C"."""
    return f'({_plain_text(a, kind)} COLLATE "C")'


def _plain_text(a: str, kind: SqlType) -> str:
    if kind.name in _PLAIN:
        return f"{a}::text"
    if kind.is_float:
        return _float(a, kind)
    if kind.is_time or kind.is_zoned:
        return _time(a, kind)
    raise cannot(ENGINE, f"{kind} as a text", "a column of another type, or leave it out.")


def _float(a: str, kind: SqlType) -> str:
    """The shortest digits that mean the number, with a point, and an exponent from 1e16 on and below 1e-4.

    In single precision DuckDB writes some numbers (one in three hundred) with more digits than these.
    """
    large = f"WHEN abs({a}) >= {double(_FEW_DIGITS)} THEN {_large(a)} " if kind == DOUBLE else ""
    plain = f"({a}::text::numeric)::text"
    pointed = (
        f"CASE WHEN {a}::text = '-0' THEN '-0.0' WHEN strpos({plain}, '.') > 0 THEN {plain} ELSE {plain} || '.0' END"
    )
    return (
        f"(CASE WHEN {a} = 'NaN' THEN 'nan' WHEN {a} = 'Infinity' THEN 'inf' WHEN {a} = '-Infinity' THEN '-inf' "
        f"{large}WHEN {a} = 0 OR abs({a}::float8) BETWEEN {double(1e-4)} AND {double(9999999999999998.0)} "
        f"THEN {pointed} ELSE {a}::text END)"
    )


def _large(a: str) -> str:
    """The text of large doubles, where the midpoint of two neighbours may have fewer digits than either.

    Such a midpoint means the even neighbour, and DuckDB uses it; PostgreSQL takes digits from strictly inside. With
    every number of digits both neighbours are tried; more digits than PostgreSQL's own are never needed.
    """
    digits = f"abs({a})::text::numeric AS n"
    tried = "trunc(n, d - length(n::text)) + up * power(10::numeric, length(n::text) - d) AS c"
    means = f"CASE WHEN c <= {_LARGEST} THEN c::float8 = abs({a}) END"
    every = f"(SELECT {digits}) AS x, generate_series(1, 17) AS d, generate_series(0, 1) AS up"
    found = (
        f"SELECT trunc(c)::text AS t FROM (SELECT n, d, {tried} FROM {every}) AS y WHERE {means} "
        f"ORDER BY d, abs(c - n) LIMIT 1"
    )
    short = "rtrim(t, '0')"
    spread = f"left({short}, 1) || CASE WHEN length({short}) > 1 THEN '.' ELSE '' END || substr({short}, 2)"
    sign = f"CASE WHEN {a} < 0 THEN '-' ELSE '' END"
    return f"(SELECT {sign} || {spread} || 'e+' || (length(t) - 1) FROM ({found}) AS z)"


def _time(a: str, kind: SqlType) -> str:
    """ISO 8601; the era mark of years before 1 follows the day."""
    name = type_name(kind)
    first = f"'0001-01-01{'+00' if kind.is_zoned else ''}'::{name}"
    early = f"{a} < {first} AND {a} > '-infinity'::{name}"
    moved = f"regexp_replace({a}::text, '^([^ ]+)(.*) BC$', '\\1 (BC)\\2')"
    return f"(CASE WHEN {early} THEN {moved} ELSE {a}::text END)"


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
        raise _refused_text(target)
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
    if own.is_time and target.is_time and own != target:
        return once([value], _moment) if is_try and own == DATE else f"{value.sql}::{type_name(target)}"
    raise cannot(ENGINE, f"a cast of {own} to {target}", "a column of another type, or leave it out.")


def _refused_text(target: SqlType) -> Refused:
    return cannot(
        ENGINE,
        f"reading a text as {target}",
        "a column that has this type in the database: ALTER TABLE, or a materialized view with the cast.",
        "PostgreSQL reads texts as numbers and times by rules of its own, and raises an error where it cannot.",
    )


def _truth(a: str) -> str:
    """The texts that DuckDB reads as a truth value."""
    return f"(CASE WHEN lower({a}) IN {_TRUE} THEN TRUE WHEN lower({a}) IN {_FALSE} THEN FALSE END)"


def _exact(value: Piece, target: SqlType, is_try: bool) -> str:
    """Between integers and decimals: halves are rounded away from zero, as in DuckDB."""
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
    """Whether no value can be too large, by its type or its known range."""
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
    """A date beyond the last timestamp is after every timestamp, as in DuckDB's comparison of the two."""
    return f"(CASE WHEN {a} > '294247-01-10'::date THEN 'infinity'::timestamp ELSE {a}::timestamp END)"
