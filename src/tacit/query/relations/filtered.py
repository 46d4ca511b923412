"""WHERE: the rows for which a predicate holds."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from tacit.query.expressions.registry import type_predicate
from tacit.query.relations.rows import Rows


def filtered(rows: Rows, predicate: exp.Expression) -> Rows:
    """The rows on which the predicate is true; where it is NULL they are left out, as in SQL."""
    condition = type_predicate(predicate, rows)
    if condition.is_constant and condition.keys == (True,):
        return rows
    return replace(rows, sql=f'SELECT * FROM ({rows.sql}) AS "__rows" WHERE {condition.sql}', bare=None)
