"""The walk over one expression: bottom-up, every part with its type, every conversion written out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from decimal import Decimal
from typing import TypeAlias

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.dialects.dialect import Dialect, cannot
from tacit.query.dialects.piece import Constant, Piece, natural_reach
from tacit.query.dialects.reach import TINIEST, Reach
from tacit.query.dialects.scopes import Relation, Scope
from tacit.query.dialects.sql_type import DOUBLE, NULL, SqlType, unified

Handler: TypeAlias = Callable[[exp.Expression, "Walk"], Piece]


@frozen
class Walk:
    """Translates the expressions of one SELECT; calling it translates a node."""

    dialect: Dialect
    scope: Scope
    handlers: Mapping[type[exp.Expression], Handler]
    functions: Mapping[str, Handler]
    query: Callable[[exp.Expression], Relation]
    facts: Mapping[str, Reach] = field(default_factory=dict)  # what holds here of expressions, by their text

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
        """The word that this dialect lacks."""
        return cannot(self.dialect.engine, what, accepted)

    def say(self, operation: str, operands: Sequence[Piece], result: SqlType, reach: Reach | None = None) -> Piece:
        """An operation on operands that are of the right types already."""
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
        """The value as the type that DuckDB would bring it to by itself."""
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
        """The pieces in the one type that they are compared in."""
        kind = pieces[0].type
        for piece in pieces[1:]:
            joined = unified(kind, piece.type)
            if joined is None:
                raise self.refusal(f"{kind} beside {piece.type}", "values of one type.")
            kind = joined
        return [self.convert(piece, kind) for piece in pieces], kind
