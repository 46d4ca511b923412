"""Names above the noise: keys and aggregates by their canonical SQL, and the aliases of SELECT items."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field, replace
from functools import lru_cache

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.post_noise.expression import AggregateReference, Expression, KeyReference
from tacit.schema.kind import Kind


@frozen
class PostNoiseScope:
    """The names that an expression may use; `aliases_first` decides where a key and an alias share one."""

    keys: Names
    kinds: Mapping[str, Kind]
    aggregates: Names
    times: Mapping[str, Kind] = field(default_factory=dict)  # the kinds of aggregates that are no numbers
    aliases: Mapping[str, Expression] = field(default_factory=dict)
    aliases_first: bool = False

    @classmethod
    def of(cls, keys: Collection[str], aggregates: Collection[str]) -> PostNoiseScope:
        kinds, given = (dict(each) if isinstance(each, Mapping) else {} for each in (keys, aggregates))
        times = {name: kind for name, kind in given.items() if kind.is_time}
        return cls(Names.of(keys), kinds, Names.of(aggregates), times)

    def with_alias(self, name: str, meaning: Expression) -> PostNoiseScope:
        return replace(self, aliases={name.lower(): meaning, **self.aliases})

    def found(self, node: exp.Expr) -> Expression | None:
        """The aggregate, key or alias that a plain node is, if it is one."""
        aggregate = self.aggregates.find(node)
        if aggregate is not None:
            return AggregateReference(aggregate, self.times.get(aggregate, Kind.FLOAT))
        alias = self.aliases.get(node.name.lower()) if isinstance(node, exp.Column) and not node.table else None
        key = self.keys.find(node)
        if key is None or (alias is not None and self.aliases_first):
            return alias
        return KeyReference(key, self.kinds.get(key))

    def column(self, node: exp.Column) -> Refused:
        """The refusal of a column that is not a key."""
        usable = ", ".join(sorted({*self.keys.given, *self.aliases})) or "aggregates such as COUNT(*)"
        return Refused(
            f"{node.sql(dialect='duckdb')} outside an aggregate",
            "A column must be in GROUP BY or inside an aggregate, since every group has many values of it.",
            f"GROUP BY {node.sql(dialect='duckdb')}, an aggregate of it such as AVG, or one of: {usable}.",
        )


def canonical(node: exp.Expr) -> str:
    """DuckDB's SQL of the node, independent of case, quoting and comments."""
    return plain(node).unnest().sql(dialect="duckdb", comments=False, copy=False)


def plain(node: exp.Expr) -> exp.Expr:
    """A copy whose names are all in lower case, quoted only where they must be: nodes that read the same are equal."""
    copy = normalize_identifiers(node.copy(), dialect="duckdb")
    for identifier in copy.find_all(exp.Identifier):
        identifier.set("quoted", _needs_quotes(identifier.name))
    return copy


@lru_cache(maxsize=1024)
def _needs_quotes(name: str) -> bool:
    """Whether the name would be misread without quotes."""
    try:
        node = parse_one(name, dialect="duckdb")
    except (SqlglotError, RecursionError):
        return True
    return not (isinstance(node, exp.Column) and not node.table and node.name == name)


def depth(node: exp.Expr) -> int:
    """The nesting depth, computed without recursion."""
    level, count = [node], 0
    while level:
        level, count = [child for parent in level for child in parent.iter_expressions()], count + 1
    return count


@frozen
class Names:
    """A lookup of given expressions that ignores spelling.

    A table name may be omitted, or added, where only one given expression matches.
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
        """The given expression that equals a plain node, in its given form."""
        found = self.exact.get(node) or self.bare.get(node) or self.exact.get(_without_tables(node))
        if found is None and isinstance(node, exp.Func | exp.WithinGroup | exp.Filter):
            text = canonical(node)  # a call may be generated in another form than it was parsed from
            return text if text in self.given else None
        return found


def _without_tables(node: exp.Expr) -> exp.Expr:
    """The node without the table names of its columns."""
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
