"""Chains of joins: how many rows of one person they may bring, so that nobody's rows can hold an answer up.

Two tables of one person's rows are joined whole: n rows and m make n·m at most. With each further table that product
would be multiplied again (7 rows in 11 tables: two billion), and an answer that never comes tells who kept it.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from sqlglot import exp

from tacit.errors import Refused
from tacit.query.relations.rows import UNIT, Rows
from tacit.query.relations.select import Column, Select

MOST_ROWS = 4_096
_MOST_SCANS = 16


def linked(left: Rows, right: Rows, query: exp.Expression) -> tuple[Rows, Rows]:
    """Two relations that are about to be joined, such that a person brings few rows to a third table and beyond.

    Claim: no person brings more than `MOST_ROWS` joined rows to a further join. Which ones depends on that person's
    rows and the query alone, and is the same in every statement and on every engine. Proof: they are the first by all
    columns that the query names anywhere; rows that are equal in those are equal to everything that is asked of them.
    """
    scans = left.scans + right.scans
    if not scans <= _MOST_SCANS:
        why = "One person's rows are joined with themselves again and again."
        raise Refused(f"{scans:,} private tables joined", why, f"at most {_MOST_SCANS}.")
    named = {name.name.lower() for name in query.root().find_all(exp.Identifier)}
    is_long = left.chain + right.chain > 2 and min(left.chain, right.chain) > 0
    return (_first(left, named), _first(right, named)) if is_long else (left, right)


def _first(rows: Rows, named: Container[str]) -> Rows:
    if rows.chain == 1:
        return rows
    columns = [typed.sql for (_, name), typed in rows.columns.items() if name in named]
    order = ", ".join(columns) or UNIT
    place = f"row_number() OVER (PARTITION BY {UNIT} ORDER BY {order})"
    listed = [Column(UNIT), *(Column(typed.sql, typed.sql) for typed in rows.columns.values())]
    ranked = Select((*listed, Column(f'{place} AS "__place"')), (rows.select, ' AS "__rows"'))
    first = Select(tuple(listed), (ranked, f' AS "__ranked" WHERE "__place" <= {MOST_ROWS}'))
    return replace(rows, select=first, bare=None, chain=1, is_cut=True)
