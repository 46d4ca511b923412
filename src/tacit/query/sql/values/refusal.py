"""The refusal of a piece of a query: how the piece is quoted, and which known names are nearest."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from sqlglot import exp

from tacit.errors import Refused

_LONGEST = 80


def shown(node: exp.Expression) -> str:
    """The SQL of `node` as the analyst would write it, cut to a readable length."""
    try:
        text = node.sql(dialect="duckdb")
    except RecursionError:
        return "a deeply nested expression"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def refuse(node: exp.Expression, why: str, accepted: str) -> Refused:
    """The refusal of one piece of a query."""
    return Refused(shown(node), why, accepted)


def near(name: str, names: Iterable[str]) -> str:
    """Up to five of `names`, nearest first; all of them if they are few."""
    known = sorted(set(names))
    if len(known) <= 5:
        return ", ".join(known) or "none"
    return ", ".join(get_close_matches(name, known, n=5, cutoff=0.0))
