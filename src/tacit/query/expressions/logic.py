"""AND, OR and NOT, in three-valued logic."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from tacit.query.expressions.comparison import boolean
from tacit.query.expressions.rule import Family, Rule, Typer, part
from tacit.query.expressions.shown import refuse
from tacit.query.expressions.storage import is_null, null_of
from tacit.query.typed import Typed
from tacit.schema.kind import Kind


def truth(node: exp.Expression, typer: Typer) -> Typed:
    """The expression, if it is a truth value."""
    typed = typer(node)
    if is_null(typed):
        return null_of(Kind.BOOLEAN)
    if typed.kind is not Kind.BOOLEAN:
        why = f"A condition is true or false; this is {typed.kind}."
        raise refuse(node, why, "a comparison such as x > 0, or x IS NOT NULL.")
    return typed


def _joined(operator: str) -> Rule:
    def rule(node: exp.Expression, typer: Typer) -> Typed:
        left, right = truth(part(node), typer), truth(part(node, "expression"), typer)
        return boolean(f"({left.sql} {operator} {right.sql})", left, right)

    return rule


def _not(node: exp.Expression, typer: Typer) -> Typed:
    value = truth(part(node), typer)
    keys = None if value.keys is None else tuple(not key for key in value.keys)
    return replace(value, sql=f"(NOT {value.sql})", keys=keys)


LOGIC = Family("logic", ("AND", "OR", "NOT"), {exp.And: _joined("AND"), exp.Or: _joined("OR"), exp.Not: _not})
