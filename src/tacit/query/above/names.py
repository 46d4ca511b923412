"""The names of the answer's columns."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp


def column_names(items: Sequence[exp.Expr], labels: Sequence[bool]) -> list[str]:
    """One name an item, all different: its alias, its column, `count`, or its SQL in lower case.

    A number `c` also takes `c_low` and `c_high` for its interval; a name that is taken gets a suffix.
    """
    taken: set[str] = set()
    found = []
    for item, label in zip(items, labels, strict=True):
        wanted = _wanted(item)
        name, again = wanted, 2
        while not taken.isdisjoint(_columns(name, label)):
            name, again = f"{wanted}_{again}", again + 1
        taken |= _columns(name, label)
        found.append(name)
    return found


def _columns(name: str, label: bool) -> set[str]:
    lower = name.lower()
    return {lower} if label else {lower, f"{lower}_low", f"{lower}_high"}


def _wanted(item: exp.Expr) -> str:
    if isinstance(item, exp.Alias | exp.Column):
        return str(item.alias_or_name)
    if isinstance(item, exp.Count) and isinstance(item.this, exp.Star):
        return "count"
    return item.sql(dialect="duckdb", comments=False).lower()
