"""One SQL function of one row: its rule and its words in each dialect; and families of functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.sql.dialects.translator import Lowered
from tacit.query.sql.expressions.rule import Rule


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
