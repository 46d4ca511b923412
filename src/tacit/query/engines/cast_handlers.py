"""Casts of lowered SQL: the type that is named, and how a value becomes one of it."""

from __future__ import annotations

import math

from sqlglot import exp

from tacit.query.engines.dialect import Piece
from tacit.query.engines.expression_walk import Handler, Walk
from tacit.query.engines.sql_type import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    NULL,
    TIMESTAMP,
    VARCHAR,
    ZONED,
    SqlType,
    decimal,
)

_TYPES = {
    "TINYINT": SqlType("TINYINT"),
    "SMALLINT": SqlType("SMALLINT"),
    "INT": INTEGER,
    "BIGINT": BIGINT,
    "INT128": SqlType("HUGEINT"),
    "DOUBLE": DOUBLE,
    "FLOAT": SqlType("FLOAT"),
    "TEXT": VARCHAR,
    "VARCHAR": VARCHAR,
    "BOOLEAN": BOOLEAN,
    "DATE": DATE,
    "TIMESTAMP": TIMESTAMP,
    "TIMESTAMPNTZ": TIMESTAMP,
    "TIMESTAMPTZ": SqlType(ZONED),
}
_TIMES = (DATE, TIMESTAMP)


def _target(node: exp.Expression, walk: Walk) -> SqlType:
    to = node.args["to"]
    name = str(getattr(to.this, "value", to.this)).upper()
    if name == "DECIMAL":
        width, scale = (int(item.name) for item in to.expressions)
        return decimal(width, scale)
    if name not in _TYPES:
        raise walk.refusal(f"a cast to {name}")
    return _TYPES[name]


def _cast(node: exp.Expression, walk: Walk) -> Piece:
    target, value, is_try = _target(node, walk), walk(node.this), isinstance(node, exp.TryCast)
    if isinstance(value.constant, str) and target in _TIMES and not is_try:
        return walk.literal(value.constant, target)
    if value.constant == "infinity" and target == DOUBLE:
        return walk.literal(math.inf, target)
    if value.type == target or value.type == NULL or (value.constant is not None and target.is_number and not is_try):
        return walk.convert(value, target)
    return walk.cast(value, target, is_try)


CASTS: dict[type[exp.Expression], Handler] = {exp.Cast: _cast, exp.TryCast: _cast}
