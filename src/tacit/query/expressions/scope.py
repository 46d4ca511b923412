"""Which columns an expression may name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.expressions.shown import near
from tacit.query.typed import Typed


class Scope(Protocol):
    """Finds columns by name."""

    def column(self, name: str, table: str | None) -> Typed:
        """The column called `name` (of `table`, if one is named); refuses unknown and ambiguous names."""
        ...


@frozen
class NamedScope:
    """Columns known by their name alone, and by table and name; case does not count, as in DuckDB."""

    columns: Mapping[str, Typed]
    qualified: Mapping[tuple[str, str], Typed] = field(default_factory=dict)

    def column(self, name: str, table: str | None) -> Typed:
        if table is None:
            found = [typed for known, typed in self.columns.items() if known.lower() == name.lower()]
        else:
            wanted = (table.lower(), name.lower())
            found = [typed for (of, known), typed in self.qualified.items() if (of.lower(), known.lower()) == wanted]
        if len(found) == 1:
            return found[0]
        holders = sorted(of for of, known in self.qualified if known.lower() == name.lower())
        if table is None and len(holders) > 1:
            accepted = " or ".join(f"{of}.{name}" for of in holders)
            raise Refused(f"the column {name}", "Several tables have a column of this name.", f"{accepted}.")
        names = (
            self.columns if table is None else [known for of, known in self.qualified if of.lower() == table.lower()]
        )
        asked = name if table is None else f"{table}.{name}"
        raise Refused(f"the column {asked}", "There is no such column here.", f"one of: {near(name, names)}.")
