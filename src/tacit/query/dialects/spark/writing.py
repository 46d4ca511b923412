"""Values as text on Spark, in DuckDB's spelling."""

from __future__ import annotations

from tacit.query.dialects.dialect import cannot
from tacit.query.dialects.spark.calls import attempt, call, case, cast
from tacit.query.dialects.spark.spelling import ENGINE
from tacit.query.dialects.spark.times import microseconds
from tacit.query.dialects.sql_type import DATE, TIMESTAMP, ZONED, SqlType
from tacit.query.expressions.storage import FIRST_MICROSECOND, LAST_MICROSECOND

_PLAIN = ("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_ENDLESS_DAY, _ENDLESS_MOMENT = 2**31 - 1, 2**63 - 1


def written(x: str, source: SqlType) -> str:
    """A value as text. Doubles are refused: Java finds other digits for some of them, and writes 1e16 as 1.0E16."""
    if source.name in _PLAIN:
        return cast(x, "STRING")
    if source.name == "DECIMAL":
        plain = attempt(x, "STRING")  # CAST would write 1E-9
        is_bare = 0 < source.scale == source.width  # then DuckDB writes no digit before the point
        sign, digits = case(call("<", x, "0"), "'-'", "''"), call("substring_index", plain, "'.'", "-1")
        return call("concat", sign, "'.'", digits) if is_bare else plain
    if source == DATE:
        return _day(x)
    if source == TIMESTAMP:
        return _moment(x, "")
    if source.name == ZONED:  # beyond the years 1 to 9999 DuckDB reads the first moment of them, or the last
        return case(
            call("<", x, call("timestamp_micros", f"{FIRST_MICROSECOND}L")),
            "'0001-01-01 00:00:00+00'",
            call(">", x, call("timestamp_micros", f"{LAST_MICROSECOND}L")),
            "'9999-12-31 23:59:59.999999+00'",
            _moment(x, "+00"),
        )
    accepted = "CAST(x AS DECIMAL(18, 4)), or ROUND(x)." if source.is_float else "a column of another type."
    raise cannot(ENGINE, f"{source} as text", accepted, "It is written otherwise there.")


def _day(x: str) -> str:
    """A day; beyond the years 1 to 9999 Spark writes signs, and knows no day without end."""
    written, number, last = cast(x, "STRING"), call("unix_date", x), "DATE'9999-12-31'"
    years = cast(call("-", "1", call("year", x)), "STRING")
    width = call("greatest", "4", call("length", years))
    before = call("concat", call("lpad", years, width, "'0'"), call("right", written, "6"), "' (BC)'")
    return case(
        *(call("between", x, "DATE'0001-01-01'", last), written),
        *(call("=", number, f"{_ENDLESS_DAY}"), "'infinity'"),
        *(call("=", number, f"-{_ENDLESS_DAY}"), "'-infinity'"),
        *(call(">", x, last), call("substring", written, "2")),
        *(call("isnotnull", x), before),
    )


def _moment(x: str, zone: str) -> str:
    count, clock = microseconds(x), call("substring_index", cast(x, "STRING"), "' '", "-1")
    return case(
        *(call("=", count, f"{_ENDLESS_MOMENT}L"), "'infinity'"),
        *(call("=", count, f"-{_ENDLESS_MOMENT}L"), "'-infinity'"),
        call("concat", _day(cast(x, "DATE")), "' '", clock, f"'{zone}'"),
    )
