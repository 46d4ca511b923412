"""Literals above the noise: numbers, texts, booleans, dates."""

from __future__ import annotations

from math import isfinite
from typing import Final

from sqlglot import exp

from tacit.errors import Refused
from tacit.query.above.expression import Constant, Expression
from tacit.query.above.moments import moment
from tacit.schema.kind import Kind

_TIMES: Final = {
    exp.DType.DATE: Kind.DATE,
    exp.DType.TIMESTAMP: Kind.TIMESTAMP,
    exp.DType.TIMESTAMPNTZ: Kind.TIMESTAMP,
}


def literal(node: exp.Expr) -> Constant:
    """The constant that a literal is."""
    if isinstance(node, exp.Null):
        return Constant(None)
    if isinstance(node, exp.Boolean):
        return Constant(bool(node.this), Kind.BOOLEAN)
    if node.args.get("is_string"):
        return Constant(str(node.this), Kind.TEXT)
    value = float(node.this)
    if not isfinite(value):
        raise Refused("a literal beyond any number", "It overflows a double.", "numbers up to 1e308.")
    return Constant(int(node.this) if str(node.this).isdecimal() else value, Kind.FLOAT)


def whole_literal(node: exp.Expr, what: str) -> int:
    """The whole number that a literal is, signed or not."""
    sign, inner = (-1, node.this) if isinstance(node, exp.Neg) else (1, node)
    if not (isinstance(inner, exp.Literal) and not inner.is_string and inner.this.isdecimal() and len(inner.this) < 19):
        raise Refused(f"{what} as {node.sql(dialect='duckdb')}", "It must be known beforehand.", "a whole number.")
    return sign * int(inner.this)


def cast_literal(node: exp.Expr) -> Constant:
    """DATE '…' and TIMESTAMP '…'."""
    kind = _TIMES.get(node.args["to"].this)
    if kind is None:
        raise Refused(
            node.sql(dialect="duckdb"), "A text is cast to dates only.", "DATE '2024-12-31' or a number as such."
        )
    return _time(node.this.this, kind)


def as_date_like(side: Expression, other: Expression) -> Expression:
    """A text compared with a date is read as one, as DuckDB does."""
    if isinstance(side, Constant) and isinstance(side.value, str) and other.kind in (Kind.DATE, Kind.TIMESTAMP):
        return _time(side.value, other.kind)
    return side


def _time(text: str, kind: Kind) -> Constant:
    found = moment(text)
    if found is None:
        accepted = "'2024-12-31' or '2024-12-31 18:00:00', without a time zone."
        raise Refused(f"'{text}' as a {kind}", "It is not written as one.", accepted)
    return Constant(found.date() if kind is Kind.DATE else found, kind)
