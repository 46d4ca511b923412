"""Public tables, and the keys that they give to private columns."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.schema.columns import read_columns
from tacit.schema.description import Lookup
from tacit.schema.file_models import KeyLookup, LookupFile
from tacit.schema.kind import Key, Kind
from tacit.schema.lookup_keys import ReadPublic, lookup_keys
from tacit.schema.names import check_name, suggestion
from tacit.schema.problems import Problems
from tacit.schema.public_keys import check_keyed
from tacit.schema.tables import Place, source_of


def read_lookups(written: Mapping[str, LookupFile], place: Place, problems: Problems) -> dict[str, Lookup]:
    """The public tables, each by its name."""
    return {name: _lookup(name, lookup, place, problems) for name, lookup in written.items()}


def _lookup(name: str, written: LookupFile, place: Place, problems: Problems) -> Lookup:
    part = ("lookups", name)
    problems.attempt(part, None, check_name, name)
    columns = read_columns(written.columns, (*part, "columns"), _no_keys, problems)
    if written.key not in columns:
        problems.add((*part, "key"), "There is no such column.", suggestion(written.key, columns))
    else:
        problems.attempt((*part, "key"), None, check_keyed, columns[written.key].kind)
    return Lookup(name, source_of(written, part, place, problems), columns, written.key)


def _no_keys(_asked: KeyLookup, _kind: Kind) -> tuple[Key, ...]:
    raise Refused("keys of a public column", "A public table is its own list of values.", "no keys here, or a list.")


@frozen
class LookupKeys:
    """The keys that lookups give: promised while a file is checked, read once nothing in it is wrong.

    So nothing is opened as public before it is known that no table calls the same rows private.
    """

    lookups: Mapping[str, Lookup]
    read_public: ReadPublic | None

    def promise(self, asked: KeyLookup, kind: Kind) -> tuple[Key, ...]:
        """No keys yet, or a refusal if they could not be read."""
        check_keyed(kind)
        if asked.lookup not in self.lookups:
            raise Refused(asked.lookup, "There is no such lookup.", suggestion(asked.lookup, self.lookups))
        columns = self.lookups[asked.lookup].columns
        if asked.column not in columns:
            raise Refused(asked.column, "The lookup has no such column.", suggestion(asked.column, columns))
        if self.read_public is None:
            raise Refused(
                f"keys from {asked.lookup}",
                "These keys stand in a public table, and nothing was given to read it with.",
                "`read_description(path, read_public)`; or the keys as a list.",
            )
        return ()

    def read(self, asked: KeyLookup, kind: Kind) -> tuple[Key, ...]:
        """Every value of the public column, as keys of this kind."""
        if self.read_public is None:
            return self.promise(asked, kind)
        return lookup_keys(self.read_public(self.lookups[asked.lookup].source, asked.column), kind)
