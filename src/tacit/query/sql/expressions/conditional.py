"""CASE, IF, COALESCE, NULLIF, GREATEST and LEAST: expressions whose value is that of one operand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from sqlglot import exp

from tacit.query.sql.dialects.sql_type import TINIEST, Reach, hull
from tacit.query.sql.dialects.translator import Call, Lowered, Piece, Translator
from tacit.query.sql.expressions.predicates import sides, truth
from tacit.query.sql.expressions.result_types import joined_bounds, unify
from tacit.query.sql.expressions.rule import Family, Rule, SqlFunction, Typer, part, parts
from tacit.query.sql.values.domains import united
from tacit.query.sql.values.exact_intervals import Interval
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import as_type, interval, is_null, null_of, sql_type
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind


def one_of(node: exp.Expression, items: Sequence[Typed]) -> tuple[Typed, tuple[str, ...]]:
    """An expression that is one of `items`, still without SQL, and the items' own SQL in its type."""
    same = unify(node, *items)
    first = next((item for item in same if not is_null(item)), same[0])
    bounds = joined_bounds(same) if first.kind not in (Kind.TEXT, Kind.BOOLEAN) else Interval(None, None)
    nullable = any(item.nullable for item in same)
    keys = united(*same) if first.kind.traits.is_keyed and first.kind is not Kind.BOOLEAN else None
    keys = () if all(is_null(item) for item in same) else keys
    is_constant = all(item.is_constant for item in same)
    longest = max(item.longest for item in same)
    result = Typed(first.kind, "", bounds.low, bounds.high, nullable, first.scale, keys, is_constant, longest)
    return result, tuple(as_type(item, sql_type(result)) for item in same)


def _case(node: exp.Expression, typer: Typer) -> Typed:
    branches = parts(node, "ifs")
    default = node.args.get("default")
    subject = node.args.get("this")
    otherwise = typer(default) if default is not None else null_of(Kind.BOOLEAN)
    result, values = one_of(node, [*(typer(part(branch, "true")) for branch in branches), otherwise])
    if subject is None:
        tests = [truth(part(branch), typer).sql for branch in branches]
    else:
        tested = typer(subject)
        pairs = [sides(branch, typer, tested, typer(part(branch))) for branch in branches]
        tests = [f"({left} = {right})" for left, right in pairs]
    chosen = " ".join(f"WHEN {test} THEN {value}" for test, value in zip(tests, values[:-1], strict=True))
    return _chosen(result, f"(CASE {chosen} ELSE {values[-1]} END)")


def _chosen(result: Typed, sql: str) -> Typed:
    """One of several values; a text that may be NULL is hidden from the engine's planner.

    DuckDB's statistics of private rows can say that no row reaches a branch. A CASE of literals is then NULL, and a
    comparison of texts with it fails while it is planned: one row more changes that. `rtrim` of no letters is the text
    itself, without statistics.
    """
    if result.kind is Kind.TEXT and result.nullable:
        sql = f"rtrim({sql}, '')"
    return replace(result, sql=sql, is_constant=False)


def _if(node: exp.Expression, typer: Typer) -> Typed:
    test, otherwise = truth(part(node), typer), node.args.get("false")
    items = [typer(part(node, "true")), null_of(Kind.BOOLEAN) if otherwise is None else typer(otherwise)]
    result, (yes, no) = one_of(node, items)
    return _chosen(result, f"(CASE WHEN {test.sql} THEN {yes} ELSE {no} END)")


def _coalesce(node: exp.Expression, typer: Typer) -> Typed:
    items = [typer(item) for item in (part(node), *parts(node))]
    sure = next((index for index, item in enumerate(items) if not item.nullable), None)
    used = items if sure is None else items[: sure + 1]
    unify(node, *items)
    result, values = one_of(node, used)
    sql = values[0] if len(values) == 1 else f"COALESCE({', '.join(values)})"
    return replace(result, sql=sql, nullable=sure is None)


def _nullif(node: exp.Expression, typer: Typer) -> Typed:
    value, missing = typer(part(node)), typer(part(node, "expression"))
    left, right = sides(node, typer, value, missing)
    return _chosen(replace(value, nullable=True), f"(CASE WHEN {left} = {right} THEN NULL ELSE {value.sql} END)")


def _extreme(name: str) -> Rule:
    def rule(node: exp.Expression, typer: Typer) -> Typed:
        items = [typer(item) for item in (part(node), *parts(node))]
        if any(item.kind is Kind.BOOLEAN and not is_null(item) for item in items):
            raise refuse(node, f"{name} compares numbers, texts or times.", "p AND q, or p OR q.")
        result, values = one_of(node, items)
        known = [item for item in unify(node, *items) if not is_null(item)]
        bounds = greatest_bounds(known) if name == "GREATEST" else least_bounds(known)
        if result.kind is Kind.TEXT or not known:
            bounds = Interval(result.low, result.high)
        sql = values[0] if len(values) == 1 else f"{name.lower()}({', '.join(values)})"
        own = replace(result, low=bounds.low, high=bounds.high, nullable=all(item.nullable for item in items))
        if sql_type(own) != sql_type(result):
            sql = f"CAST({sql} AS {sql_type(own)})"
        return replace(own, sql=sql, is_constant=False)

    return rule


def _several(call: Call) -> Lowered:
    """Operands of one type."""

    def translation(node: exp.Expression, walk: Translator) -> Piece:
        operands, kind = walk.together([walk(item) for item in (node.this, *node.expressions)])
        size = hull(piece.reach for piece in operands)
        return walk.say(call.name, operands, kind, size & _clamped(node, walk))

    return Lowered(translation, (call,))


def _clamped(node: exp.Expression, walk: Translator) -> Reach:
    """The reach of least(greatest(x, low), high) for any x."""
    inner, ends = node.this, [*node.expressions]
    if not (isinstance(node, exp.Least) and isinstance(inner, exp.Greatest) and len(ends) == 1):
        return Reach()
    found = [walk(end).constant for end in (*ends, *inner.expressions)]
    numbers = [abs(float(end)) for end in found if isinstance(end, (int, float, Decimal))]
    return Reach(TINIEST, max(numbers)) if len(numbers) == len(found) == 2 else Reach()


CONDITIONAL = Family.of(
    "conditions",
    SqlFunction(("CASE",), _case, (exp.Case,)),
    SqlFunction(("IF",), _if, (exp.If,)),
    SqlFunction(("COALESCE", "IFNULL"), _coalesce, (exp.Coalesce,), _several(Call("coalesce", "COALESCE"))),
    SqlFunction(("NULLIF",), _nullif, (exp.Nullif,)),
    SqlFunction(("GREATEST",), _extreme("GREATEST"), (exp.Greatest,), _several(Call("greatest", "GREATEST"))),
    SqlFunction(("LEAST",), _extreme("LEAST"), (exp.Least,), _several(Call("least", "LEAST"))),
)


def greatest_bounds(items: Sequence[Typed]) -> Interval:
    """The greatest is at least every item that is not NULL, which is certain only for those that cannot be NULL."""
    everything = joined_bounds(items)
    sure = [low for low in (interval(item).low for item in items if not item.nullable) if low is not None]
    return Interval(max(sure) if sure else everything.low, everything.high)


def least_bounds(items: Sequence[Typed]) -> Interval:
    """The mirror image of `greatest_bounds`."""
    everything = joined_bounds(items)
    sure = [high for high in (interval(item).high for item in items if not item.nullable) if high is not None]
    return Interval(everything.low, min(sure) if sure else everything.high)
