"""The canonical SQL of an expression: the name by which keys and aggregates are found again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

from tacit.frozen import frozen


def canonical(node: exp.Expr) -> str:
    """DuckDB's SQL of the node, the same however its names are cased or quoted and whatever comments it carries."""
    return plain(node).unnest().sql(dialect="duckdb", comments=False, copy=False)


def plain(node: exp.Expr) -> exp.Expr:
    """A copy whose names are all in lower case, quoted only where they must be: nodes that read the same are equal."""
    copy = normalize_identifiers(node.copy(), dialect="duckdb")
    for identifier in copy.find_all(exp.Identifier):
        identifier.set("quoted", _needs_quotes(identifier.name))
    return copy


@lru_cache(maxsize=1024)
def _needs_quotes(name: str) -> bool:
    """Whether the name would be read as something else if it stood there bare."""
    try:
        node = parse_one(name, dialect="duckdb")
    except (SqlglotError, RecursionError):
        return True
    return not (isinstance(node, exp.Column) and not node.table and node.name == name)


def depth(node: exp.Expr) -> int:
    """How many parts stand inside one another, counted without recursion."""
    level, count = [node], 0
    while level:
        level, count = [child for parent in level for child in parent.iter_expressions()], count + 1
    return count


@frozen
class Names:
    """Given expressions, found again however they are written.

    A table may be left off, or added, where only one given expression can be meant.
    """

    given: frozenset[str]
    exact: Mapping[exp.Expr, str]
    bare: Mapping[exp.Expr, str]

    @classmethod
    def of(cls, given: Collection[str]) -> Names:
        exact: dict[exp.Expr, str] = {}
        bare: dict[exp.Expr, set[str]] = {}
        for text in given:
            node = _parsed(text)
            if node is not None:
                exact[node] = text
                bare.setdefault(_without_tables(node), set()).add(text)
        alone = {node: next(iter(texts)) for node, texts in bare.items() if len(texts) == 1}
        return cls(frozenset(given), exact, alone)

    def find(self, node: exp.Expr) -> str | None:
        """The given expression that a plain node is, as it was given."""
        found = self.exact.get(node) or self.bare.get(node) or self.exact.get(_without_tables(node))
        if found is None and isinstance(node, exp.Func | exp.WithinGroup | exp.Filter):
            text = canonical(node)  # a call may be written back in another form than it was read in
            return text if text in self.given else None
        return found


def _without_tables(node: exp.Expr) -> exp.Expr:
    """The node with the tables left off its columns."""
    if not any(column.args.get("table") for column in node.find_all(exp.Column)):
        return node
    bare = node.copy()
    for column in bare.find_all(exp.Column):
        for part in ("table", "db", "catalog"):
            column.set(part, None)
    return bare


@lru_cache(maxsize=1024)
def _parsed(text: str) -> exp.Expr | None:
    try:
        return plain(parse_one(text, dialect="duckdb")).unnest()
    except SqlglotError:
        return None
