"""Random SQL expressions over a few columns, one strategy for each kind of value."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction

from hypothesis import strategies as st

from tacit.query.expressions.storage import number_of
from tacit.schema.description import Column
from tacit.schema.kind import Kind

_F = Fraction
COLUMNS: tuple[tuple[Column, tuple[str, ...]], ...] = (
    (Column("age", Kind.INTEGER, _F(0), _F(110)), ("BIGINT", "DOUBLE", "VARCHAR")),
    (Column("n", Kind.INTEGER), ("BIGINT", "UHUGEINT", "VARCHAR")),
    (Column("z", Kind.INTEGER, _F(-7), _F(5), nullable=False), ("TINYINT", "FLOAT", "BOOLEAN")),
    (Column("k", Kind.INTEGER, keys=(1, 2, 50)), ("SMALLINT", "BIGINT", "VARCHAR")),
    (Column("cost", Kind.DECIMAL, _F(0), _F(20000), scale=2), ("DECIMAL(18,2)", "DOUBLE", "VARCHAR")),
    (Column("debt", Kind.DECIMAL, _F(-50), _F(50), scale=1), ("DECIMAL(4,1)", "DOUBLE", "INTEGER")),
    (Column("any_cost", Kind.DECIMAL, scale=3), ("DECIMAL(38,10)", "DOUBLE", "VARCHAR")),
    (Column("x", Kind.FLOAT), ("DOUBLE", "FLOAT", "VARCHAR")),
    (Column("w", Kind.FLOAT, _F(0), _F(1)), ("DOUBLE", "FLOAT", "VARCHAR")),
    (Column("s", Kind.FLOAT, _F(-1000), _F(1000), nullable=False), ("DOUBLE", "BIGINT", "VARCHAR")),
    (Column("region", Kind.TEXT, keys=("north", "South", "it's")), ("VARCHAR", "ENUM('north', 'x', '12')", "BLOB")),
    (Column("note", Kind.TEXT), ("VARCHAR", "INTEGER[]", "UUID")),
    (Column("ok", Kind.BOOLEAN), ("BOOLEAN", "VARCHAR", "DOUBLE")),
    (Column("yes", Kind.BOOLEAN, nullable=False), ("BOOLEAN", "BIT", "TINYINT")),
    (Column("day", Kind.DATE), ("DATE", "TIMESTAMP", "VARCHAR")),
    (
        Column("visit", Kind.DATE, number_of(date(2020, 1, 1)), number_of(date(2024, 12, 31)), nullable=False),
        ("DATE", "TIMESTAMP WITH TIME ZONE", "VARCHAR"),
    ),
    (Column("moment", Kind.TIMESTAMP), ("TIMESTAMP", "TIMESTAMP_NS", "DATE")),
    (
        Column("at", Kind.TIMESTAMP, number_of(datetime(2024, 1, 1)), number_of(datetime(2024, 3, 1))),
        ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "VARCHAR"),
    ),
)
_UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
_PARTS = (*_UNITS, "dow", "isodow", "doy")


def _form(template: str, **holes: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda **given: template.format(**given), **holes)


def _choices(*templates: str, **holes: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    used = [{name: hole for name, hole in holes.items() if "{" + name + "}" in text} for text in templates]
    return st.one_of(*(_form(text, **given) for text, given in zip(templates, used, strict=True)))


def expressions(depth: int) -> dict[str, st.SearchStrategy[str]]:
    """Strategies for numbers, texts, truth values and times, nested up to `depth`."""
    numbers = ("age", "n", "z", "k", "cost", "debt", "any_cost", "x", "w", "s")
    literals = ("0", "1", "-1", "7", "10", "100", "0.5", "-2.25", "1e3", "1e-300", "9223372036854775807", "NULL")
    found = {
        "number": st.sampled_from((*numbers, *literals)),
        "text": st.sampled_from(("region", "note", "'north'", "''", "'é%_'", "NULL")),
        "truth": st.sampled_from(("ok", "yes", "TRUE", "NULL")),
        "time": st.sampled_from(
            ("day", "visit", "moment", "at", "DATE '2024-02-29'", "TIMESTAMP '1999-12-31 23:59:59'")
        ),
    }
    for _ in range(depth):
        found = _deeper(found)
    return found


def _deeper(inner: dict[str, st.SearchStrategy[str]]) -> dict[str, st.SearchStrategy[str]]:
    holes = {
        "n": inner["number"],
        "m": inner["number"],
        "t": inner["text"],
        "u": inner["text"],
        "p": inner["truth"],
        "q": inner["truth"],
        "d": inner["time"],
        "e": inner["time"],
        "op": st.sampled_from(("+", "-", "*", "/", "//", "%")),
        "cmp": st.sampled_from(("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")),
        "f": st.sampled_from(
            ("ABS", "SIGN", "ROUND", "FLOOR", "CEIL", "TRUNC", "SQRT", "LN", "LOG10", "LOG2", "EXP", "-")
        ),
        "i": st.integers(-4, 4).map(str),
        "j": st.integers(0, 6).map(str),
        "unit": st.sampled_from(_UNITS),
        "part": st.sampled_from(_PARTS),
        "pat": st.sampled_from(("'n%'", "'%o_t%'", "''", "'%'")),
        "type": st.sampled_from(("INT", "TINYINT", "BIGINT", "HUGEINT", "DOUBLE", "DECIMAL(10, 2)", "DECIMAL(4, 0)")),
    }
    number = _choices(
        *("({n} {op} {m})", "({n} {op} {m})", "({n} {op} {m})", "{f}({n})", "{f}({n})", "ROUND({n}, {i})"),
        *("POWER({n}, {j})", "GREATEST({n}, {m})", "LEAST({n}, {m})", "COALESCE({n}, {m})", "NULLIF({n}, {m})"),
        *("CASE WHEN {p} THEN {n} ELSE {m} END", "CASE {n} WHEN {m} THEN 1 END", "IF({p}, {n}, {m})", "LENGTH({t})"),
        *(
            "WIDTH_BUCKET({n}, -3, 12.5, 7)",
            "WIDTH_BUCKET({n}, 0, 1e9, 10000)",
            "CAST({n} AS {type})",
            "EXTRACT({part} FROM {d})",
        ),
        *("CAST({t} AS {type})", "CAST({p} AS {type})", "date_part('{part}', {d})", "date_diff('{unit}', {d}, {e})"),
        "(CAST({d} AS DATE) - CAST({e} AS DATE))",
        **holes,
    )
    text = _choices(
        *("LOWER({t})", "UPPER({t})", "TRIM({t})", "LTRIM({t}, 'n')", "SUBSTRING({t}, 2, {j})", "LEFT({t}, {j})"),
        *("RIGHT({t}, {j})", "CONCAT({t}, '-', {u})", "({t} || {u})", "CASE WHEN {p} THEN {t} ELSE {u} END"),
        *(
            "COALESCE({t}, {u})",
            "GREATEST({t}, {u})",
            "CAST({n} AS VARCHAR)",
            "CAST({d} AS VARCHAR)",
            "CAST({p} AS TEXT)",
        ),
        **holes,
    )
    truth = _choices(
        *("({n} {cmp} {m})", "({t} {cmp} {u})", "({d} {cmp} {e})", "({p} AND {q})", "({p} OR {q})", "(NOT {p})"),
        *(
            "({n} IS NULL)",
            "({p} IS TRUE)",
            "({n} BETWEEN {m} AND 100)",
            "({n} IN (1, 2.5, NULL))",
            "({t} IN ('a', 'north'))",
        ),
        *(
            "({t} LIKE {pat})",
            "({t} NOT ILIKE {pat})",
            "STARTS_WITH({t}, {u})",
            "ENDS_WITH({t}, 'h')",
            "CONTAINS({t}, {u})",
        ),
        *("CAST({n} AS BOOLEAN)", "CAST({t} AS BOOLEAN)", "({d} >= '2024-02-01')", "COALESCE({p}, {q})"),
        **holes,
    )
    time = _choices(
        *(
            "date_trunc('{unit}', {d})",
            "({d} + INTERVAL {j} {unit})",
            "({d} - INTERVAL '{j}' {unit})",
            "CAST({d} AS DATE)",
        ),
        *("CAST({d} AS TIMESTAMP)", "CAST({t} AS DATE)", "GREATEST({d}, {e})", "CASE WHEN {p} THEN {d} ELSE {e} END"),
        "COALESCE({d}, {e})",
        **holes,
    )
    return {"number": number, "text": text, "truth": truth, "time": time}
