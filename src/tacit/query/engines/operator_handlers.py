"""Operators of lowered SQL: arithmetic, comparison, logic, CASE."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from sqlglot import exp

from tacit.query.engines.case_ranges import as_choice, branch_facts
from tacit.query.engines.expression_walk import Handler, Walk
from tacit.query.engines.value_handlers import integer_type
from tacit.query.sql.dialects.sql_type import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    Reach,
    SqlType,
    as_decimal,
    decimal,
    hull,
)
from tacit.query.sql.dialects.translator import Piece
from tacit.query.sql.expressions.date_shifts import shifted


def _negate(node: exp.Expression, walk: Walk) -> Piece:
    value = walk(node.this)
    if isinstance(value.constant, int):
        return walk.literal(-value.constant, integer_type(-value.constant))
    if isinstance(value.constant, (float, Decimal)):
        return walk.literal(-value.constant, value.type)
    return walk.say("negate", [value], value.type, value.reach)


def _paren(node: exp.Expression, walk: Walk) -> Piece:
    return walk(node.this)  # a dialect's text of an operation is one term


def _arithmetic(sign: str) -> Handler:
    def handler(node: exp.Expression, walk: Walk) -> Piece:
        if isinstance(node.expression, exp.Interval):
            return shifted(node, walk)
        left, right = walk(node.this), walk(node.expression)
        if sign == "-" and left.type == right.type == DATE:
            return walk.say("date_minus", [left, right], BIGINT)
        if not (left.type.is_number and right.type.is_number):
            raise walk.refusal(f"{left.type} {sign} {right.type}")
        if sign == "*" and "DECIMAL" in (left.type.name, right.type.name) and DOUBLE not in (left.type, right.type):
            first, second = (_digits(piece) for piece in (left, right))
            kind = decimal(first.width + second.width, first.scale + second.scale)
            return walk.say("*", [left, right], kind, left.reach * right.reach)
        operands, kind = walk.together([left, right])
        if kind.is_float:
            kind, operands = DOUBLE, [walk.convert(piece, DOUBLE) for piece in operands]
        one, other = (piece.reach for piece in operands)
        return walk.say(sign, operands, kind, one * other if sign == "*" else one + other)

    return handler


def _digits(piece: Piece) -> SqlType:
    """The decimal that holds an operand: a literal has no more digits than it shows."""
    if isinstance(piece.constant, int):
        return decimal(len(str(abs(piece.constant))), 0)
    return as_decimal(piece.type)


def _divide(node: exp.Expression, walk: Walk) -> Piece:
    left, right = (walk.convert(walk(part), DOUBLE) for part in (node.this, node.expression))
    return walk.say("/", [left, right], DOUBLE, left.reach / right.reach)


def _whole(sign: str) -> Handler:
    def handler(node: exp.Expression, walk: Walk) -> Piece:
        operands, kind = walk.together([walk(node.this), walk(node.expression)])
        if not kind.is_integer:
            raise walk.refusal(f"{sign} of {kind}", "integers.")
        size = operands[0].reach if sign == "//" else operands[1].reach
        return walk.say(sign, operands, kind, Reach(1.0, size.most))

    return handler


def _compare(sign: str) -> Handler:
    def handler(node: exp.Expression, walk: Walk) -> Piece:
        operands, _ = walk.together([walk(node.this), walk(node.expression)])
        return walk.say(sign, operands, BOOLEAN)

    return handler


def _between(node: exp.Expression, walk: Walk) -> Piece:
    operands, _ = walk.together([walk(node.this), walk(node.args["low"]), walk(node.args["high"])])
    return walk.say("BETWEEN", operands, BOOLEAN)


def _in(node: exp.Expression, walk: Walk) -> Piece:
    value, query = walk(node.this), node.args.get("query")
    if query is None:
        operands, _ = walk.together([value, *(walk(item) for item in node.expressions)])
        return walk.say("IN", operands, BOOLEAN)
    found = walk.query(query.this)
    if [column.type for column in found.columns] != [value.type]:
        raise walk.refusal("IN with a query of another type")
    return Piece(f"({value.sql} IN ({found.sql}))", BOOLEAN)


def _logic(word: str) -> Handler:
    def handler(node: exp.Expression, walk: Walk) -> Piece:
        operands = [walk.convert(walk(part), BOOLEAN) for part in (node.this, node.args.get("expression")) if part]
        return walk.say(word, operands, BOOLEAN)

    return handler


def _is(node: exp.Expression, walk: Walk) -> Piece:
    if not isinstance(node.expression, exp.Null):
        raise walk.refusal("IS with anything but NULL")
    return walk.say("IS NULL", [walk(node.this)], BOOLEAN)


def _test(node: exp.Expression, walk: Walk) -> Piece:
    """A condition of a CASE, where NULL is equivalent to FALSE; the dialect may have a shorter form for that."""
    if (keys := _keys(node)) is not None:
        return _in(keys, walk)
    sign = _ORDERS.get(type(node))
    word = f"{sign} in a test"
    if sign is not None and word in walk.dialect.operations:
        operands, _ = walk.together([walk(node.this), walk(node.expression)])
        return walk.say(word, operands, BOOLEAN)
    return walk.convert(walk(node), BOOLEAN)


def _keys(node: exp.Expression) -> exp.In | None:
    """TRY_CAST(x AS ENUM(…)) IS NOT NULL: whether x is among these texts, a set that DuckDB hashes once."""
    cast = node.this.this if isinstance(node, exp.Not) and isinstance(node.this, exp.Is) else None
    if not isinstance(cast, exp.TryCast) or not cast.to.is_type(exp.DataType.Type.ENUM):
        return None
    return exp.In(this=cast.this, expressions=cast.to.expressions)


_ORDERS: dict[type[exp.Expression], str] = {exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}


def _case(node: exp.Expression, walk: Walk) -> Piece:
    if node.args.get("this") is not None:
        raise walk.refusal("CASE with a subject")
    if (choice := as_choice(node, walk)) is not None:
        return walk(choice)
    branches: list[exp.Expression] = node.args["ifs"]
    tests = [_test(branch.this, walk) for branch in branches]
    default = node.args.get("default")
    given = [branch.args["true"] for branch in branches] + ([default] if default is not None else [])
    facts = branch_facts(branches, walk)
    results, kind = walk.together([replace(walk, facts={**walk.facts, **next(facts)})(part) for part in given])
    chosen = [piece for pair in zip(tests, results, strict=False) for piece in pair]
    otherwise = results[-1:] if default is not None else []
    return walk.say("CASE", [*chosen, *otherwise], kind, hull(piece.reach for piece in results))


def _collate(node: exp.Expression, walk: Walk) -> Piece:
    if node.expression.name != "C":
        raise walk.refusal("COLLATE")
    return walk(node.this)  # texts compare by code points everywhere


OPERATORS: dict[type[exp.Expression], Handler] = {
    exp.Paren: _paren,
    exp.Neg: _negate,
    exp.Add: _arithmetic("+"),
    exp.Sub: _arithmetic("-"),
    exp.Mul: _arithmetic("*"),
    exp.Div: _divide,
    exp.IntDiv: _whole("//"),
    exp.Mod: _whole("%"),
    exp.EQ: _compare("="),
    exp.NEQ: _compare("<>"),
    exp.LT: _compare("<"),
    exp.LTE: _compare("<="),
    exp.GT: _compare(">"),
    exp.GTE: _compare(">="),
    exp.NullSafeEQ: _compare("IS NOT DISTINCT FROM"),
    exp.NullSafeNEQ: _compare("IS DISTINCT FROM"),
    exp.Between: _between,
    exp.In: _in,
    exp.And: _logic("AND"),
    exp.Or: _logic("OR"),
    exp.Not: _logic("NOT"),
    exp.Is: _is,
    exp.Case: _case,
    exp.Collate: _collate,
}
