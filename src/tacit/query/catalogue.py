"""The public facts for the planner: the description, and the physical types in the files' headers. No data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from difflib import get_close_matches
from functools import cached_property

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.schema.description import Description, Lookup, Table


@frozen
class Catalogue:
    """A description and the headers of its tables; `physical` maps a table's columns to the engine's type names."""

    description: Description
    physical: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def table(self, name: str) -> Table | Lookup:
        """The table that a name in the query means."""
        known: dict[str, Table | Lookup] = {**self.description.tables, **self.description.lookups}
        for own, table in known.items():
            if own.lower() == name.lower():
                return table
        near = get_close_matches(name.lower(), [own.lower() for own in known], n=3) or sorted(known)
        raise Refused(f"the table {name}", "The description has no such table.", ", ".join(near) + ".")

    def physical_type(self, table: str, column: str) -> str | None:
        """The engine's own type of a column, from its header, if that was read."""
        return self._types.get(table, {}).get(column.lower())

    @cached_property
    def _types(self) -> Mapping[str, Mapping[str, str]]:
        """The types by names in lower case; the first of two names that differ in case only."""
        headers = {table: [*header.items()][::-1] for table, header in self.physical.items()}
        return {table: {name.lower(): kind for name, kind in header} for table, header in headers.items()}
