"""The canonical SQL of an expression: the name by which keys and aggregates are found again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers


def canonical(node: exp.Expr) -> str:
    """DuckDB's SQL of the node, the same however its names are cased or quoted and whatever comments it carries."""
    plain = normalize_identifiers(node.copy(), dialect="duckdb")
    while isinstance(plain, exp.Paren):
        plain = plain.this
    for identifier in plain.find_all(exp.Identifier):
        identifier.set("quoted", False)
    return plain.sql(dialect="duckdb", comments=False)


def without_tables(node: exp.Expr) -> str:
    """The canonical SQL with the tables left off its columns."""
    bare = node.copy()
    for column in bare.find_all(exp.Column):
        for part in ("table", "db", "catalog"):
            column.set(part, None)
    return canonical(bare)


def names(given: Iterable[str]) -> Mapping[str, str]:
    """From every way to write one of the given expressions to that expression as given.

    An expression with its tables left off stands for the given one only if no other given one reads the same.
    """
    exact: dict[str, str] = {}
    loose: dict[str, set[str]] = {}
    for text in given:
        node = _parsed(text)
        exact[canonical(node) if node is not None else text] = text
        loose.setdefault(without_tables(node) if node is not None else text, set()).add(text)
    return {bare: next(iter(texts)) for bare, texts in loose.items() if len(texts) == 1} | exact


def _parsed(text: str) -> exp.Expr | None:
    try:
        return parse_one(text, dialect="duckdb")
    except SqlglotError:
        return None
