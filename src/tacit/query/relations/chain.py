"""Joins within people: how many rows of one person they may bring, so that nobody's rows can hold an answer up.

Rows of one person in two tables make n·m, and each further table multiplies that again (7 rows in 11 tables: two
billion). An answer that never comes tells who kept it.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from sqlglot import exp

from tacit.errors import Refused
from tacit.query.relations.heavy import Heavy
from tacit.query.relations.join import equal_sides, join_private
from tacit.query.relations.rows import UNIT, Joined, Rows
from tacit.query.relations.select import Column, Select

MOST_PAIRS = 2**20
MOST_PARTNERS = 2**10
MOST_ROWS = 4_096
_MOST_SCANS = 16


def linked(left: Rows, right: Rows, join: exp.Join, kind: str, condition: exp.Expression) -> Rows:
    """Two relations of private rows, joined so that no person's rows are too many.

    Claim: of two tables a person brings at most `MOST_PAIRS` joined rows; or, whoever could bring more, at most
    `MOST_PARTNERS` to each row of the other table. To a third table and beyond no person brings more than `MOST_ROWS`
    joined rows. Which ones depends on that person's rows and the query alone, and is the same in every statement and on
    every engine. Proof: they are the first by all columns that the query names anywhere; rows that are equal in those
    are equal to everything that is asked of them. Who could bring more is known from that person's numbers of rows.
    """
    scans = left.scans + right.scans
    if not scans <= _MOST_SCANS:
        why = "One person's rows are joined with themselves again and again."
        raise Refused(f"{scans:,} private tables joined", why, f"at most {_MOST_SCANS}.")
    if min(left.chain, right.chain) == 0:
        return replace(join_private(left, right, kind, condition), joined=left.joined or right.joined)
    whole = join_private(_whole(left), _whole(right), kind, condition)
    named = {name.name.lower() for name in join.root().find_all(exp.Identifier)}
    tables, name = (_tables(left), _tables(right)), f'"__many{scans}"'
    if left.joined or right.joined:
        heavy = Heavy(name, tuple(each for each in tables if len(each) > 1), MOST_ROWS)
        cut = join_private(_first(left, named), _first(right, named), kind, condition)
    else:
        heavy = Heavy(name, (tables[0] + tables[1],), MOST_PAIRS)
        keys = equal_sides(condition, left, right)
        fewer = _ranked(left, named, [own for own, _ in keys], MOST_PARTNERS)
        cut = join_private(fewer, _ranked(right, named, [own for _, own in keys], MOST_PARTNERS), kind, condition)
    node = heavy.apart(_listed(whole), whole.select, cut.select)
    rule = cut.select if left.joined or right.joined else node
    joined = Joined(node, whole.select, rule, tables[0] + tables[1], heavy.groups, heavy.most)
    return replace(whole, select=node, joined=joined, bounds=(*whole.bounds, joined))


def _tables(rows: Rows) -> tuple[Select, ...]:
    return rows.joined.tables if rows.joined else (rows.select,)


def _whole(rows: Rows) -> Rows:
    """The same without any cut."""
    return replace(rows, select=rows.select.reading({rows.joined.node: rows.joined.whole})) if rows.joined else rows


def _first(rows: Rows, named: Container[str]) -> Rows:
    """A person's first rows of a join, by the rule that holds for everybody."""
    if rows.joined is None:
        return rows
    by_rule = rows.select.reading({rows.joined.node: rows.joined.rule})
    return _ranked(replace(rows, select=by_rule), named, [], MOST_ROWS)


def _ranked(rows: Rows, named: Container[str], keys: Sequence[str], most: int) -> Rows:
    """A person's first rows, among those with the same keys."""
    columns = [typed.sql for (_, name), typed in rows.columns.items() if name in named]
    order = ", ".join(columns) or UNIT
    place = f"row_number() OVER (PARTITION BY {', '.join([UNIT, *keys])} ORDER BY {order})"
    listed = _listed(rows)
    ranked = Select((*listed, Column(f'{place} AS "__place"')), (rows.select, ' AS "__rows"'))
    first = Select(listed, (ranked, f' AS "__ranked" WHERE "__place" <= {most}'))
    return replace(rows, select=first)


def _listed(rows: Rows) -> tuple[Column, ...]:
    return (Column(UNIT), *(Column(typed.sql, typed.sql) for typed in rows.columns.values()))
