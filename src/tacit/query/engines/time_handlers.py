"""Functions of times in lowered SQL: parts, differences, starts of a unit, time zones and fixed intervals."""

from __future__ import annotations

import re

from sqlglot import exp

from tacit.query.engines.expression_walk import Handler, Walk
from tacit.query.sql.dialects.piece import Piece
from tacit.query.sql.dialects.sql_type import BIGINT, DATE, INTEGER, TIMESTAMP, VARCHAR


def _truncated(node: exp.Expression, walk: Walk) -> Piece:
    unit = walk.literal(node.args["unit"].name.lower(), VARCHAR)
    return walk.say("date_trunc", [unit, walk.convert(walk(node.this), TIMESTAMP)], TIMESTAMP)


def _difference(node: exp.Expression, walk: Walk) -> Piece:
    unit = walk.literal(node.args["unit"].name.lower(), VARCHAR)
    times = [walk(node.expression), walk(node.this)]
    if unit.constant == "day" and all(time.type == DATE for time in times):
        return walk.say("date_minus", times[::-1], BIGINT)
    return walk.say("date_diff", [unit, *(walk.convert(time, TIMESTAMP) for time in times)], BIGINT)


def _date_part(node: exp.Expression, walk: Walk) -> Piece:
    unit, time = (walk(part) for part in node.expressions)
    return walk.say("date_part", [unit, walk.convert(time, TIMESTAMP)], BIGINT)


def _epoch(node: exp.Expression, walk: Walk) -> Piece:
    return walk.say("epoch_us", [walk.convert(walk(node.expressions[0]), TIMESTAMP)], BIGINT)


def _zone(node: exp.Expression, walk: Walk) -> Piece:
    value = walk(node.this)
    if not value.type.is_zoned or node.args["zone"].name != "UTC":
        raise walk.refusal("AT TIME ZONE")
    return walk.say("in_utc", [value], TIMESTAMP)


_SHIFT = re.compile(r"(-?\d+) months (-?\d+) (days|seconds)")
_SECONDS_A_DAY = 86_400


def shifted(node: exp.Expression, walk: Walk) -> Piece:
    """date + INTERVAL 'm months n days', or timestamp + INTERVAL 'm months n seconds': a TIMESTAMP."""
    written = node.expression.this
    match = _SHIFT.fullmatch(written.name) if isinstance(written, exp.Literal) else None
    value = walk(node.this)
    if match is None or not isinstance(node, exp.Add) or not value.type.is_time:
        raise walk.refusal("an INTERVAL of another form")
    seconds = int(match[2]) * (_SECONDS_A_DAY if match[3] == "days" else 1)
    moves = [walk.literal(int(match[1]), INTEGER), Piece(str(seconds), INTEGER, seconds)]
    return walk.say("shift", [walk.convert(value, TIMESTAMP), *moves], TIMESTAMP)


TIME_FUNCTIONS: dict[type[exp.Expression], Handler] = {
    exp.TimestampTrunc: _truncated,
    exp.DateTrunc: _truncated,
    exp.DateDiff: _difference,
    exp.AtTimeZone: _zone,
}
NAMED_TIME_FUNCTIONS: dict[str, Handler] = {"date_part": _date_part, "epoch_us": _epoch}
