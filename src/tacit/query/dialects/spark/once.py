"""An expression that is needed several times."""

from __future__ import annotations

from collections.abc import Callable

_SHORT = 1_000


def once(x: str, use: Callable[[str], str]) -> str:
    """`use` of a text; a long one is given a name, or nested uses would double it again and again.

    A name is slow, since Spark does not compile it; of a short text repeated Spark evaluates equal parts once.
    """
    return use(x) if len(x) <= _SHORT else f"element_at(transform(array({x}), x -> {use('x')}), 1)"
