"""A time moved by a fixed interval."""

from __future__ import annotations

import re

from sqlglot import exp

from tacit.query.dialects.piece import Piece
from tacit.query.dialects.sql_type import DATE, INTEGER, TIMESTAMP
from tacit.query.dialects.walk import Walk

_PARTS = re.compile(r"(-?\d+) months (-?\d+) (days|seconds)")
_DAY = 86_400


def shifted(node: exp.Expression, walk: Walk) -> Piece:
    """date + INTERVAL 'm months n days', or timestamp + INTERVAL 'm months n seconds': a TIMESTAMP."""
    written = node.expression.this
    match = _PARTS.fullmatch(written.name) if isinstance(written, exp.Literal) else None
    value = walk(node.this)
    if match is None or not isinstance(node, exp.Add) or value.type not in (DATE, TIMESTAMP):
        raise walk.refusal("an INTERVAL of another form")
    seconds = int(match[2]) * (_DAY if match[3] == "days" else 1)
    moves = [walk.literal(int(match[1]), INTEGER), Piece(str(seconds), INTEGER, seconds)]
    return walk.say("shift", [walk.convert(value, TIMESTAMP), *moves], TIMESTAMP)
