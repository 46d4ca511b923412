"""Spark's dialect as text: escapes, parts of sums, and refusals, without a cluster."""

from __future__ import annotations

import re

import pytest

from tacit.errors import Refused
from tacit.query.engines.expression_walk import TranslatedColumn, TranslatedRelation
from tacit.query.engines.spark.dialect import SPARK
from tacit.query.engines.spark.spelling import literal, quoted, text
from tacit.query.engines.translation import translate
from tacit.query.sql.dialects.sql_type import BIGINT, HUGEINT, Reach, type_named
from tacit.query.sql.dialects.translator import Piece, natural_reach

_TYPES = {
    "n": "BIGINT",
    "i": "INTEGER",
    "x": "DOUBLE",
    "t": "VARCHAR",
    "d": "DATE",
    "b": "BLOB",
    "l": "LIST OF PARQUET",
}


def said(expression: str) -> str:
    """An expression over a table of every type, in Spark's words."""
    kinds = {name: type_named(kind) for name, kind in _TYPES.items()}
    columns = tuple(TranslatedColumn(name, kind, natural_reach(kind)) for name, kind in kinds.items())
    return translate(f"SELECT {expression} AS v FROM t", {"t": TranslatedRelation("`t`", columns)}, SPARK).sql


@pytest.mark.parametrize(
    ("value", "written"), [("it's", r"'it\'s'"), ("a\\b", r"'a\\b'"), ("${x}", "'${x}'"), ("é\n", "'é\n'")]
)
def test_texts_are_escaped(value: str, written: str) -> None:
    """R42: no text can end its literal."""
    assert text(value) == written


def test_names_are_quoted() -> None:
    assert quoted("a`b.c") == "`a``b.c`"


def test_a_pattern_means_the_same_without_the_default_escape() -> None:
    """Spark escapes by a backslash unless it is told otherwise, and refuses one before any other letter."""
    assert r"`like`(`t`.`t`, 'a\\\\_%', '\\')" in said("t LIKE 'a\\_%'")
    assert r"`like`(`t`.`t`, '50\\%%', '\\')" in said("t LIKE '50!%%' ESCAPE '!'")


@pytest.mark.parametrize(("most", "parts"), [(100.0, 1), (2.0**22 - 1, 1), (2.0**31, 2), (2.0**44, 3), (2.0**63, 3)])
def test_a_sum_has_as_many_parts_as_it_needs(most: float, parts: int) -> None:
    """R05: each part is below 2^22, so that 2^41 rows of it add up in 64 bits."""
    written = SPARK.operations["SUM"]([Piece("x", BIGINT, reach=Reach(1.0, most))], HUGEINT)
    assert written.count("sum(") == parts


@pytest.mark.parametrize(
    "expression",
    [
        "CAST(x AS VARCHAR)",
        "CAST(t AS DATE)",
        "CAST(t AS TIMESTAMP)",
        "TRY_CAST(t AS HUGEINT)",
        "TRY_CAST(t AS DECIMAL(18, 2))",
        "CAST(b AS VARCHAR)",
        "l",
        "hash(t)",
        "regexp_matches(t, 'a')",
        "SUM(x)",
    ],
)
def test_what_has_no_equal_form_is_refused(expression: str) -> None:
    """R26: before any data is read, with what would be accepted."""
    with pytest.raises(Refused, match="Spark") as refusal:
        said(expression)
    assert refusal.value.accepted


def test_a_number_beyond_38_digits_is_refused() -> None:
    assert literal(2**126, HUGEINT) == f"'{2**126}'::DECIMAL(38, 0)"
    with pytest.raises(Refused):
        literal(10**38, HUGEINT)


def test_a_long_operand_is_written_once() -> None:
    """Nested roundings do not double their text again and again."""
    nested = "x"
    for _ in range(12):
        nested = f"floor({nested} * 1.5::DOUBLE)"
    assert len(said(nested)) < 40_000
    assert said("lower(t)").count("`t`.`t`") <= 4


@pytest.mark.parametrize(
    "expression",
    [
        "CASE WHEN n > 0 THEN (n + i) * 2 ELSE -n END",
        "CAST(floor(x / 3) AS DECIMAL(30, 2))",
        "n IN (1, 2) AND t IS NOT NULL OR NOT n BETWEEN 1 AND 5",
        "trim(lower(t)) LIKE '%a%'",
        "CAST(d AS VARCHAR)",
        "date_trunc('month', CAST(d AS TIMESTAMP))",
    ],
)
def test_the_parser_need_not_look_ahead(expression: str) -> None:
    """Spark reads to the end of each bracket, CASE and CAST to know what it is; of a quoted call it knows at once."""
    written = said(expression).removeprefix("SELECT ")
    assert not re.search(r"\bCASE\b|\bCAST\(|\bFROM\b.* FROM|\(\(|, \((?!-)", written)
