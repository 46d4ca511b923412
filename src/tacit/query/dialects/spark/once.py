"""An expression that is needed several times."""

from __future__ import annotations

from collections.abc import Callable

from tacit.query.dialects.spark.calls import call

_SHORT = 1_000


def once(x: str, use: Callable[[str], str]) -> str:
    """`use` of a text; a long one is given a name, or nested uses would double it again and again.

    A name is slow, since Spark does not compile it; of a short text repeated Spark evaluates equal parts once.
    """
    return use(x) if len(x) <= _SHORT else _named(x, use("x"))


def both_once(x: str, y: str, use: Callable[[str, str], str]) -> str:
    """The same for two texts."""
    return use(x, y) if len(x) + len(y) <= _SHORT else _named(call("struct", x, y), use("x.col1", "x.col2"))


def _named(x: str, used: str) -> str:
    return call("element_at", call("transform", call("array", x), f"x -> {used}"), "1")
