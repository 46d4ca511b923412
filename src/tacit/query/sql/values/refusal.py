"""The refusal of a piece of a query: how the piece is quoted, and which known names are nearest."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from sqlglot import ErrorLevel, exp

from tacit.errors import Refused

_LONGEST = 80


WRITTEN = "written"
"""The key of the name by which the query calls a function: the parser knows it by another, perhaps."""


def called(node: exp.Func) -> str:
    """The name of a function as the query has it; where that is not known, as DuckDB has it."""
    written = node.meta.get(WRITTEN)
    if isinstance(written, str) or isinstance(node, exp.Anonymous):
        return str(written or node.name).upper()
    text = _in_duckdb(node)
    name = text.partition("(")[0]
    return (name if name.isidentifier() and len(text) <= _LONGEST else node.sql_name()).upper()


def _in_duckdb(node: exp.Expr) -> str:
    return node.sql(dialect="duckdb", unsupported_level=ErrorLevel.IGNORE)


def shown(node: exp.Expression) -> str:
    """The SQL of `node` as the analyst would write it, cut to a readable length."""
    try:
        text = _said(node)
    except RecursionError:
        return "a deeply nested expression"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _said(node: exp.Expr) -> str:
    """The SQL; of a function that DuckDB's words would name otherwise, its own name and its operands."""
    text = _in_duckdb(node)
    is_renamed = WRITTEN in node.meta or len(text) > _LONGEST
    if not isinstance(node, exp.Func) or not is_renamed or text.upper().startswith(called(node)):
        return text
    parts = [part for value in node.args.values() for part in (value if isinstance(value, list) else [value])]
    return f"{called(node)}({', '.join(_said(part) for part in parts if isinstance(part, exp.Expr))})"


def refuse(node: exp.Expression, why: str, accepted: str) -> Refused:
    """The refusal of one piece of a query."""
    return Refused(shown(node), why, accepted)


def near(name: str, names: Iterable[str]) -> str:
    """Up to five of `names`, nearest first; all of them if they are few."""
    known = sorted(set(names))
    if len(known) <= 5:
        return ", ".join(known) or "none"
    return ", ".join(get_close_matches(name, known, n=5, cutoff=0.0))


def near_functions(name: str, names: Iterable[str]) -> str:
    """The functions with the nearest names; where none is near, where all are listed."""
    known = {word.upper(): word for word in sorted(names)}
    found = get_close_matches(name.upper(), [*known], n=4, cutoff=0.5)
    listed = "the functions of docs/sql-semantics.md"
    return f"{', '.join(known[word] for word in found)}, or another of {listed}." if found else f"{listed}."
