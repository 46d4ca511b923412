"""A rule: how one family of SQL nodes becomes a typed expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Protocol, TypeAlias

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.expressions.scope import Scope
from tacit.query.typed import Typed


class Typer(Protocol):
    """Types the parts of a node."""

    @property
    def scope(self) -> Scope: ...

    @property
    def is_outer(self) -> bool:
        """Whether the parts stand by themselves in the SQL: then `second_line.tried` is put around what may fail."""
        ...

    @property
    def within(self) -> Typer:
        """Types what is part of a larger expression, around which `tried` will be."""
        ...

    def __call__(self, node: exp.Expression) -> Typed: ...


Rule: TypeAlias = Callable[[exp.Expression, Typer], Typed]


@frozen
class Family:
    """Rules that belong together: by node, and by name for functions that the parser has no node for.

    `words` is how a refusal and the documentation list what the family supports.
    """

    name: str
    words: tuple[str, ...]
    nodes: Mapping[type[exp.Expression], Rule] = field(default_factory=dict)
    functions: Mapping[str, Rule] = field(default_factory=dict)


def part(node: exp.Expression, key: str = "this") -> exp.Expression:
    """The part of a node that must be there."""
    found = node.args[key]
    assert isinstance(found, exp.Expression)
    return found


def parts(node: exp.Expression, key: str = "expressions") -> tuple[exp.Expression, ...]:
    """The list of parts under a name; empty if there is none."""
    return tuple(item for item in node.args.get(key) or () if isinstance(item, exp.Expression))
