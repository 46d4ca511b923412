"""The enforcing read: a column becomes an expression whose SQL enforces everything declared about it.

For any content of the file, the value read is of the declared kind, within the bounds and among the keys, or NULL; it
is never NULL if the column was declared so. No declaration is trusted. Dates and timestamps always lie within the years
1 to 9999.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from tacit.query.sql.values.domains import cut, cut_where_read
from tacit.query.sql.values.number_reader import read_float, read_integer
from tacit.query.sql.values.storage import double_sql, integer_sql, literal_sql, number_of, sql_type, time_of
from tacit.query.sql.values.typed import LONGEST, Typed
from tacit.schema.description import Column
from tacit.schema.kind import TIMES, ZONED, ZONED_NANOSECONDS, Key, Kind


def read_time(column: Column, reference: str, physical: str | None) -> Typed:
    """A DATE or a TIMESTAMP without a zone; one with a zone is read as the time in UTC."""
    name = column.kind.traits.sql
    first, last = (Fraction(limit) for limit in column.kind.time_scale.limits)
    low = first if column.low is None else max(first, column.low)
    high = last if column.high is None else min(last, column.high)
    value, is_read = reference, physical == name
    if physical == ZONED_NANOSECONDS:  # DuckDB has no such cast
        value, physical = f"TRY_CAST({reference} AS {ZONED})", ZONED
    if physical == ZONED:
        value, is_read = f"({value} AT TIME ZONE 'UTC')", column.kind.has_clock
    if not is_read:
        value = f"TRY_CAST({value} AS {name})"
    return Typed(column.kind, clamp_time(value, column.kind, low, high), low, high)


def clamp_time(value: str, kind: Kind, low: Fraction, high: Fraction) -> str:
    """The SQL of a date or timestamp moved into [low, high]; NULL stays NULL."""
    first, last = literal_sql(time_of(kind, low)), literal_sql(time_of(kind, high))
    return f"(CASE WHEN {value} < {first} THEN {first} WHEN {value} > {last} THEN {last} ELSE {value} END)"


_GAPLESS = (Kind.INTEGER, Kind.DATE)  # there is no other value between two neighbouring keys
Read = Callable[[Column, str, str | None], Typed]


def read_column(column: Column, reference: str, physical: str | None = None) -> Typed:
    """The column that `reference` names in the engine, enforced.

    `physical` is the engine's name for the type that the file's header gives; it makes the SQL shorter and faster.
    Without it the SQL is right for every type.
    """
    known = None if physical is None else physical.strip().upper()
    value = _READS[column.kind](_without_keys(column), reference, known)
    if column.keys is not None:
        value = _among(value, column.keys)
    elif column.kind is Kind.TEXT:
        value = replace(value, sql=cut_where_read(value.sql) if known == "VARCHAR" else cut(value.sql, LONGEST))
    return value if column.nullable else filled(value)


def _without_keys(column: Column) -> Column:
    """Where keys are declared they are the bounds."""
    return column if column.keys is None else replace(column, low=None, high=None)


def _among(value: Typed, keys: tuple[Key, ...]) -> Typed:
    """Any value that is not a key is read as NULL."""
    known = tuple(dict.fromkeys(keys))
    if not known:
        return replace(value, sql=f"CAST(NULL AS {sql_type(value)})", keys=(), nullable=True)
    listed = ", ".join(_stored_literal(key, value) for key in known)
    numbers = [_number(key) for key in known if not isinstance(key, str)]
    low, high = (min(numbers), max(numbers)) if numbers and value.kind is not Kind.BOOLEAN else (None, None)
    # a set that is hashed once: ten times as fast as a list, and without the join of a sub-query
    if value.kind is Kind.TEXT:
        sql = f"CASE WHEN TRY_CAST({value.sql} AS ENUM({listed})) IS NOT NULL THEN {value.sql} END"
    elif value.kind in _GAPLESS and low is not None and high is not None and len(known) == high - low + 1:
        sql = f"CASE WHEN {value.sql} BETWEEN {_first(known, value)} AND {_last(known, value)} THEN {value.sql} END"
    else:
        sql = f"CASE WHEN {value.sql} IN ({listed}) THEN {value.sql} END"
    longest = max((len(key) for key in known if isinstance(key, str)), default=value.longest)
    return replace(value, sql=f"({sql})", keys=known, low=low, high=high, nullable=True, longest=longest)


def _first(keys: tuple[Key, ...], value: Typed) -> str:
    return _stored_literal(min(keys, key=_number), value)


def _last(keys: tuple[Key, ...], value: Typed) -> str:
    return _stored_literal(max(keys, key=_number), value)


def _number(key: Key) -> Fraction:
    return Fraction(key) if isinstance(key, int) else number_of(key) if not isinstance(key, str) else Fraction(0)


def _stored_literal(key: Key, value: Typed) -> str:
    if value.kind is Kind.FLOAT and isinstance(key, int):
        return double_sql(Fraction(key))
    if value.kind is Kind.DECIMAL and isinstance(key, int):
        return integer_sql(key * 10**value.scale, sql_type(value))
    return literal_sql(key)


def filled(value: Typed) -> Typed:
    """NULL is read as the first key, else the lower bound, else the kind's zero."""
    if not value.nullable:
        return value
    if value.keys:
        default = _stored_literal(value.keys[0], value)
    elif value.kind is Kind.TEXT:
        default = "''"
    elif value.kind is Kind.BOOLEAN:
        default = "FALSE"
    else:
        default = low_sql(value)
    return replace(value, sql=f"COALESCE({value.sql}, {default})", nullable=False)


def low_sql(value: Typed) -> str:
    """The lower bound as a literal; 0 for a float without bounds."""
    low = value.low or Fraction(0)
    if value.kind.is_time:
        return literal_sql(time_of(value.kind, low))
    if value.kind is Kind.FLOAT:
        return double_sql(low)
    return integer_sql(int(low * 10**value.scale), sql_type(value))


def _read_text(column: Column, reference: str, physical: str | None) -> Typed:
    sql = reference if physical == "VARCHAR" else f"TRY_CAST({reference} AS VARCHAR)"
    return Typed(Kind.TEXT, f'({sql} COLLATE "C")')


def _read_boolean(column: Column, reference: str, physical: str | None) -> Typed:
    return Typed(Kind.BOOLEAN, reference if physical == "BOOLEAN" else f"TRY_CAST({reference} AS BOOLEAN)")


_READS: dict[Kind, Read] = {
    Kind.INTEGER: read_integer,
    Kind.DECIMAL: read_integer,
    Kind.FLOAT: read_float,
    Kind.TEXT: _read_text,
    Kind.BOOLEAN: _read_boolean,
    **dict.fromkeys(TIMES, read_time),
}
