"""Why an expression has no bounds, in words, and what would give it some."""

from __future__ import annotations

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.expressions.registry import type_expression
from tacit.query.expressions.scope import Scope
from tacit.query.expressions.shown import shown
from tacit.schema.kind import Kind


@frozen
class Unbounded:
    """The innermost part that has no bound: the reason, and what would be accepted instead."""

    why: str
    cure: str

    def __str__(self) -> str:
        return self.why


def unbounded_reason(node: exp.Expression, scope: Scope) -> Unbounded | None:
    """Why the numbers of `node` have no bounds; None if they have them, or are no numbers."""
    if _is_bounded(node, scope):
        return None
    for inner in node.iter_expressions():
        found = unbounded_reason(inner, scope)
        if found is not None:
            return found
    return _reason(node, scope)


def _is_bounded(node: exp.Expression, scope: Scope) -> bool:
    """It has bounds, or is no number of its own (a unit, a type, a text)."""
    try:
        typed = type_expression(node, scope)
    except Refused:
        return not any(not _is_bounded(inner, scope) for inner in node.iter_expressions())
    return typed.kind is not Kind.FLOAT or (typed.low is not None and typed.high is not None)


def _reason(node: exp.Expression, scope: Scope) -> Unbounded:
    text = shown(node)
    if isinstance(node, exp.Column):
        cure = f"declare min and max of {node.name} in the description, or LEAST(GREATEST({text}, 0), 100)."
        return Unbounded(f"{text} has no declared bounds.", cure)
    if isinstance(node, exp.Div):
        below = shown(node.expression)
        divisor = type_expression(node.expression, scope)
        small = "GREATEST" if divisor.low is not None and divisor.low >= 0 else "LEAST"
        limit = 1 if small == "GREATEST" else -1
        if divisor.low is not None and divisor.high is not None and divisor.low < 0 < divisor.high:
            why = f"{text} has no bound because {below} may come arbitrarily near to 0."
            return Unbounded(why, f"{shown(node.this)} / GREATEST({below}, 1), or a bounded form of the quotient.")
        why = f"{text} has no bound because {below} may be 0."
        return Unbounded(why, f"{shown(node.this)} / {small}({below}, {limit}).")
    if isinstance(node, exp.Exp):
        return Unbounded(f"{text} may be larger than any number kept.", f"EXP(LEAST({shown(node.this)}, 50)).")
    return Unbounded(f"{text} may be larger than any number kept.", f"LEAST(GREATEST({text}, 0), 100).")
