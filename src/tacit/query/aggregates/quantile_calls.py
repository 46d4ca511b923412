"""Calls of quantiles, MEDIAN, MIN and MAX: their argument and their share; and times as numbers."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp, parse_one

from tacit.errors import Refused
from tacit.exact import proper
from tacit.schema.kind import Kind

_EXTREME = Fraction(1, 200)


def without_scale(call: str) -> Refused:
    """The refusal of a quantile, by its SQL, whose values have no bounds that would tell them apart."""
    node = parse_one(call, dialect="duckdb")
    call_node = node.this if isinstance(node, exp.Filter) else node
    found = quantile_call(call_node) if isinstance(call_node, exp.Expression) else None
    inside = "x" if found is None else found[0].sql("duckdb")
    cure = f"LEAST(GREATEST({inside}, 0), 1000) in its place; min and max declared for its columns; or `tacit profile`."
    return Refused(call, "Its values have no bounds, so that the answer could be anywhere.", cure)


def since_1970(time: exp.Expression, kind: Kind) -> exp.Expression:
    """A time as a number: days, or whole seconds, since the start of 1970."""
    start = exp.cast(exp.Literal.string("1970-01-01"), kind.traits.cast)
    unit = "second" if kind.has_clock else "day"
    return exp.DateDiff(this=time.copy(), expression=start, unit=exp.var(unit))


def quantile_call(node: exp.Expression) -> tuple[exp.Expression, Fraction, str] | None:
    """The argument of a quantile, its share, and its description; None if the call is not a quantile."""
    if isinstance(node, exp.Median):
        return node.this, Fraction(1, 2), ""
    if isinstance(node, exp.Min):
        return node.this, _EXTREME, f"{node.sql('duckdb')} stands for the value that 0.5% of the rows lie below"
    if isinstance(node, exp.Max):
        return node.this, 1 - _EXTREME, f"{node.sql('duckdb')} stands for the value that 99.5% of the rows lie below"
    if isinstance(node, (exp.PercentileCont, exp.PercentileDisc)) and node.args.get("expression"):
        return node.this, _level(node, node.expression), ""
    if isinstance(node, exp.Quantile):
        return node.this, _level(node, node.args["quantile"]), ""
    if isinstance(node, exp.WithinGroup) and isinstance(node.this, (exp.PercentileCont, exp.PercentileDisc)):
        ordered = node.expression.expressions
        if len(ordered) == 1:
            level = _level(node, node.this.this)
            return ordered[0].this, 1 - level if ordered[0].args.get("desc") else level, ""
    return None


def _level(node: exp.Expression, literal: exp.Expression) -> Fraction:
    if isinstance(literal, exp.Array):
        raise Refused(node.sql("duckdb"), "A cell has one number.", "one call for each share, side by side.")
    if not isinstance(literal, exp.Literal) or literal.is_string:
        raise Refused(node.sql("duckdb"), "Its share is no number.", "a share between 0 and 1, such as 0.9.")
    return proper(literal.name, "share")
