"""TRY in PostgreSQL's words: a function for each part, with an EXCEPTION block that gives NULL.

Claim: on a row where the part has a value, the call has the same one; where it raises one of `ROW_ERRORS`, the call is
NULL; it raises nothing else of these. Proof: arguments are passed as what they are, in their own types; the body is
the part's own text over them; and whatever is raised while that is planned or run is raised inside the block. A plan
for the values of one row could calculate what that row does not reach, so that plans must be generic (`SETTINGS`).
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import Final

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.dialects.piece import Piece, natural_reach
from tacit.query.dialects.postgres.literals import quote, type_name
from tacit.query.dialects.postgres.postgres_dialect import Postgres
from tacit.query.dialects.postgres.row_errors import ROW_ERRORS
from tacit.query.dialects.sql_type import NULL, VARCHAR
from tacit.query.dialects.walk import Walk

SETTINGS: Final = "SET SESSION plan_cache_mode = 'force_generic_plan'"
_MORE = (exp.AggFunc, exp.Window, exp.Query)


@frozen
class AttemptingPostgres(Postgres):
    """PostgreSQL where `functions`, by their definitions, can be created. It believes no bound that a part derived."""

    functions: dict[str, str] = field(default_factory=dict)

    def attempt(self, node: exp.Expression, walk: Walk) -> Piece:
        """A call of the part's function; the same part over the same columns is the same text."""
        if any(node.find_all(*_MORE)):
            raise walk.refusal("TRY of more than one row's values")
        given: dict[str, Piece] = {}

        def parameter(column: exp.Expression, _inner: Walk) -> Piece:
            outer = walk(column)
            if outer.type == NULL:
                return Piece("NULL", NULL, fixed=True)
            given.setdefault(outer.sql, outer)
            name = f"${list(given).index(outer.sql) + 1}"
            return Piece(_collated(name, outer), outer.type, reach=outer.reach)

        part = replace(walk, handlers={**walk.handlers, exp.Column: parameter}, facts={})(node.this)
        if part.type == NULL or part.constant is not None:
            return part
        call = f"{self._function(part, list(given.values()))}({', '.join(given)})"
        return Piece(_collated(call, part), part.type, reach=natural_reach(part.type), fixed=part.fixed)

    def _function(self, part: Piece, given: list[Piece]) -> str:
        """The name of the function that evaluates a part; it is temporary, and of no schema that is searched."""
        handled = " OR ".join(ROW_ERRORS.values())
        body = f"BEGIN RETURN {part.sql}; EXCEPTION WHEN {handled} THEN RETURN NULL; END"
        types = ", ".join(type_name(piece.type) for piece in given)
        own = f"({types}) RETURNS {type_name(part.type)} LANGUAGE plpgsql STABLE AS {quote(body)}"
        return self.functions.setdefault(own, f"pg_temp.tacit_try_{len(self.functions)}")

    def definitions(self) -> list[str]:
        """The statements that create the functions."""
        return [f"CREATE FUNCTION {name}{own}" for own, name in self.functions.items()]


def _collated(sql: str, piece: Piece) -> str:
    """Texts compare by code points, whatever a function's arguments have in common."""
    return f'({sql} COLLATE "C")' if piece.type == VARCHAR else sql
