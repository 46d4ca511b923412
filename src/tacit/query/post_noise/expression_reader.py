"""The reader of SQL above the noise: nodes become expressions; others are refused with a correction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Final

from sqlglot import exp

from tacit.errors import Refused
from tacit.query.post_noise.conditions import Both, Comparison, Missing, Not, either
from tacit.query.post_noise.expression import (
    Constant,
    Expression,
    as_date_like,
    cast_literal,
    literal,
    negative,
    whole_literal,
)
from tacit.query.post_noise.operations import Case, Coalesce, NullIf, Operation, Rounded
from tacit.query.post_noise.scope import PostNoiseScope
from tacit.schema.kind import TIMES, Kind

ACCEPTED: Final = (
    "aggregates and group keys with + - * /, ROUND, FLOOR, CEIL, ABS, SQRT, LN, EXP, GREATEST, LEAST, COALESCE, "
    "NULLIF, CAST to a number, CASE, comparisons, AND, OR, NOT, BETWEEN, IN and IS NULL."
)
_OPERATIONS: Final[Mapping[type[exp.Expr], str]] = {
    exp.Add: "add",
    exp.Sub: "subtract",
    exp.Mul: "multiply",
    exp.Div: "divide",
    exp.Neg: "negate",
    exp.Abs: "absolute",
    exp.Sqrt: "root",
    exp.Ln: "logarithm",
    exp.Exp: "exponential",
    exp.Floor: "floor",
    exp.Ceil: "ceiling",
    exp.Greatest: "greatest",
    exp.Least: "least",
}
_COMPARISONS: Final[Mapping[type[exp.Expr], Callable[[Expression, Expression], Expression]]] = {
    exp.LT: lambda left, right: Comparison("<", left, right),
    exp.LTE: lambda left, right: Comparison("<=", left, right),
    exp.GT: lambda left, right: Comparison("<", right, left),
    exp.GTE: lambda left, right: Comparison("<=", right, left),
    exp.EQ: lambda left, right: Comparison("=", left, right),
    exp.NEQ: lambda left, right: Not(Comparison("=", left, right)),
}
_ORDERED_ALIKE: Final = ({Kind.TEXT}, {Kind.BOOLEAN}, {*TIMES})


def read(node: exp.Expr, scope: PostNoiseScope) -> Expression:
    """The expression of the node."""
    found = scope.found(node)
    if found is not None:
        return found
    if isinstance(node, exp.Paren):
        return read(node.this, scope)
    if isinstance(node, exp.Column):
        raise scope.column(node)
    if isinstance(node, exp.Literal | exp.Boolean | exp.Null):
        return literal(node)
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        return negative(literal(node.this))
    if type(node) in _OPERATIONS:
        _only(node, "this", "expression", "expressions", "typed", "safe", "ignore_nulls")
        return Operation(_OPERATIONS[type(node)], tuple(_number(part, scope) for part in _parts(node)))
    if type(node) in _COMPARISONS:
        return _comparison(node, node.this, node.expression, scope)
    reader = _READERS.get(type(node))
    if reader is None:
        raise refusal(node)
    return reader(node, scope)


def condition(node: exp.Expr, scope: PostNoiseScope) -> Expression:
    """A condition: anything that is true, false or NULL."""
    expression = read(node, scope)
    if expression.kind not in (None, Kind.BOOLEAN):
        raise Refused(
            f"{_sql(node)} as a condition", "It is not true or false.", "a comparison, such as COUNT(*) > 100."
        )
    return expression


def refusal(node: exp.Expr) -> Refused:
    """The refusal of an expression above the noise."""
    if isinstance(node, exp.Window):
        return Refused(_sql(node), "Window functions are not supported.", "ORDER BY and LIMIT over the groups.")
    if isinstance(node, exp.Query | exp.Subquery | exp.Exists):
        return Refused(_sql(node), "A sub-query cannot stand above the noise.", "a second query, and its answer.")
    if isinstance(node, exp.Star | exp.Columns):
        return Refused(_sql(node), "Rows are not released, only aggregates.", "aggregates, such as COUNT(*).")
    if isinstance(node, exp.AggFunc):
        why = "This aggregate is not supported here; an aggregate cannot stand inside another either."
        return Refused(_sql(node), why, "COUNT, SUM, AVG, VARIANCE, STDDEV, MEDIAN, QUANTILE_CONT, MIN and MAX.")
    return Refused(_sql(node), "This cannot be computed above the noise; a key may be computed in GROUP BY.", ACCEPTED)


def _number(node: exp.Expr, scope: PostNoiseScope) -> Expression:
    expression = read(node, scope)
    if expression.kind is not None and not expression.kind.is_number:
        raise Refused(f"arithmetic on {_sql(node)}", f"It is not a number but {expression.kind}.", "numbers.")
    return expression


def _comparison(node: exp.Expr, left: exp.Expr, right: exp.Expr, scope: PostNoiseScope) -> Expression:
    one, other = read(left, scope), read(right, scope)
    one, other = as_date_like(one, other), as_date_like(other, one)
    kinds = {one.kind, other.kind} - {None}
    if kinds & {*TIMES} and (one.aggregates or other.aggregates):
        why = "A time that is read from noisy counts can be shown and sorted by, and not computed with."
        raise Refused(_sql(node), why, "the comparison in WHERE; or MIN(YEAR(x)), which is a number.")
    numbers = all(kind is not None and kind.is_number for kind in kinds)
    null = any(isinstance(side, Constant) and side.value is None for side in (one, other))
    if not (numbers or null or any(kinds <= alike for alike in _ORDERED_ALIKE)):
        shown = " and ".join(sorted(str(kind) for kind in kinds))
        raise Refused(_sql(node), f"It compares {shown}.", "two numbers, two texts, or two dates.")
    return _COMPARISONS[type(node)](one, other)


def _between(node: exp.Expr, scope: PostNoiseScope) -> Expression:
    _only(node, "this", "low", "high")
    low, high = node.args["low"], node.args["high"]
    above = _comparison(exp.LTE(this=low, expression=node.this), low, node.this, scope)
    return Both(above, _comparison(exp.LTE(this=node.this, expression=high), node.this, high, scope))


def _in(node: exp.Expr, scope: PostNoiseScope) -> Expression:
    _only(node, "this", "expressions")
    if not node.expressions:
        raise refusal(node)
    same = [_comparison(exp.EQ(this=node.this, expression=one), node.this, one, scope) for one in node.expressions]
    return reduce(either, same)


def _is(node: exp.Expr, scope: PostNoiseScope) -> Expression:
    if not isinstance(node.expression, exp.Null):
        raise Refused(_sql(node), "Only IS NULL and IS NOT NULL are supported.", "IS NULL, or a comparison with =.")
    return Missing(read(node.this, scope))


def _case(node: exp.Expr, scope: PostNoiseScope) -> Expression:
    branches = []
    for branch in node.args["ifs"]:
        when = exp.EQ(this=node.this, expression=branch.this) if node.this else branch.this
        branches.append((condition(when, scope), read(branch.args["true"], scope)))
    default = node.args.get("default")
    return _chosen(node, branches, read(default, scope) if default else Constant(None))


def _if(node: exp.Expr, scope: PostNoiseScope) -> Expression:
    default = node.args.get("false")
    branch = (condition(node.this, scope), read(node.args["true"], scope))
    return _chosen(node, [branch], read(default, scope) if default else Constant(None))


def _coalesce(node: exp.Expr, scope: PostNoiseScope) -> Expression:
    operands = [read(part, scope) for part in _parts(node)]
    if all(operand.kind is not None and operand.kind.is_number for operand in operands):
        return Coalesce(tuple(operands))
    return _chosen(node, [(Not(Missing(operand)), operand) for operand in operands[:-1]], operands[-1])


def _chosen(node: exp.Expr, branches: list[tuple[Expression, Expression]], otherwise: Expression) -> Expression:
    values = [value for _, value in branches] + [otherwise]
    kinds = {Kind.FLOAT if kind.is_number else kind for value in values if (kind := value.kind) is not None}
    if len(kinds) > 1:
        raise Refused(
            _sql(node), "Its branches are of different kinds.", "branches that are all numbers, or all texts."
        )
    case = Case(tuple(branches), otherwise, next(iter(kinds), None))
    if case.aggregates and kinds and kinds != {Kind.FLOAT}:
        why = "A label that depends on a noisy number would hide how uncertain it is."
        raise Refused(_sql(node), why, "numbers in the branches (THEN 1 ELSE 0), or the aggregate itself.")
    return case


def _nullif(node: exp.Expr, scope: PostNoiseScope) -> Expression:
    return NullIf(_number(node.this, scope), _number(node.expression, scope))


def _round(node: exp.Expr, scope: PostNoiseScope) -> Expression:
    _only(node, "this", "decimals")
    digits = node.args.get("decimals")
    return Rounded(_number(node.this, scope), whole_literal(digits, "the digits of ROUND") if digits is not None else 0)


def _cast(node: exp.Expr, scope: PostNoiseScope) -> Expression:
    to = node.args["to"]
    if isinstance(node.this, exp.Literal) and node.this.is_string:
        return cast_literal(node)
    if to.this in exp.DataType.INTEGER_TYPES:
        return Operation("to whole", (_castable(node.this, scope),))
    if to.this in exp.DataType.FLOAT_TYPES:
        return Operation("to float", (_castable(node.this, scope),))
    if to.this == exp.DType.DECIMAL:
        digits = [whole_literal(part.this, "the digits of DECIMAL") for part in to.expressions]
        width, scale = (digits + [18, 3][len(digits) :])[:2]
        return Rounded(_castable(node.this, scope), scale, width - scale)
    raise Refused(
        _sql(node), "Above the noise only casts to numbers are supported.", "BIGINT, DOUBLE or DECIMAL(p, s)."
    )


def _castable(node: exp.Expr, scope: PostNoiseScope) -> Expression:
    expression = read(node, scope)
    return expression if expression.kind is Kind.BOOLEAN else _number(node, scope)


def _parts(node: exp.Expr) -> list[exp.Expr]:
    second = [node.expression] if isinstance(node, exp.Binary) else []
    return [node.this, *second, *node.expressions]


def _only(node: exp.Expr, *known: str) -> None:
    """Refuse a node that carries more than is understood here."""
    if any(value and key not in known for key, value in node.args.items()):
        raise refusal(node)


def _sql(node: exp.Expr) -> str:
    return node.sql(dialect="duckdb", comments=False)


_READERS: Final[Mapping[type[exp.Expr], Callable[[exp.Expr, PostNoiseScope], Expression]]] = {
    exp.And: lambda node, scope: Both(condition(node.this, scope), condition(node.expression, scope)),
    exp.Or: lambda node, scope: either(condition(node.this, scope), condition(node.expression, scope)),
    exp.Not: lambda node, scope: Not(condition(node.this, scope)),
    exp.Between: _between,
    exp.In: _in,
    exp.Is: _is,
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.Round: _round,
    exp.Cast: _cast,
    exp.TryCast: _cast,
}
