"""EXISTS and IN with a sub-query, in a condition on private rows.

The rule: a sub-query over private rows is answered from the same person's rows, and the lowered SQL itself requires the
same person. So it is read only where the query says the same: by the person, or by a key that is declared to be one
person's. Sub-queries over public tables are free.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.sql.bounded_join import linked
from tacit.query.sql.expressions.rule_registry import type_expression
from tacit.query.sql.joins import conjuncts
from tacit.query.sql.matches import EqualValues, among, existing, unchanged
from tacit.query.sql.rows import UNIT, Ownership, Rows, Select, SelectItem
from tacit.query.sql.sub_query import Reader, SubQuery, conjunction, sub_queries
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import unsigned_zero
from tacit.query.sql.values.typed import Typed

_MOST = 16  # sub-queries in one condition
_MOST_LOOKS = 64  # reads of private tables in all
_MOST_SCANS = 16  # of those that are joined
_LONGEST = 2**22  # letters of SQL
_PLACE = "__match"


def with_matches(rows: Rows, condition: exp.Expression, reader: Reader) -> tuple[Rows, exp.Expression]:
    """The rows with a truth value for each sub-query of a condition, and the condition in terms of these.

    Each has a name of its own, since those of an earlier condition (a SEMI JOIN before WHERE) still stand beside the
    rows.
    """
    asked = list(sub_queries(condition))
    if not asked:
        return rows, condition
    if not len(asked) <= _MOST:
        raise Refused(f"{len(asked)} sub-queries in one condition", "Each reads tables again.", f"at most {_MOST}.")
    placed, base = condition.copy(), rows
    for number, (node, copy) in enumerate(zip(asked, list(sub_queries(placed)), strict=True), base.matches):
        name = (_PLACE, f"{_PLACE}{number}")
        rows = _Asked(rows, base, SubQuery(node, reader), _must_hold(node, condition)).matched(name)
        if not (rows.scans + rows.looks <= _MOST_LOOKS and len(rows.sql) <= _LONGEST):
            raise Refused("so many sub-queries", "Written out, the query is too long to be run.", "fewer of them.")
        column = exp.column(name[1], table=name[0])
        if copy is placed:
            placed = column
        else:
            copy.replace(column)
    return replace(rows, matches=base.matches + len(asked)), placed


def _must_hold(node: exp.Expression, condition: exp.Expression) -> bool:
    """Whether the condition is false where the node is not true: whether it is one of its conjuncts."""
    return any(part is node for part in conjuncts(condition))


@frozen
class _Asked:
    """An EXISTS or IN beside the rows that it is asked of: with the truth values of those before it, and without."""

    rows: Rows
    base: Rows
    query: SubQuery
    must_hold: bool

    def matched(self, name: tuple[str, str]) -> Rows:
        """The rows with its truth value."""
        self._refuse_other_people()
        query, others = self.query, self.query.others
        keys, values = (
            [EqualValues.of(query.node, *self._typed(*pair)) for pair in pairs if not self._is_person(*pair)]
            for pairs in (query.equalities, query.values)
        )
        is_compared = len(query.equalities) < len(query.conditions[1])
        if self.must_hold or not any(each.own.nullable or each.other.nullable for each in values):
            return self._compared(name) if is_compared else existing(self.rows, others, [*keys, *values], name)
        if is_compared or len(values) > 1:
            accepted = "EXISTS (SELECT … WHERE y = x AND …), or NOT EXISTS, which are never NULL."
            raise refuse(query.node, "Whether it is NULL cannot be told here.", accepted)
        return among(self.rows, others, keys, values[0], name)

    def _typed(self, own: exp.Expression, other: exp.Expression) -> tuple[Typed, Typed]:
        return type_expression(own, self.rows), type_expression(other, self.query.others)

    def _is_person(self, own: exp.Expression, other: exp.Expression) -> bool:
        """Whether it says that both rows are the same person's."""
        sides = ((self.rows, own.unnest()), (self.query.others, other.unnest()))
        return all(
            isinstance(side, exp.Column) and of.is_identifier(side.name, side.table or None) for of, side in sides
        )

    def _is_same_owner(self, own: exp.Expression, other: exp.Expression) -> bool:
        """Whether it implies that: by the person, or by one key that is declared to be one person's."""
        if self._is_person(own, other):
            return True
        one, two = own.unnest(), other.unnest()
        if not (isinstance(one, exp.Column) and isinstance(two, exp.Column)):
            return False
        links = (of.link(side.name, side.table or None) for of, side in ((self.rows, one), (self.query.others, two)))
        return bool(frozenset.intersection(*links))

    def _refuse_other_people(self) -> None:
        if not self.query.others.tables:
            return
        why = "It looks at other people's rows, so that what counts of one person would depend on them."
        if self.rows.ownership is Ownership.EACH:
            accepted = "a query of its own first, and its answer as a number; or a sub-query of a public table."
            raise refuse(self.query.node, why, accepted)
        if any(self._is_same_owner(*pair) for pair in (*self.query.equalities, *self.query.values)):
            return
        own, other = (_person(rows) for rows in (self.rows, self.query.others))
        same = f"… WHERE {other} = {own} AND …" if own and other else "an equality of the person's identifiers in it"
        if own == other:
            same = f"… FROM {own.partition('.')[0]} AS own WHERE own.{own.partition('.')[2]} = {own} AND …"
        raise refuse(self.query.node, why, f"rows of the same person, {same}; or a query of its own first.")

    def _compared(self, name: tuple[str, str]) -> Rows:
        """Matches by other conditions than equalities: a bounded join of the values that the conditions name.

        Claim: as for `existing`. Proof: the join requires the same person. It has the different values of the rows'
        columns, and rows find theirs again among those that were joined.
        """
        if not self.query.others.tables:
            accepted = "an equality with a column of it; or a join of the public table by its key, and WHERE."
            raise refuse(self.query.node, "A public table is looked up by equality.", accepted)
        parts = [self._qualified(part) for part in self.query.conditions[1] if not self._is_said(part)]
        for own, other in self.query.values:
            if not self._is_person(own, other):
                sides = (_of(own, self.rows), _of(other, self.query.others))
                parts.append(exp.EQ(this=sides[0], expression=sides[1]))
        condition = conjunction(parts)
        named = {(each.table.lower(), each.name.lower()) for each in condition.find_all(exp.Column)}
        columns = {key: typed for key, typed in self.base.columns.items() if key in named}
        listed = [SelectItem(f"{unsigned_zero(typed)} AS {typed.sql}") for typed in columns.values()]
        groups = ", ".join([UNIT, *(typed.sql for typed in columns.values())])
        select = Select((SelectItem(UNIT), *listed), (self.base.select, f' AS "__rows" GROUP BY {groups}'))
        different = replace(self.base, select=select, columns=columns, bare=None)
        joined = linked(different, self.query.others, self.query.node, "JOIN", condition)
        if not joined.scans + self.rows.scans <= _MOST_SCANS:
            raise refuse(self.query.node, "Tables are read too often by one query.", f"at most {_MOST_SCANS} times.")
        return existing(self.rows, joined, unchanged(list(columns.values())), name)

    def _is_said(self, part: exp.Expression) -> bool:
        """Whether a conjunct only says that both rows are the same person's, which the join requires anyway."""
        node = part.unnest()
        if not isinstance(node, exp.EQ):
            return False
        return self._is_person(node.this, node.expression) or self._is_person(node.expression, node.this)

    def _qualified(self, part: exp.Expression) -> exp.Expression:
        """A conjunct in which each name has its table."""
        copy = part.copy()
        for column in list(copy.find_all(exp.Column)):
            is_own = self.query.origin.knows(column.name, column.table or None)
            _of(column, self.query.others if is_own else self.rows, copies=False)
        return copy


def _of(node: exp.Expression, rows: Rows, copies: bool = True) -> exp.Expression:
    """An expression in which each name has its table among the rows."""
    named = node.copy() if copies else node
    for column in list(named.find_all(exp.Column)):
        place = rows.place(column.name, column.table or None)
        column.set("table", exp.to_identifier(place, quoted=True))
    return named


def _person(rows: Rows) -> str:
    """The identifier's name in these rows."""
    return next((f"{alias}.{name}" for alias, name in sorted(rows.identifiers)), "")
