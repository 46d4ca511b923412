"""Names in lowered SQL: which column of which relation each one means. Case does not count, as in DuckDB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from tacit.frozen import frozen
from tacit.query.dialects.reach import ANY, Reach
from tacit.query.dialects.sql_type import SqlType


@frozen
class OutputColumn:
    """A column of a relation: its name as the engine has it, its type, and how large its numbers are.

    `reading` is a form, with {} for the column itself, that gives a value of exactly this type where the column as it
    lies may hold others as well. It is `fixed` if a sub-query says what it is without a column: planners put that in
    place of its name.
    """

    name: str
    type: SqlType
    reach: Reach = ANY
    reading: str | None = None
    fixed: bool = False


@frozen
class Relation:
    """Something to select from: its text after FROM, in the target dialect, and its columns.

    It `is_grouped` if its rows are groups of rows, or calculated from such.
    """

    sql: str
    columns: tuple[OutputColumn, ...]
    is_grouped: bool = False

    @property
    def by_name(self) -> Mapping[str, OutputColumn]:
        return {column.name.lower(): column for column in self.columns}


@frozen
class Scope:
    """What a SELECT may name: the relations of its FROM, each by its alias, and the columns that USING made one."""

    sources: Sequence[tuple[str, Relation]] = ()
    merged: frozenset[str] = frozenset()
    relations: Mapping[str, Relation] = field(default_factory=dict)

    def find(self, name: str, table: str | None) -> tuple[str, OutputColumn] | None:
        """The alias and the column that a name means; None if it means none, or several."""
        found = [
            (alias, relation.by_name[name.lower()])
            for alias, relation in self.sources
            if name.lower() in relation.by_name and (table is None or table.lower() == alias.lower())
        ]
        if len(found) == 1 or (found and name.lower() in self.merged):
            return found[0]
        return None
