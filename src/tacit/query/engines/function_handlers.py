"""Functions and casts of lowered SQL, each with the types of its operands and of its result."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

from sqlglot import exp

from tacit.query.engines.expression_walk import Handler, Walk
from tacit.query.sql.dialects.piece import Piece
from tacit.query.sql.dialects.sql_type import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    NULL,
    PARSED_TYPES,
    TINIEST,
    VARCHAR,
    Reach,
    SqlType,
    decimal,
    hull,
)
from tacit.query.sql.values.wildcards import ESCAPE, Wildcards


def _texts(name: str, result: SqlType, *others: str) -> Handler:
    """A function of a text and perhaps of more: `others` are the names of its further arguments in the tree."""

    def handler(node: exp.Expression, walk: Walk) -> Piece:
        more = [walk(node.args[other]) for other in others if node.args.get(other) is not None]
        return walk.say(name, [walk.convert(walk(node.this), VARCHAR), *more], result)

    return handler


def _listed_texts(name: str) -> Handler:
    def handler(node: exp.Expression, walk: Walk) -> Piece:
        parts = node.expressions or [node.this, node.expression]
        return walk.say(name, [walk.convert(walk(part), VARCHAR) for part in parts], VARCHAR)

    return handler


def _trim(node: exp.Expression, walk: Walk) -> Piece:
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position") or "").upper(), "trim")
    return _texts(name, VARCHAR, "expression")(node, walk)


def _like(node: exp.Expression, walk: Walk) -> Piece:
    inner = node.this if isinstance(node, exp.Escape) else node
    word = "ILIKE" if isinstance(inner, exp.ILike) else "LIKE"
    escape = [walk(node.expression)] if isinstance(node, exp.Escape) else []
    matched = walk.say(word, [walk(inner.this), walk(inner.expression), *escape], BOOLEAN)
    return walk.say("NOT", [matched], BOOLEAN) if inner.args.get("negate") else matched


def _match(node: exp.Expression, walk: Walk) -> Piece:
    """A pattern of LIKE that DuckDB matches as a regular expression."""
    texts = [walk.literal(text, VARCHAR) for text in (Wildcards.of_regex(node.expression.name).like(), ESCAPE)]
    return walk.say("LIKE", [walk.convert(walk(node.this), VARCHAR), *texts], BOOLEAN)


def _several(name: str) -> Handler:
    """coalesce, least and greatest: operands of one type."""

    def handler(node: exp.Expression, walk: Walk) -> Piece:
        operands, kind = walk.together([walk(part) for part in (node.this, *node.expressions)])
        size = hull(piece.reach for piece in operands)
        return walk.say(name, operands, kind, size & _clamped(node, walk))

    return handler


def _clamped(node: exp.Expression, walk: Walk) -> Reach:
    """The reach of least(greatest(x, low), high), whatever x is."""
    inner, ends = node.this, [*node.expressions]
    if not (isinstance(node, exp.Least) and isinstance(inner, exp.Greatest) and len(ends) == 1):
        return Reach()
    found = [walk(end).constant for end in (*ends, *inner.expressions)]
    numbers = [abs(float(end)) for end in found if isinstance(end, (int, float, Decimal))]
    return Reach(TINIEST, max(numbers)) if len(numbers) == len(found) == 2 else Reach()


def _same(name: str) -> Handler:
    def handler(node: exp.Expression, walk: Walk) -> Piece:
        value = walk(node.this)
        return walk.say(name, [value], value.type, value.reach)

    return handler


def _double(name: str, reach: Callable[[Reach], Reach]) -> Handler:
    def handler(node: exp.Expression, walk: Walk) -> Piece:
        value = walk.convert(walk(node.this), DOUBLE)
        return walk.say(name, [value], DOUBLE, reach(value.reach))

    return handler


def _logarithm(node: exp.Expression, walk: Walk) -> Piece:
    name = {"10": "log10", "2": "log2"}.get(node.this.name)
    if name is None or node.args.get("expression") is None:
        raise walk.refusal("LOG")
    return walk.say(name, [walk.convert(walk(node.expression), DOUBLE)], DOUBLE, _SMALL)


def _with_number(name: str, argument: str) -> Handler:
    """A function of a double and a whole literal."""

    def handler(node: exp.Expression, walk: Walk) -> Piece:
        value = walk.convert(walk(node.this), DOUBLE)
        given = node.args.get(argument)
        if given is None:
            return walk.say(name, [value], DOUBLE, _whole(value.reach))
        number = walk(given)
        if not isinstance(number.constant, int):
            raise walk.refusal(f"{name} with a number that is no literal")
        return walk.say(name if name == "power" else "round_digits", [value, number], DOUBLE, Reach())

    return handler


def _whole(value: Reach) -> Reach:
    return Reach(1.0, value.most + 1)


_SMALL = Reach(TINIEST, 1100.0)  # logarithms of doubles


def _finite(node: exp.Expression, walk: Walk) -> Piece:
    return walk.say("isfinite", [walk.convert(walk(node.expressions[0]), DOUBLE)], BOOLEAN)


def _octets(node: exp.Expression, walk: Walk) -> Piece:
    return walk.say("strlen", [walk.convert(walk(node.expressions[0]), VARCHAR)], BIGINT)


def _sign(node: exp.Expression, walk: Walk) -> Piece:
    return walk.say("sign", [walk(node.this)], SqlType("TINYINT"))


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


FUNCTIONS: dict[type[exp.Expression], Handler] = {
    exp.Abs: _same("abs"),
    exp.Sign: _sign,
    exp.Sqrt: _double("sqrt", lambda value: Reach(math.sqrt(value.least) / 2, math.sqrt(value.most) * 2)),
    exp.Ln: _double("ln", lambda _: _SMALL),
    exp.Log: _logarithm,
    exp.Exp: _double("exp", lambda _: Reach()),
    exp.Pow: _with_number("power", "expression"),
    exp.Round: _with_number("round", "decimals"),
    exp.Floor: _double("floor", _whole),
    exp.Ceil: _double("ceil", _whole),
    exp.Trunc: _double("trunc", _whole),
    exp.Coalesce: _several("coalesce"),
    exp.Least: _several("least"),
    exp.Greatest: _several("greatest"),
    exp.Length: _texts("length", BIGINT),
    exp.Lower: _texts("lower", VARCHAR),
    exp.Upper: _texts("upper", VARCHAR),
    exp.MD5: _texts("md5", VARCHAR),
    exp.Trim: _trim,
    exp.Substring: _texts("substring", VARCHAR, "start", "length"),
    exp.Left: _texts("left", VARCHAR, "expression"),
    exp.Right: _texts("right", VARCHAR, "expression"),
    exp.StartsWith: _texts("starts_with", BOOLEAN, "expression"),
    exp.EndsWith: _texts("ends_with", BOOLEAN, "expression"),
    exp.Contains: _texts("contains", BOOLEAN, "expression"),
    exp.Concat: _listed_texts("concat"),
    exp.DPipe: _listed_texts("||"),
    exp.Like: _like,
    exp.ILike: _like,
    exp.Escape: _like,
    exp.RegexpFullMatch: _match,
    exp.Cast: _cast,
    exp.TryCast: _cast,
}
NAMED_FUNCTIONS: dict[str, Handler] = {"isfinite": _finite, "strlen": _octets}
