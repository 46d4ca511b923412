"""From lowered SQL, which is DuckDB's, to another engine's."""

from __future__ import annotations

from collections.abc import Mapping

import sqlglot
from sqlglot import exp

from tacit.query.dialects.attempts import Attempting, without_attempts
from tacit.query.dialects.depth import deep
from tacit.query.dialects.dialect import Dialect
from tacit.query.dialects.scopes import Relation
from tacit.query.dialects.selects import Selects


def translate(sql: str, tables: Mapping[str, Relation], dialect: Dialect) -> Relation:
    """One SELECT in the target dialect: its text, without brackets, and its columns with their types.

    `tables` are the relations that it may name, each with its text after FROM. Claim: on the same rows both texts give
    the same values; whatever cannot be said so is `Refused`, and nothing is read.
    """
    with deep():
        known = {name.lower(): relation for name, relation in tables.items()}
        tree = sqlglot.parse_one(sql, read="duckdb")
        if not isinstance(tree, exp.Expression):
            raise TypeError("lowered SQL is one SELECT")
        return Selects(dialect, known).query(tree if isinstance(dialect, Attempting) else without_attempts(tree))
