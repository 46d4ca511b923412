"""Predicates: comparisons, and AND, OR and NOT in three-valued logic.

Comparisons are = <> < <= > >=, IS [NOT] DISTINCT FROM, IS NULL, IS TRUE, BETWEEN and IN.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from tacit.query.sql.expressions.result_types import unify
from tacit.query.sql.expressions.rule import Family, Rule, Typer, part, parts
from tacit.query.sql.expressions.second_line import tried
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import as_type, is_null, null_of, sql_type
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

_LONGEST_LIST = 10_000


def boolean(sql: str, *parts: Typed) -> Typed:
    """A truth value that is NULL only where one of `parts` is."""
    is_constant = bool(parts) and all(item.is_constant for item in parts)
    return Typed(Kind.BOOLEAN, sql, nullable=any(item.nullable for item in parts), is_constant=is_constant)


def sides(node: exp.Expression, typer: Typer, *items: Typed) -> tuple[str, ...]:
    """The SQL of items to be compared, in one type."""
    same = unify(node, *items)
    types = {sql_type(item) for item in same}
    target = "HUGEINT" if "HUGEINT" in types else next(iter(types))
    listed = (as_type(item, target) for item in same)
    return tuple(map(tried, listed) if typer.is_outer else listed)


def _compare(operator: str) -> Rule:
    def rule(node: exp.Expression, typer: Typer) -> Typed:
        left, right = typer.within(part(node)), typer.within(part(node, "expression"))
        first, second = sides(node, typer, left, right)
        return boolean(f"({first} {operator} {second})", left, right)

    return rule


def _distinct(operator: str) -> Rule:
    def rule(node: exp.Expression, typer: Typer) -> Typed:
        left, right = typer.within(part(node)), typer.within(part(node, "expression"))
        first, second = sides(node, typer, left, right)
        return boolean(f"({first} {operator} {second})")

    return rule


def _is(node: exp.Expression, typer: Typer) -> Typed:
    value, what = typer(part(node)), node.expression
    if isinstance(what, exp.Null):
        return boolean(f"({value.sql} IS NULL)" if value.nullable else "FALSE")
    if isinstance(what, exp.Boolean) and value.kind is Kind.BOOLEAN:
        return boolean(f"({value.sql} IS NOT DISTINCT FROM {'TRUE' if what.this else 'FALSE'})")
    raise refuse(
        node, "IS asks for NULL, or for TRUE or FALSE of a truth value.", "x IS NULL, x IS NOT NULL, p IS TRUE."
    )


def _between(node: exp.Expression, typer: Typer) -> Typed:
    value, low, high = (typer.within(part(node, name)) for name in ("this", "low", "high"))
    first, second = sides(node, typer, value, low), sides(node, typer, value, high)
    return boolean(f"({first[0]} >= {first[1]} AND {second[0]} <= {second[1]})", value, low, high)


def _in(node: exp.Expression, typer: Typer) -> Typed:
    listed = parts(node)
    if node.args.get("query") is not None or not listed:
        raise refuse(node, "Only in WHERE does IN take a query.", "x IN (1, 2, 3); or x IN (SELECT …) in WHERE.")
    if not len(listed) <= _LONGEST_LIST:
        raise refuse(node, f"The list has more than {_LONGEST_LIST} values.", "a join with a public table.")
    items = [typer.within(item) for item in listed]
    if not all(item.is_constant for item in items):
        raise refuse(node, "IN takes a list of literals.", "x IN (1, 2, 3), or x = y OR x = z.")
    value = typer.within(part(node))
    first, *rest = sides(node, typer, value, *items)
    return boolean(f"({first} IN ({', '.join(rest)}))", value, *items)


_OPERATORS: dict[type[exp.Expression], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
COMPARISON = Family(
    "comparison",
    ("=", "<>", "<", "<=", ">", ">=", "IS NULL", "IS DISTINCT FROM", "IS TRUE", "BETWEEN", "IN"),
    {node: _compare(operator) for node, operator in _OPERATORS.items()}
    | {
        exp.NullSafeEQ: _distinct("IS NOT DISTINCT FROM"),
        exp.NullSafeNEQ: _distinct("IS DISTINCT FROM"),
        exp.Is: _is,
        exp.Between: _between,
        exp.In: _in,
    },
)


def truth(node: exp.Expression, typer: Typer) -> Typed:
    """The expression; refused unless it is a truth value."""
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
