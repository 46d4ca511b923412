"""Rules: how one family of SQL nodes becomes a typed expression; and SQL functions, each with its rule and its words.

The scope of a rule says which columns it may name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Protocol, TypeAlias

from sqlglot import exp, parse_one

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.sql.dialects.translator import Lowered
from tacit.query.sql.values.refusal import near
from tacit.query.sql.values.typed import Typed


class Typer(Protocol):
    """Types the parts of a node."""

    @property
    def scope(self) -> Scope: ...

    @property
    def is_outer(self) -> bool:
        """Whether the parts are top-level in the SQL: then `second_line.tried` wraps those that may fail."""
        ...

    @property
    def within(self) -> Typer:
        """Type a part of a larger expression, which `tried` will wrap."""
        ...

    def over(self, scope: Scope) -> Typer:
        """The same with the columns of another scope: for `composed`."""
        ...

    def __call__(self, node: exp.Expression) -> Typed: ...


Rule: TypeAlias = Callable[[exp.Expression, Typer], Typed]


def composed(form: str, typer: Typer, **operands: Typed) -> Typed:
    """A function that is written with others: SQL over the names of its operands.

    Claim: it is total, bounded and the same on every engine. Proof: it is typed by the rules of what it is written
    with, of which this holds.
    """
    return typer.within.over(NamedScope(operands))(_read(form))


@lru_cache(maxsize=256)
def _read(form: str) -> exp.Expression:
    node = parse_one(form, dialect="duckdb")
    assert isinstance(node, exp.Expression)
    return node


def part(node: exp.Expression, key: str = "this") -> exp.Expression:
    """A required part of a node."""
    found = node.args[key]
    assert isinstance(found, exp.Expression)
    return found


def parts(node: exp.Expression, key: str = "expressions") -> tuple[exp.Expression, ...]:
    """The list of parts under a name; empty if there is none."""
    return tuple(item for item in node.args.get(key) or () if isinstance(item, exp.Expression))


class Scope(Protocol):
    """Finds columns by name."""

    def column(self, name: str, table: str | None) -> Typed:
        """The column called `name` (of `table`, if one is named); refuses unknown and ambiguous names."""
        ...


@frozen
class NamedScope:
    """Columns by name, and by table and name; case is ignored, as in DuckDB."""

    columns: Mapping[str, Typed]
    qualified: Mapping[tuple[str, str], Typed] = field(default_factory=dict)

    def column(self, name: str, table: str | None) -> Typed:
        if table is None:
            found = [typed for known, typed in self.columns.items() if known.lower() == name.lower()]
        else:
            wanted = (table.lower(), name.lower())
            found = [typed for (of, known), typed in self.qualified.items() if (of.lower(), known.lower()) == wanted]
        if len(found) == 1:
            return found[0]
        holders = sorted(of for of, known in self.qualified if known.lower() == name.lower())
        if table is None and len(holders) > 1:
            accepted = " or ".join(f"{of}.{name}" for of in holders)
            raise Refused(f"the column {name}", "Several tables have a column of this name.", f"{accepted}.")
        names = (
            self.columns if table is None else [known for of, known in self.qualified if of.lower() == table.lower()]
        )
        asked = name if table is None else f"{table}.{name}"
        raise Refused(f"the column {asked}", "There is no such column here.", f"one of: {near(name, names)}.")


@frozen
class SqlFunction:
    """Everything about one function.

    `words` are the names that a refusal and the documentation list. The parser makes one of `nodes` of a call, or a
    node without a type, which has one of `names`. `rule` reads the call: its kind, bounds, NULLs and text length, and
    SQL that has a value on every row; a function that only this SQL calls has none. Where this SQL, which is lowered,
    calls the function, `lowered` has the types of its operands and result and its words in each dialect. `bounded`, if
    given, is a form with {} for the operand that has bounds where the function itself has none.
    """

    words: tuple[str, ...]
    rule: Rule | None
    nodes: tuple[type[exp.Expression], ...] = ()
    lowered: Lowered | None = None
    names: tuple[str, ...] = ()
    bounded: str | None = None


@frozen
class Family:
    """Rules that belong together: by node, and by name for functions that the parser has no node for.

    `words` is how a refusal and the documentation list what the family supports. Operators and casts have rules only:
    their words are in the tables of the dialects. Functions are in `entries`.
    """

    name: str
    words: tuple[str, ...]
    nodes: Mapping[type[exp.Expression], Rule]
    functions: Mapping[str, Rule] = field(default_factory=dict)
    entries: tuple[SqlFunction, ...] = ()

    @classmethod
    def of(cls, name: str, *entries: SqlFunction) -> Family:
        """A family of functions."""
        return cls(
            name,
            tuple(word for entry in entries for word in entry.words),
            {node: entry.rule for entry in entries if entry.rule for node in entry.nodes},
            {known: entry.rule for entry in entries if entry.rule for known in entry.names},
            entries,
        )
