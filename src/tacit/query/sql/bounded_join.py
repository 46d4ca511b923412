"""Bounded joins: the number of joined rows of one person is limited, so that no person's rows can delay an answer.

Rows of one person in two tables make n·m, and each further table multiplies that again (7 rows in 11 tables: two
billion). An answer that never comes would reveal that person. Only people with many rows in several tables at once
(`Heavy`) are cut; the joins of all others are complete.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.sql.joins import equal_sides, join_private
from tacit.query.sql.rows import ALL, UNIT, Joined, Rows, Select, SelectItem

MOST_PAIRS = 2**20
MOST_PARTNERS = 2**10
MOST_ROWS = 4_096
_MOST_SCANS = 16


def linked(left: Rows, right: Rows, join: exp.Expression, kind: str, condition: exp.Expression) -> Rows:
    """Two relations of private rows, joined so that no person's rows are too many.

    Claim: of two tables a person has at most `MOST_PAIRS` joined rows; or, for people who could have more, at most
    `MOST_PARTNERS` for each row of the other table. With a third table and beyond no person has more than `MOST_ROWS`
    joined rows. The choice depends only on that person's rows and the query, and is the same in every statement and on
    every engine. Proof: they are the first by all columns that the query names anywhere; rows that are equal in those
    are equal for the query. Whether a person could have more follows from that person's numbers of rows.
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
    """The join without any cut."""
    return replace(rows, select=rows.select.reading({rows.joined.node: rows.joined.whole})) if rows.joined else rows


def _first(rows: Rows, named: Container[str]) -> Rows:
    """A person's first rows of a join, by the common rule."""
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
    ranked = Select((*listed, SelectItem(f'{place} AS "__place"')), (rows.select, ' AS "__rows"'))
    first = Select(listed, (ranked, f' AS "__ranked" WHERE "__place" <= {most}'))
    return replace(rows, select=first)


def _listed(rows: Rows) -> tuple[SelectItem, ...]:
    return (SelectItem(UNIT), *(SelectItem(typed.sql, typed.sql) for typed in rows.columns.values()))


_HELD = '"__held"'
_OWN = SelectItem('"__rows".*')


@frozen
class Heavy:
    """The people whose rows in one of several groups of tables multiply to more than `most`.

    Claim: all other people have at most `most` rows in the join of each group, for any conditions and any order of
    joins. Proof: a join of tables within one person has at most as many rows as the product of the person's rows, and a
    table without any counts as one row, so that no part of the product is larger. The product is computed in doubles:
    it is exact up to 2^53, and no factor is below 1, so that it stays beyond `most` once it is.
    """

    name: str
    groups: tuple[tuple[Select, ...], ...]
    most: int

    @property
    def people(self) -> Select:
        """One row for each of them; tables that are read alike are counted once.

        It includes people of any of the tables, since a LEFT JOIN may have rows of people who are not in its first
        table.
        """
        texts = {table.under(UNIT): table for group in self.groups for table in group}
        origin: list[str | Select] = []
        for place, table in enumerate(texts.values()):
            origin += [" UNION ALL SELECT * FROM " if place else "(SELECT * FROM ", _count(table, place)]
            origin.append(f' AS "__counted{place}"')
        number = {text: place for place, text in enumerate(texts)}
        products = [" * ".join(_factor(number[table.under(UNIT)]) for table in group) for group in self.groups]
        test = " OR ".join(f"{product} > {self.most}" for product in products)
        grouped = f') AS "__counted" GROUP BY {UNIT} HAVING {test}'
        return Select((SelectItem(UNIT), SelectItem(f"1 AS {_HELD}")), (*origin, grouped))

    def alone(self, table: Select) -> Select:
        """Their rows of a table."""
        return Select((_OWN,), (table, f' AS "__rows" JOIN {self.name} USING ({UNIT})'), is_open=True)

    def others(self, table: Select) -> Select:
        """All other people's rows of a table."""
        without = f' AS "__rows" LEFT JOIN {self.name} USING ({UNIT}) WHERE {_HELD} IS NULL'
        return Select((_OWN,), (table, without), is_open=True)

    def apart(self, columns: Sequence[SelectItem], whole: Select, cut: Select) -> Select:
        """The rows of `cut` for these people, of `whole` for all others; both list the same columns.

        Every row that is joined has the person of the row on the left: so the left side of one leaves these people out,
        and that of the other all who are not. Tables alone would not do: a LEFT JOIN keeps rows of people whose
        partners are left out. The tables are restricted too, otherwise an inner join would include everybody. The part
        that is cut mostly has no people, so an engine reads nothing.
        """
        light = Select(tuple(columns), (self._of(whole, self.others), ' AS "__rows"'))
        heavy = Select(tuple(columns), (self._of(cut, self.alone), ' AS "__rows"'))
        named = (f"(WITH {self.name} AS MATERIALIZED ", self.people, " SELECT * FROM ", light, ' AS "__light"')
        both = (*named, " UNION ALL SELECT * FROM ", heavy, ' AS "__heavy") AS "__both"')
        return Select((ALL,), both, is_open=True)

    def _of(self, join: Select, some: Callable[[Select], Select]) -> Select:
        """A join of some people's rows."""
        tables = {table: some(table) for group in self.groups for table in group}
        left, *rest = join.reading(tables).origin
        if isinstance(left, str):
            raise TypeError("a join of private rows begins with those on its left")
        return Select(join.columns, (left if left in tables.values() else some(left), *rest), join.is_open)


def _count(table: Select, place: int) -> Select:
    listed = (SelectItem(UNIT), SelectItem(f'{place} AS "__table"'), SelectItem('COUNT(*) AS "__n"'))
    return Select(listed, (table, f' AS "__rows" GROUP BY {UNIT}'))


def _factor(place: int) -> str:
    return f'CAST(coalesce(MAX(CASE WHEN "__table" = {place} THEN "__n" END), 1) AS DOUBLE)'
