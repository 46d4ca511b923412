"""Columns, literals, casts and aggregates of lowered SQL, with their types."""

from __future__ import annotations

import math
from decimal import Decimal

from sqlglot import exp

from tacit.query.engines.expression_walk import Handler, Walk
from tacit.query.sql.dialects.sql_type import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    HUGEINT,
    INTEGER,
    NULL,
    PARSED_TYPES,
    VARCHAR,
    SqlType,
    decimal,
)
from tacit.query.sql.dialects.translator import Piece


def _column(node: exp.Expression, walk: Walk) -> Piece:
    """A column by its name."""
    assert isinstance(node, exp.Column)
    found = walk.scope.find(node.name, node.table or None)
    if found is None:
        raise walk.refusal(f"the column {node.name}", "a column that is there.")
    alias, own = found
    if not own.type.is_known:
        why = f"the column {own.name} of the type {own.type}"
        raise walk.refusal(why, "a column of another type, or leave it out.")
    sql = f"{walk.dialect.quoted(alias)}.{walk.dialect.quoted(own.name)}"
    if own.reading is None:
        return Piece(sql, own.type, reach=own.reach, fixed=own.fixed)
    return Piece(own.reading.format(sql), own.type, reach=own.reach, raw=sql)


def _literal(node: exp.Expression, walk: Walk) -> Piece:
    if node.is_string:
        return walk.literal(str(node.this), VARCHAR)
    text = str(node.this)
    if "e" in text.lower():
        return walk.literal(float(text), DOUBLE)
    if "." in text:
        scale = len(text.split(".")[1])
        return walk.literal(Decimal(text), decimal(len(text.replace(".", "").lstrip("0")) or 1, scale))
    return walk.literal(int(text), integer_type(int(text)))


def integer_type(value: int) -> SqlType:
    """The type that DuckDB gives to an integer literal."""
    return next(kind for kind, bits in ((INTEGER, 31), (BIGINT, 63), (HUGEINT, 127)) if -(2**bits) <= value < 2**bits)


def _null(node: exp.Expression, walk: Walk) -> Piece:
    return Piece("NULL", NULL, fixed=True)


def _boolean(node: exp.Expression, walk: Walk) -> Piece:
    return walk.literal(bool(node.this), BOOLEAN)


def _target(node: exp.Expression, walk: Walk) -> SqlType:
    to = node.args["to"]
    name = str(getattr(to.this, "value", to.this)).upper()
    if name == "DECIMAL":
        width, scale = (int(item.name) for item in to.expressions)
        return decimal(width, scale)
    if name not in PARSED_TYPES:
        raise walk.refusal(f"a cast to {name}")
    return PARSED_TYPES[name]


def _cast(node: exp.Expression, walk: Walk) -> Piece:
    target, value, is_try = _target(node, walk), walk(node.this), isinstance(node, exp.TryCast)
    if isinstance(value.constant, str) and target.is_time and not is_try:
        return walk.literal(value.constant, target)
    if value.constant == "infinity" and target == DOUBLE:
        return walk.literal(math.inf, target)
    if value.type == target or value.type == NULL or (value.constant is not None and target.is_number and not is_try):
        return walk.convert(value, target)
    return walk.cast(value, target, is_try)


LEAVES: dict[type[exp.Expression], Handler] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Null: _null,
    exp.Boolean: _boolean,
    exp.Cast: _cast,
    exp.TryCast: _cast,
}


SMALL_SUM = "SUM of small"
_SMALL = 2**20  # 2^43 of them, the most rows of a table, add up in 64 bits


def _sum(node: exp.Expression, walk: Walk) -> Piece:
    value = walk(node.this)
    if not value.type.is_integer:
        raise walk.refusal(f"SUM of {value.type}", "sums of integers, which no order of rows can change.")
    if value.reach.most <= _SMALL and SMALL_SUM in walk.dialect.operations:
        return walk.say(SMALL_SUM, [value], BIGINT)
    return walk.say("SUM", [value], HUGEINT)


def _count(node: exp.Expression, walk: Walk) -> Piece:
    inside = node.this
    if isinstance(inside, exp.Star):
        return walk.say("COUNT(*)", [], BIGINT)
    if isinstance(inside, exp.Distinct):
        return walk.say("COUNT DISTINCT", [walk(inside.expressions[0])], BIGINT)
    return walk.say("COUNT", [walk(inside)], BIGINT)


def _extreme(name: str) -> Handler:
    def handler(node: exp.Expression, walk: Walk) -> Piece:
        value = walk(node.this)
        return walk.say(name, [value], value.type, value.reach)

    return handler


def _window(node: exp.Expression, walk: Walk) -> Piece:
    """row_number() OVER (PARTITION BY … ORDER BY …), with NULLs last."""
    order = node.args.get("order")
    if not isinstance(node.this, exp.RowNumber) or node.args.get("spec") or order is None:
        raise walk.refusal("a window function other than row_number")
    if any(item.args.get("desc") or item.args.get("nulls_first") for item in order.expressions):
        raise walk.refusal("a descending order")
    parts = ", ".join(walk(part).sql for part in node.args.get("partition_by") or [])
    keys = ", ".join(f"{walk(item.this).sql} NULLS LAST" for item in order.expressions)
    number = walk.say("row_number", [], BIGINT)
    within = f"PARTITION BY {parts} " if parts else ""
    return Piece(f"{number.sql} OVER ({within}ORDER BY {keys})", BIGINT, reach=number.reach)


AGGREGATES: dict[type[exp.Expression], Handler] = {
    exp.Sum: _sum,
    exp.Count: _count,
    exp.Min: _extreme("MIN"),
    exp.Max: _extreme("MAX"),
    exp.Window: _window,
}
