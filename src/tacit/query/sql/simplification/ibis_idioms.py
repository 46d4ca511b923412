"""Idioms that ibis writes for DuckDB, replaced by forms that the planner knows."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal

from sqlglot import exp
from sqlglot.optimizer.simplify import simplify

from tacit.schema.kind import kind_of


def in_plain_words(tree: exp.Select) -> exp.Select:
    """The same query: dates written out, parts of texts by number, and approximate aggregates by their exact names,
    since every number is approximate here."""
    said = tree.transform(_said)
    assert isinstance(said, exp.Select)
    for node in list(said.find_all(exp.Filter)):
        if node.parent_select is not said:
            _filter_inside(node)
    return said


def _filter_inside(node: exp.Filter) -> None:
    """An aggregate of each person with FILTER, as one of a CASE: filtered values are NULL, and so not counted."""
    call, keep = node.this, node.expression.this
    holder = call.this if isinstance(call.this, exp.Distinct) else call
    inside = holder.expressions[0] if holder is not call else call.this
    if isinstance(inside, exp.Star):
        inside = exp.Literal.number(1)
    kept = exp.Case(ifs=[exp.If(this=keep, true=inside.copy())])
    holder.set(*(("expressions", [kept]) if holder is not call else ("this", kept)))
    node.replace(call)


def _said(node: exp.Expression) -> exp.Expression:
    if isinstance(node, exp.ApproxDistinct):
        return exp.Count(this=exp.Distinct(expressions=[node.this]))
    if isinstance(node, exp.ApproxQuantile):
        return exp.Quantile(this=node.this, quantile=node.args["quantile"])
    if isinstance(node, exp.Substring):
        return _substring(node)
    if isinstance(node, exp.DateFromParts | exp.TimestampFromParts):
        return _moment(node)
    return _slice(node) if isinstance(node, exp.ArraySlice) else node


def _moment(node: exp.DateFromParts | exp.TimestampFromParts) -> exp.Expression:
    """A date or timestamp of literals, as text; others are unchanged."""
    parts = [_number(node.args.get(name)) for name in ("year", "month", "day", "hour", "min", "sec")]
    known = [part for part in parts if part is not None]
    try:
        if isinstance(node, exp.DateFromParts) and len(known) == 3:
            return _literal(date(*map(int, known)))
        if isinstance(node, exp.TimestampFromParts) and len(known) == 6:
            year, month, day, hour, minute = map(int, known[:5])
            fraction = timedelta(microseconds=int(known[5] * 1_000_000))
            return _literal(datetime(year, month, day, hour, minute) + fraction)
    except (ValueError, OverflowError):
        return node
    return node


def _literal(time: date) -> exp.Expression:
    return exp.cast(exp.Literal.string(str(time)), str(kind_of(time).traits.sql))


def _number(node: exp.Expression | None) -> Decimal | None:
    if isinstance(node, exp.Neg):
        number = _number(node.this)
        return None if number is None else -number
    return Decimal(node.name) if isinstance(node, exp.Literal) and not node.is_string else None


def _substring(node: exp.Substring) -> exp.Expression:
    """ibis tests whether a literal start is negative; the test is evaluated here."""
    start = node.args.get("start")
    if isinstance(start, exp.Case):
        known = simplify(start.copy(), dialect="duckdb")
        if isinstance(known, exp.Literal):
            node.set("start", known)
    return node


def _slice(node: exp.ArraySlice) -> exp.Expression:
    """text[a:b] with literals that count from the first letter."""
    first, last = (_number(_first_known(node.args.get(end))) for end in ("start", "end"))
    if first is None or last is None or not (first >= 1 and last >= first - 1):
        return node
    length = exp.Literal.number(int(last - first) + 1)
    return exp.Substring(this=node.this, start=exp.Literal.number(int(first)), length=length)


def _first_known(node: exp.Expression | None) -> exp.Expression | None:
    """The value of a COALESCE of literals."""
    if not isinstance(node, exp.Coalesce):
        return node
    return next((part for part in (node.this, *node.expressions) if not isinstance(part, exp.Null)), node)
