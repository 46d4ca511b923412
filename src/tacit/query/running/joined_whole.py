"""Joins that need no cut, since nobody has so many rows: then the statement without it gives the same, sooner."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from tacit.query.engines.protocol import Counting, Session
from tacit.query.prepared.statements import Statements
from tacit.query.relations.rows import UNIT, Joined, Rows


def joined_whole(rows: Rows, session: Session, statements: Statements) -> Statements:
    """Statements of the same sums: where no person's rows can be too many, joins are sent without what would cut them.

    How many rows people have decides on nothing but time: where it says nothing is cut, the cut would leave the rows as
    they are (`Joined`). Nobody but the engine learns it.
    """
    if not isinstance(session, Counting):
        return statements
    found = [(each.node, each.whole) for each in reversed(rows.bounds) if _is_whole(each, session, statements)]
    return replace(statements, instead=tuple(found))


def _is_whole(joined: Joined, session: Counting, statements: Statements) -> bool:
    for group in joined.groups:
        most = [session.most_rows(statements.read(table).under(UNIT)) for table in group]
        if any(rows is None for rows in most) or prod(max(rows or 1, 1) for rows in most) > joined.most:
            return False
    return True
