"""WHERE: the rows for which a predicate holds."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from tacit.query.expressions.registry import type_predicate
from tacit.query.relations.rows import Rows
from tacit.query.relations.select import ALL, Select


def filtered(rows: Rows, predicate: exp.Expression) -> Rows:
    """The rows on which the predicate is true; where it is NULL they are left out, as in SQL."""
    condition = type_predicate(predicate, rows)
    if condition.is_constant and condition.keys == (True,):
        return rows
    select = Select((ALL,), (rows.select, f' AS "__rows" WHERE {condition.sql}'), is_open=True)
    return replace(rows, select=select, bare=None)
