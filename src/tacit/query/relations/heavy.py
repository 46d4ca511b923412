"""People with many rows in several tables at once: they alone take the long way through a join."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tacit.frozen import frozen
from tacit.query.relations.rows import UNIT
from tacit.query.relations.select import ALL, Column, Select

_HELD = '"__held"'
_OWN = Column('"__rows".*')


@frozen
class Heavy:
    """The people whose rows in one of several groups of tables multiply to more than `most`.

    Claim: whoever is not among them has at most `most` rows in the join of each group, whatever its conditions are and
    in whatever order an engine joins. Proof: a join of tables within one person has at most as many rows as the product
    of the person's rows, and a table without any counts as one row, so that no part of the product is larger. The
    product is computed in doubles: it is exact up to 2^53, and no factor is below 1, so that it stays beyond `most`
    once it is.
    """

    name: str
    groups: tuple[tuple[Select, ...], ...]
    most: int

    @property
    def people(self) -> Select:
        """One row for each of them; tables that are read alike are counted once.

        Whoever is in any of the tables may be one: a LEFT JOIN brings rows of people whom its first table lacks.
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
        return Select((Column(UNIT), Column(f"1 AS {_HELD}")), (*origin, grouped))

    def alone(self, table: Select) -> Select:
        """Their rows of a table."""
        return Select((_OWN,), (table, f' AS "__rows" JOIN {self.name} USING ({UNIT})'), is_open=True)

    def others(self, table: Select) -> Select:
        """Everybody else's rows of a table."""
        without = f' AS "__rows" LEFT JOIN {self.name} USING ({UNIT}) WHERE {_HELD} IS NULL'
        return Select((_OWN,), (table, without), is_open=True)

    def apart(self, columns: Sequence[Column], whole: Select, cut: Select) -> Select:
        """The rows of `cut` for these people, of `whole` for all others; both list the same columns.

        Every row that is joined has the person of the row on the left: so the left side of one leaves these people out,
        and that of the other all who are not. Tables alone would not do: a LEFT JOIN keeps rows of people whose
        partners are left out. But they are read so too, or a join within would be made of everybody. Where rows are
        cut, that is mostly nobody, and an engine reads nothing.
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
    listed = (Column(UNIT), Column(f'{place} AS "__table"'), Column('COUNT(*) AS "__n"'))
    return Select(listed, (table, f' AS "__rows" GROUP BY {UNIT}'))


def _factor(place: int) -> str:
    return f'CAST(coalesce(MAX(CASE WHEN "__table" = {place} THEN "__n" END), 1) AS DOUBLE)'
