"""What names mean above the noise: keys, aggregates, and the aliases of SELECT items."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field, replace

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.above.canonical import Names
from tacit.query.above.expression import Aggregate, Expression, KeyColumn
from tacit.schema.kind import Kind


@frozen
class Scope:
    """The names that an expression may use; `aliases_first` decides where a key and an alias share one."""

    keys: Names
    kinds: Mapping[str, Kind]
    aggregates: Names
    aliases: Mapping[str, Expression] = field(default_factory=dict)
    aliases_first: bool = False

    @classmethod
    def of(cls, keys: Collection[str], aggregates: Collection[str]) -> Scope:
        return cls(Names.of(keys), dict(keys) if isinstance(keys, Mapping) else {}, Names.of(aggregates))

    def with_alias(self, name: str, meaning: Expression) -> Scope:
        return replace(self, aliases={name.lower(): meaning, **self.aliases})

    def found(self, node: exp.Expr) -> Expression | None:
        """The aggregate, key or alias that a plain node is, if it is one."""
        aggregate = self.aggregates.find(node)
        if aggregate is not None:
            return Aggregate(aggregate)
        alias = self.aliases.get(node.name.lower()) if isinstance(node, exp.Column) and not node.table else None
        key = self.keys.find(node)
        if key is None or (alias is not None and self.aliases_first):
            return alias
        return KeyColumn(key, self.kinds.get(key))

    def column(self, node: exp.Column) -> Refused:
        """Why a column that is no key cannot be used."""
        usable = ", ".join(sorted({*self.keys.given, *self.aliases})) or "aggregates such as COUNT(*)"
        return Refused(
            f"{node.sql(dialect='duckdb')} outside an aggregate",
            "A column must be in GROUP BY or inside an aggregate, since every group has many values of it.",
            f"GROUP BY {node.sql(dialect='duckdb')}, an aggregate of it such as AVG, or one of: {usable}.",
        )
