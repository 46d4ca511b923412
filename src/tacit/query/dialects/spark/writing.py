"""Values as text on Spark, in DuckDB's spelling."""

from __future__ import annotations

from tacit.query.dialects.dialect import cannot
from tacit.query.dialects.spark.spelling import ENGINE
from tacit.query.dialects.spark.times import microseconds
from tacit.query.dialects.sql_type import DATE, TIMESTAMP, ZONED, SqlType
from tacit.query.expressions.storage import FIRST_MICROSECOND, LAST_MICROSECOND

_PLAIN = ("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_ENDLESS_DAY, _ENDLESS_MOMENT = 2**31 - 1, 2**63 - 1


def written(x: str, source: SqlType) -> str:
    """A value as text. Doubles are refused: Java finds other digits for some of them, and writes 1e16 as 1.0E16."""
    if source.name in _PLAIN:
        return f"CAST({x} AS STRING)"
    if source.name == "DECIMAL":
        plain = f"try_cast({x} AS STRING)"  # CAST would write 1E-9
        is_bare = 0 < source.scale == source.width  # then DuckDB writes no digit before the point
        return f"concat(if({x} < 0, '-', ''), '.', substring_index({plain}, '.', -1))" if is_bare else plain
    if source == DATE:
        return _day(x)
    if source == TIMESTAMP:
        return _moment(x, "")
    if source.name == ZONED:  # beyond the years 1 to 9999 DuckDB reads the first moment of them, or the last
        return (
            f"(CASE WHEN {x} < timestamp_micros({FIRST_MICROSECOND}L) THEN '0001-01-01 00:00:00+00' "
            f"WHEN {x} > timestamp_micros({LAST_MICROSECOND}L) THEN '9999-12-31 23:59:59.999999+00' "
            f"ELSE {_moment(x, '+00')} END)"
        )
    accepted = "CAST(x AS DECIMAL(18, 4)), or ROUND(x)." if source.is_float else "a column of another type."
    raise cannot(ENGINE, f"{source} as text", accepted, "It is written otherwise there.")


def _day(x: str) -> str:
    """A day; beyond the years 1 to 9999 Spark writes signs, and knows no day without end."""
    years = f"CAST(1 - year({x}) AS STRING)"
    before = f"concat(lpad({years}, greatest(4, length({years})), '0'), right(CAST({x} AS STRING), 6), ' (BC)')"
    return (
        f"(CASE WHEN {x} BETWEEN DATE'0001-01-01' AND DATE'9999-12-31' THEN CAST({x} AS STRING) "
        f"WHEN unix_date({x}) = {_ENDLESS_DAY} THEN 'infinity' WHEN unix_date({x}) = -{_ENDLESS_DAY} THEN '-infinity' "
        f"WHEN {x} > DATE'9999-12-31' THEN substring(CAST({x} AS STRING), 2) WHEN {x} IS NOT NULL THEN {before} END)"
    )


def _moment(x: str, zone: str) -> str:
    count = microseconds(x)
    clock = f"substring_index(CAST({x} AS STRING), ' ', -1)"
    return (
        f"(CASE WHEN {count} = {_ENDLESS_MOMENT}L THEN 'infinity' WHEN {count} = -{_ENDLESS_MOMENT}L THEN '-infinity' "
        f"ELSE concat({_day(f'CAST({x} AS DATE)')}, ' ', {clock}, '{zone}') END)"
    )
