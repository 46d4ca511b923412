"""The walk over one expression of lowered SQL: bottom-up, every part with its type, every conversion written out.

`Scope` resolves names: which column of which relation each one means. Names ignore case, as in DuckDB. TRY (a part is
NULL on a row where it fails), for dialects that have it, needs the walk itself and is here too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from decimal import Decimal
from typing import Protocol, TypeAlias, runtime_checkable

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.engines.dialect import Dialect
from tacit.query.sql.dialects.sql_type import ANY, DOUBLE, NULL, TINIEST, Reach, SqlType, unified
from tacit.query.sql.dialects.translator import Constant, Piece, cannot, natural_reach


@frozen
class TranslatedColumn:
    """A column of a relation: its name in the engine, its type, and the range of its numbers.

    `reading` is a form, with {} for the column itself, that gives a value of exactly this type where the stored column
    may have others as well. It is `fixed` if a sub-query computes it without any column: planners substitute it for its
    name.
    """

    name: str
    type: SqlType
    reach: Reach = ANY
    reading: str | None = None
    fixed: bool = False


@frozen
class TranslatedRelation:
    """Something to select from: its text after FROM, in the target dialect, and its columns.

    It `is_grouped` if its rows are groups of rows, or computed from groups.
    """

    sql: str
    columns: tuple[TranslatedColumn, ...]
    is_grouped: bool = False

    @property
    def by_name(self) -> Mapping[str, TranslatedColumn]:
        return {column.name.lower(): column for column in self.columns}


@frozen
class NameScope:
    """The names in a SELECT: the relations of its FROM, each by its alias, and the columns merged by USING."""

    sources: Sequence[tuple[str, TranslatedRelation]] = ()
    merged: frozenset[str] = frozenset()
    relations: Mapping[str, TranslatedRelation] = field(default_factory=dict)

    def find(self, name: str, table: str | None) -> tuple[str, TranslatedColumn] | None:
        """The alias and the column that a name means; None if it means none, or several."""
        found = [
            (alias, relation.by_name[name.lower()])
            for alias, relation in self.sources
            if name.lower() in relation.by_name and (table is None or table.lower() == alias.lower())
        ]
        if len(found) == 1 or (found and name.lower() in self.merged):
            return found[0]
        return None


Handler: TypeAlias = Callable[[exp.Expression, "Walk"], Piece]


@frozen
class Walk:
    """Translates the expressions of one SELECT; calling it translates a node."""

    dialect: Dialect
    scope: NameScope
    handlers: Mapping[type[exp.Expression], Handler]
    functions: Mapping[str, Handler]
    query: Callable[[exp.Expression], TranslatedRelation]
    facts: Mapping[str, Reach] = field(default_factory=dict)  # facts about expressions, by their text

    def __call__(self, node: exp.Expression) -> Piece:
        if isinstance(node, exp.Anonymous):
            handler = self.functions.get(node.name.lower())
        else:
            handler = self.handlers.get(type(node))
        if handler is None:
            raise self.refusal(node.key if not isinstance(node, exp.Anonymous) else node.name)
        piece = handler(node, self)
        fact = self.facts.get(piece.sql)
        return piece if fact is None else replace(piece, reach=piece.reach & fact)

    def refusal(self, what: str, accepted: str = "a query without it; or the data in a Parquet file.") -> Refused:
        """The refusal of an operation that this dialect lacks."""
        return cannot(self.dialect.engine, what, accepted)

    def say(self, operation: str, operands: Sequence[Piece], result: SqlType, reach: Reach | None = None) -> Piece:
        """An operation on operands that already have the right types."""
        written = self.dialect.operations.get(operation)
        if written is None:
            raise self.refusal(operation)
        size = natural_reach(result) if reach is None else natural_reach(result) & reach
        fixed = bool(operands) and all(piece.fixed for piece in operands)
        return Piece(written(operands, result), result, reach=size, fixed=fixed)

    def literal(self, value: Constant | None, kind: SqlType) -> Piece:
        """A constant of this type."""
        return Piece(self.dialect.literal(value, kind), kind, value, natural_reach(kind, value), fixed=True)

    def convert(self, piece: Piece, target: SqlType) -> Piece:
        """The value converted to the type that DuckDB would convert it to implicitly."""
        if piece.type == target:
            return piece
        if piece.type == NULL:
            return self.literal(None, target)
        if isinstance(piece.constant, (int, Decimal)) and not isinstance(piece.constant, bool):
            if target == DOUBLE:
                return self.literal(float(piece.constant), target)
            if target.is_exact and piece.type.is_exact:
                return self.literal(piece.constant, target)
        return self.cast(piece, target, is_try=False)

    def cast(self, piece: Piece, target: SqlType, is_try: bool) -> Piece:
        """The value as another type, by a cast of the dialect."""
        size = natural_reach(target)
        if piece.type.is_number and target.is_number:
            rounds = target.is_exact and not piece.type.is_integer  # 1.5 to 2, and of 0.5 the type says that 1 is least
            size &= Reach(TINIEST, piece.reach.most + 1) if rounds else piece.reach
        return Piece(self.dialect.cast(piece, target, is_try), target, reach=size, fixed=piece.fixed)

    def together(self, pieces: Sequence[Piece]) -> tuple[Sequence[Piece], SqlType]:
        """The pieces converted to the common type of a comparison."""
        kind = pieces[0].type
        for piece in pieces[1:]:
            joined = unified(kind, piece.type)
            if joined is None:
                raise self.refusal(f"{kind} beside {piece.type}", "values of one type.")
            kind = joined
        return [self.convert(piece, kind) for piece in pieces], kind


@runtime_checkable
class Attempting(Protocol):
    """A dialect that has a form for TRY; for other dialects only the part within TRY is translated."""

    def attempt(self, node: exp.Expression, walk: Walk) -> Piece:
        """The part: its value, or NULL where it fails."""
        ...


def attempt(node: exp.Expression, walk: Walk) -> Piece:
    """TRY in the dialect."""
    assert isinstance(walk.dialect, Attempting)
    return walk.dialect.attempt(node, walk)


def without_attempts(tree: exp.Expression) -> exp.Expression:
    """The tree with each part in place of its TRY, so that forms are recognised without it."""
    for part in list(tree.find_all(exp.Try)):
        part.replace(part.this)
    return tree
