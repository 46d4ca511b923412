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


_FRAME = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
_PLACES: dict[type[exp.Expression], str] = {exp.RowNumber: "row_number", exp.Rank: "rank", exp.DenseRank: "dense_rank"}
_MOVED: dict[type[exp.Expression], str] = {exp.Lag: "lag", exp.Lead: "lead", exp.FirstValue: "first_value"}


def _window(node: exp.Expression, walk: Walk) -> Piece:
    """A window function, OVER (PARTITION BY … ORDER BY …), with the place of NULLs written out."""
    order, spec = node.args.get("order"), node.args.get("spec")
    call = _windowed(node.this, walk)
    said = []
    if parts := node.args.get("partition_by"):
        said.append(f"PARTITION BY {', '.join(walk(part).sql for part in parts)}")
    if order is not None:
        said.append(f"ORDER BY {', '.join(_sorted(item, walk) for item in order.expressions)}")
    if spec is not None:
        if spec.sql() != _FRAME:
            raise walk.refusal("this frame of a window function")
        said.append(_FRAME)
    return Piece(f"{call.sql} OVER ({' '.join(said)})", call.type, reach=call.reach)


def _windowed(call: exp.Expression, walk: Walk) -> Piece:
    """The call in front of OVER: a number of a row, the value of another row, or a count or extreme."""
    if type(call) in _PLACES:
        return walk.say(_PLACES[type(call)], [], BIGINT)
    if type(call) in _MOVED:
        value = walk(call.this)
        steps = [walk(call.args["offset"])] if call.args.get("offset") else []
        return walk.say(_MOVED[type(call)], [value, *steps], value.type, value.reach)
    if isinstance(call, exp.Count | exp.Min | exp.Max) and not isinstance(call.this, exp.Distinct):
        return walk(call)
    raise walk.refusal("a window function of this kind")


def _sorted(item: exp.Expression, walk: Walk) -> str:
    down = " DESC" if item.args.get("desc") else ""
    return f"{walk(item.this).sql}{down} NULLS {'FIRST' if item.args.get('nulls_first') else 'LAST'}"


AGGREGATES: dict[type[exp.Expression], Handler] = {
    exp.Sum: _sum,
    exp.Count: _count,
    exp.Min: _extreme("MIN"),
    exp.Max: _extreme("MAX"),
    exp.Window: _window,
}
