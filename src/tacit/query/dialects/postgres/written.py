"""Values written out as texts, letter by letter as DuckDB writes them."""

from __future__ import annotations

from tacit.query.dialects.dialect import cannot
from tacit.query.dialects.postgres.literals import ENGINE, double
from tacit.query.dialects.sql_type import DATE, DOUBLE, TIMESTAMP, ZONED, SqlType

_PLAIN = frozenset(
    ["BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DECIMAL", "UUID", "TIME", "VARCHAR"]
)
_FEW_DIGITS = 2.0**54
_LARGEST = "1.7976931348623157e308::numeric"


def written(a: str, kind: SqlType) -> str:
    """The text of a value, in collation "C"."""
    return f'({_text(a, kind)} COLLATE "C")'


def _text(a: str, kind: SqlType) -> str:
    if kind.name in _PLAIN:
        return f"{a}::text"
    if kind.is_float:
        return _float(a, kind)
    if kind in (DATE, TIMESTAMP) or kind.name == ZONED:
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
    """The same from where two numbers are so far apart that what lies just between them may be short.

    That means the even one of the two, and so does DuckDB; PostgreSQL takes digits from strictly inside. With every
    number of digits both neighbours are tried; more digits than PostgreSQL's own are never needed.
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
    """ISO 8601; before the year 1 the mark of it stands after the day."""
    name = {"DATE": "date", "TIMESTAMP": "timestamp"}.get(kind.name, "timestamptz")
    first = f"'0001-01-01{'+00' if name == 'timestamptz' else ''}'::{name}"
    early = f"{a} < {first} AND {a} > '-infinity'::{name}"
    moved = f"regexp_replace({a}::text, '^([^ ]+)(.*) BC$', '\\1 (BC)\\2')"
    return f"(CASE WHEN {early} THEN {moved} ELSE {a}::text END)"
