"""The leaves of an expression: literals (numbers, texts, truth values, NULL) and columns by name."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from tacit.query.sql.expressions.rule import Family, Typer, part
from tacit.query.sql.values.domains import LONGEST_MADE
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import (
    MOST_128,
    MOST_SCALE,
    double_sql,
    integer_sql,
    literal_sql,
    null_of,
    number_of,
    sql_type,
    text_sql,
)
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Key, Kind, kind_of

_ACCEPTED = "a number of at most 9 digits after the point and below 8e37, such as 12, 0.5 or 1e3; a quoted text."


def constant(value: Key) -> Typed:
    """A public value as an expression."""
    if isinstance(value, bool):
        return Typed(Kind.BOOLEAN, literal_sql(value), nullable=False, keys=(value,), is_constant=True)
    if isinstance(value, str):
        return Typed(Kind.TEXT, text_sql(value), nullable=False, keys=(value,), is_constant=True, longest=len(value))
    if isinstance(value, int):
        return exact_constant(Fraction(value), 0)
    number = number_of(value)
    return Typed(kind_of(value), literal_sql(value), number, number, nullable=False, keys=(value,), is_constant=True)


def exact_constant(value: Fraction, scale: int) -> Typed:
    """An INTEGER or DECIMAL as a literal."""
    kind = Kind.DECIMAL if scale else Kind.INTEGER
    blank = Typed(kind, "", value, value, nullable=False, scale=scale, is_constant=True)
    sql = integer_sql(int(value * 10**scale), sql_type(blank))
    return Typed(kind, sql, value, value, False, scale, None if scale else (int(value),), is_constant=True)


def float_constant(value: Fraction) -> Typed:
    """A FLOAT as a literal."""
    nearest = Fraction(float(value))
    return Typed(Kind.FLOAT, double_sql(nearest), nearest, nearest, nullable=False, is_constant=True)


def _literal(node: exp.Expression, typer: Typer) -> Typed:
    text = str(node.this)
    if node.is_string:
        if not len(text) <= LONGEST_MADE:
            raise refuse(node, f"The text has more than {LONGEST_MADE:,} letters.", "a shorter text.")
        return constant(text)
    double = float(text)
    if not double < MOST_128:
        raise refuse(node, "It is too large to calculate with exactly.", _ACCEPTED)
    places = len(text.partition(".")[2])
    if "e" in text.lower() or places > MOST_SCALE:
        return float_constant(Fraction(double))  # the exact value of a text such as 1e-999999999 would take all memory
    number = Fraction(Decimal(text))
    if not number * 10**places < MOST_128:
        raise refuse(node, "It has too many digits to calculate with exactly.", _ACCEPTED)
    return exact_constant(number, places)


def _null(node: exp.Expression, typer: Typer) -> Typed:
    return null_of(Kind.BOOLEAN)


def _boolean(node: exp.Expression, typer: Typer) -> Typed:
    return constant(bool(node.this))


def _parenthesis(node: exp.Expression, typer: Typer) -> Typed:
    return typer(part(node))


LITERALS = Family(
    "literals",
    (
        *("12", "0.5", "1e3", "'text'", "TRUE", "FALSE", "NULL"),
        *(literal_sql(date(2024, 1, 31)), literal_sql(datetime(2024, 1, 31, 12))),
    ),
    {exp.Literal: _literal, exp.Null: _null, exp.Boolean: _boolean, exp.Paren: _parenthesis},
)


def _column(node: exp.Expression, typer: Typer) -> Typed:
    assert isinstance(node, exp.Column)
    if node.db or isinstance(node.this, exp.Star):
        raise refuse(node, "A column is named alone or with its table.", "column or table.column.")
    return typer.scope.column(node.name, node.table or None)


COLUMNS = Family("columns", ("column", "table.column"), {exp.Column: _column})
