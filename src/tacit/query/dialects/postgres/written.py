"""Values written out as texts, letter by letter as DuckDB writes them."""

from __future__ import annotations

from tacit.query.dialects.dialect import cannot
from tacit.query.dialects.postgres.literals import ENGINE, double
from tacit.query.dialects.sql_type import DATE, TIMESTAMP, ZONED, SqlType

_PLAIN = frozenset(
    ["BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DECIMAL", "UUID", "TIME", "VARCHAR"]
)


def written(a: str, kind: SqlType) -> str:
    """The text of a value, in collation "C"."""
    return f'({_text(a, kind)} COLLATE "C")'


def _text(a: str, kind: SqlType) -> str:
    if kind.name in _PLAIN:
        return f"{a}::text"
    if kind.is_float:
        return _float(a)
    if kind in (DATE, TIMESTAMP) or kind.name == ZONED:
        return _time(a, kind)
    raise cannot(ENGINE, f"{kind} as a text", "a column of another type, or leave it out.")


def _float(a: str) -> str:
    """The shortest digits that mean the number, with a point, and an exponent from 1e16 on and below 1e-4."""
    plain = f"({a}::text::numeric)::text"
    pointed = (
        f"CASE WHEN {a}::text = '-0' THEN '-0.0' WHEN strpos({plain}, '.') > 0 THEN {plain} ELSE {plain} || '.0' END"
    )
    return (
        f"(CASE WHEN {a} = 'NaN' THEN 'nan' WHEN {a} = 'Infinity' THEN 'inf' WHEN {a} = '-Infinity' THEN '-inf' "
        f"WHEN {a} = 0 OR abs({a}::float8) BETWEEN {double(1e-4)} AND {double(9999999999999998.0)} THEN {pointed} "
        f"ELSE {a}::text END)"
    )


def _time(a: str, kind: SqlType) -> str:
    """ISO 8601; before the year 1 the mark of it stands after the day."""
    name = {"DATE": "date", "TIMESTAMP": "timestamp"}.get(kind.name, "timestamptz")
    first = f"'0001-01-01{'+00' if name == 'timestamptz' else ''}'::{name}"
    early = f"{a} < {first} AND {a} > '-infinity'::{name}"
    moved = f"regexp_replace({a}::text, '^([^ ]+)(.*) BC$', '\\1 (BC)\\2')"
    return f"(CASE WHEN {early} THEN {moved} ELSE {a}::text END)"
