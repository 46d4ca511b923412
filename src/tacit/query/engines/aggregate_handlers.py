"""Aggregates and row_number of lowered SQL, with their types."""

from __future__ import annotations

from sqlglot import exp

from tacit.query.engines.expression_walk import Handler, Walk
from tacit.query.sql.dialects.piece import Piece
from tacit.query.sql.dialects.sql_type import BIGINT, HUGEINT

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


def _window(node: exp.Expression, walk: Walk) -> Piece:
    """row_number() OVER (PARTITION BY … ORDER BY …), with NULLs last."""
    order = node.args.get("order")
    if not isinstance(node.this, exp.RowNumber) or node.args.get("spec") or order is None:
        raise walk.refusal("a window function other than row_number")
    if any(item.args.get("desc") or item.args.get("nulls_first") for item in order.expressions):
        raise walk.refusal("a descending order")
    parts = ", ".join(walk(part).sql for part in node.args.get("partition_by") or [])
    keys = ", ".join(f"{walk(item.this).sql} NULLS LAST" for item in order.expressions)
    number = walk.say("row_number", [], BIGINT)
    within = f"PARTITION BY {parts} " if parts else ""
    return Piece(f"{number.sql} OVER ({within}ORDER BY {keys})", BIGINT, reach=number.reach)


AGGREGATES: dict[type[exp.Expression], Handler] = {
    exp.Sum: _sum,
    exp.Count: _count,
    exp.Min: _extreme("MIN"),
    exp.Max: _extreme("MAX"),
    exp.Window: _window,
}
