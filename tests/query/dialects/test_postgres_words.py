"""PostgreSQL's words for lowered SQL: a closed list, letters one for one, and no guard where none is needed."""

from __future__ import annotations

import re
from decimal import Decimal

import duckdb
import pytest

from tacit.errors import Refused
from tacit.query.engines import dialect as vocabulary
from tacit.query.engines.expression_walk import TranslatedColumn, TranslatedRelation
from tacit.query.engines.postgres.dialect import OPERATIONS, Postgres
from tacit.query.engines.postgres.functions import lower_letter, upper_letter
from tacit.query.engines.postgres.spelling import literal
from tacit.query.engines.translation import translate
from tacit.query.sql.dialects.sql_type import BIGINT, BOOLEAN, DATE, DOUBLE, HUGEINT, VARCHAR, decimal, type_named
from tacit.query.sql.dialects.translator import natural_reach

_KINDS = {
    "n": BIGINT,
    "x": DOUBLE,
    "t": VARCHAR,
    "d": DATE,
    "ok": BOOLEAN,
    "c": decimal(10, 2),
    "odd": type_named("JSONB"),
}
_TABLE = {
    "t": TranslatedRelation(
        '"s"."t"', tuple(TranslatedColumn(name, kind, natural_reach(kind)) for name, kind in _KINDS.items())
    )
}


def said(expression: str) -> str:
    """An expression over the table, in PostgreSQL's words."""
    text = translate(f"SELECT {expression} AS v FROM t", _TABLE, Postgres()).sql
    return text.removeprefix("SELECT ").removesuffix(' AS "v" FROM "s"."t" AS "t"')


def test_letters_change_one_for_one_as_in_duckdb() -> None:
    """R20: every letter of Unicode, in lower and in upper case."""
    codes = f"range(1, {0x110000}) r(i) WHERE i NOT BETWEEN {0xD800} AND {0xDFFF}"
    rows = duckdb.execute(f"SELECT chr(i::INT), lower(chr(i::INT)), upper(chr(i::INT)) FROM {codes}").fetchall()
    assert len(rows) > 1_000_000
    assert [(letter, low) for letter, low, _ in rows if lower_letter(letter) != low] == []
    assert [(letter, up) for letter, _, up in rows if upper_letter(letter) != up] == []


def test_every_word_of_the_vocabulary_has_an_entry() -> None:
    """The list in `dialect.py` equals the table of operations."""
    listed = re.findall(r"^    (\\S.*?)(?:  |$)", vocabulary.__doc__ or "", re.MULTILINE)
    words = {word for line in listed for word in line.split()}
    plain = {name for name in OPERATIONS if " " not in name and name != "COUNT(*)"}
    assert {word for word in words if word.islower() or word in "+-*/%"} <= {*plain, "null", "from", "none."}
    assert {"sqrt", "trim", "date_trunc", "md5", "isfinite", "shift"} <= plain


@pytest.mark.parametrize(
    "expression",
    [
        *("hash(t)", "random()", "regexp_matches(t, 'a')", "list_value(n)", "odd", "CAST(t AS DATE)", "n = t", "n & 1"),
        *("log2(x)", "SUM(x)", "median(n)", "ntile(2) OVER (ORDER BY n)", "t SIMILAR TO 'a'", "no_such_column"),
    ],
)
def test_what_is_not_in_the_table_is_refused(expression: str) -> None:
    """R26: an operation without an entry never reaches the server."""
    with pytest.raises(Refused, match="PostgreSQL"):
        said(expression)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("n + 1", '("t"."n" + 1::bigint)'),
        ("n // 7", '("t"."n" / 7::bigint)'),
        ("CAST(n AS HUGEINT) // 7", 'div("t"."n"::numeric, 7::numeric)'),
        ("t = 'it''s'", """("t"."t" = 'it''s'::text COLLATE "C")"""),
        ("t LIKE 'a\\\\%'", """("t"."t" LIKE 'a\\\\%' ESCAPE '')"""),
        ("least(greatest(n, -5), 5)", 'LEAST(GREATEST("t"."n", (-5)::bigint), 5::bigint)'),
        ("CASE WHEN x < 0.0 THEN 0.0::DOUBLE WHEN x <= 9.0 THEN x * 2.0 END", None),
        ("SUM(n)", 'SUM("t"."n")'),
        ("SUM(CASE WHEN ok THEN 1 ELSE 0 END)", 'SUM((CASE WHEN "t"."ok" THEN 1 ELSE 0 END)::integer)'),
        ("CAST(CASE WHEN c < 0.00 THEN 0.00 WHEN c > 5.00 THEN 5.00 ELSE c END * 100 AS BIGINT)", None),
    ],
)
def test_words_as_they_are_said(expression: str, text: str | None) -> None:
    """Texts are short where nothing can fail: a bounded product needs no guard."""
    found = said(expression)
    assert found == text if text is not None else found.count("CASE") == 1


def test_literals_are_of_their_type() -> None:
    assert literal(2**70, HUGEINT) == f"{2**70}::numeric"
    assert literal(-1, BIGINT) == "(-1)::bigint"
    assert literal(Decimal("0.10"), decimal(3, 2)) == "0.10::numeric"
    assert literal(0.1, DOUBLE) == "'0.1'::float8"
    assert literal(float("-inf"), DOUBLE) == "'-Infinity'::float8"
    assert literal(None, VARCHAR) == "NULL::text"


@pytest.mark.parametrize(
    ("cut", "is_choice"),
    [
        ("CASE WHEN n BETWEEN 0 AND 9 THEN n WHEN n > 9 THEN 9 ELSE 0 END", True),
        ("CASE WHEN n BETWEEN -7 AND 9 THEN n WHEN n > 9 THEN 9 WHEN n < -7 THEN -7 ELSE 3 END", True),
        ("CASE WHEN n BETWEEN -7 AND 9 THEN n WHEN n < -7 THEN -7 ELSE 9 END", True),
        ("CASE WHEN n BETWEEN 0 AND 9 THEN n WHEN n > 9 THEN 9 ELSE 3 END", False),  # below 0 it is 3
        ("CASE WHEN n BETWEEN 0 AND 9 THEN n WHEN n > 9 THEN 9 WHEN n < 0 THEN 0 ELSE 10 END", False),
        ("CASE WHEN n BETWEEN 0 AND 9 THEN n WHEN n > 9 THEN 8 ELSE 0 END", False),
        ("CASE WHEN n BETWEEN 0 AND 9 THEN n WHEN n > 9 THEN 9 WHEN n > 9 THEN 9 ELSE 0 END", False),
        ("CASE WHEN n BETWEEN 0 AND 9 THEN n END", False),
        ("CASE WHEN x BETWEEN 0e0 AND 9e0 THEN x WHEN x > 9e0 THEN 9e0 ELSE 0e0 END", False),  # -0.0 stays as it is
    ],
)
def test_a_cut_computes_its_operand_once(cut: str, is_choice: bool) -> None:
    """CASE that cuts an integer is said with LEAST and GREATEST, where that is the same."""
    text = said(cut)
    assert ("LEAST" in text) == is_choice
    assert ("CASE" in text) != is_choice
    assert text.count('"n"') <= 1 or not is_choice
    if is_choice:
        values = "VALUES (NULL), (-100), (-8), (-7), (-1), (0), (3), (9), (10), (9223372036854775807)"
        both = duckdb.execute(f"SELECT {cut}, {text.replace('::bigint', '')} FROM ({values}) AS t(n)").fetchall()
        assert all(one == other for one, other in both)


def test_a_function_has_a_hundred_arguments_at_most() -> None:
    """A digest of many keys joins more texts than that; PostgreSQL would fail behind the charge."""
    assert said(f"concat({', '.join(['t'] * 100)})").count("concat(") == 1
    many = said(f"concat({', '.join(['t'] * 250)})")
    inmost = many[many.rindex("concat(") :].split(")")[0]
    assert (many.count("concat("), inmost.count(",") + 1, many.count('"t"."t"')) == (3, 100, 250)


def test_more_columns_than_a_server_takes_are_refused() -> None:
    """R26: PostgreSQL takes 1,664 in a SELECT, and would fail after the charge."""
    for count in (1500, 1501):
        listed = ", ".join(f"n + {place} AS a{place}" for place in range(count))
        sql = f"SELECT a0 AS v FROM (SELECT {listed} FROM t) AS q"
        if count == 1500:
            assert translate(sql, _TABLE, Postgres()).sql
            continue
        with pytest.raises(Refused, match="1501 columns"):
            translate(sql, _TABLE, Postgres())
