"""A SELECT below another: written with all its columns, or with those alone that are named above it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from tacit.frozen import frozen

_NO_COLUMN = '1 AS "__row"'


@frozen
class Column:
    """An item of a SELECT list: its text, and the name by which it is called above; None where it stays anyhow."""

    sql: str
    name: str | None = None


ALL = Column("*")


@frozen
class Select:
    """The columns that are listed, and what follows FROM: text, and other SELECTs, which stand in brackets.

    Where the list names the columns of a source by *, it `is_open`: what is named above is named of the sources too.

    Claim: `under(above)` gives the rows that `sql` gives, with the same values in every column that `above` names.
    Proof: a row is there whatever is listed, for there is no DISTINCT and no UNION but UNION ALL of two that list the
    same, an aggregate stands in a list only beside GROUP BY, and what that names stays. All else that a column is used
    for stands in `above`, in this list or in `origin`. A name is written alike wherever it is used, in quotes, so a
    column that is used is found in the text that uses it; a text that only looks like its name keeps it too. What is
    left out could not fail, being total.
    """

    columns: tuple[Column, ...]
    origin: tuple[str | Select, ...]
    is_open: bool = False

    @cached_property
    def sql(self) -> str:
        """The SELECT with all its columns."""
        return _written(self.columns, [part if isinstance(part, str) else f"({part.sql})" for part in self.origin])

    def under(self, above: str) -> str:
        """The SELECT with the columns that the text of what stands above it names."""
        columns = [column for column in self.columns if column.name is None or column.name in above]
        said = [column.sql for column in columns] + [part for part in self.origin if isinstance(part, str)]
        used = "\n".join([*said, above] if self.is_open else said)
        return _written(columns, [part if isinstance(part, str) else f"({part.under(used)})" for part in self.origin])

    def reading(self, instead: Mapping[Select, Select]) -> Select:
        """The same SELECT, some of those within it exchanged for others that give the same rows and names."""
        if self in instead:
            return instead[self]
        origin = tuple(part if isinstance(part, str) else part.reading(instead) for part in self.origin)
        return Select(self.columns, origin, self.is_open)


def _written(columns: Sequence[Column], origin: Sequence[str]) -> str:
    return f"SELECT {', '.join(column.sql for column in columns) or _NO_COLUMN} FROM {''.join(origin)}"
