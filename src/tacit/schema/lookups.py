"""Public tables, and the public keys of private columns that are read from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import TypeAlias

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.schema.catalogue import Levels
from tacit.schema.columns import check_keyed, key_from, listed_keys, read_columns
from tacit.schema.description import Lookup, Source
from tacit.schema.file_models import KeyLookup, LookupFile
from tacit.schema.kind import Key, Kind
from tacit.schema.names import Problems, check_name, suggestion
from tacit.schema.tables import Place, source_of

ReadPublic: TypeAlias = Callable[[Source, str], Sequence[object]]
"""Reads a column of a public table: given its source and the column's name, the values."""

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")


def lookup_keys(values: Sequence[object], kind: Kind) -> tuple[Key, ...]:
    """The distinct values in order, NULLs left out, each read as the column's kind."""
    check_keyed(kind)
    read: set[Key] = {_converted(value, kind) for value in values if value is not None}
    in_order: list[Key] = sorted(read, key=_order)
    return listed_keys(in_order, kind)


def _order(key: Key) -> tuple[int, str]:
    """Sorts keys of one kind: numbers by size, days and moments by time, text by its characters."""
    if isinstance(key, int):
        return key, ""
    return 0, key if isinstance(key, str) else key.isoformat()


def _converted(value: object, kind: Kind) -> Key:
    """The value as the engine would read it in the private column; other values are refused."""
    try:
        return key_from(_as_written(value, kind), kind)
    except ValueError:  # includes Refused
        raise Refused(
            "keys from a lookup",
            f"A value of that column cannot be read as {kind}.",
            f"a public column whose every value is {kind} or NULL; or another type for this column.",
        ) from None


def _as_written(value: object, kind: Kind) -> object:
    match kind, value:
        case Kind.TEXT, bool():
            return "true" if value else "false"
        case Kind.TEXT, int():
            return str(value)
        case Kind.TEXT, datetime():
            return value.isoformat(sep=" ")
        case Kind.TEXT, date():
            return value.isoformat()
        case Kind.INTEGER, str() if _WHOLE.fullmatch(value.strip()):
            return int(value)
        case Kind.INTEGER, float() if value.is_integer():
            return int(value)
        case Kind.INTEGER, Decimal() if value.is_finite() and value == value.to_integral_value():
            return int(value)
        case Kind.BOOLEAN, str() if value.strip().lower() in ("true", "false"):
            return value.strip().lower() == "true"
        case Kind.DATE, str() if _DAY.fullmatch(value.strip()):
            return date.fromisoformat(value.strip())
        case Kind.DATE, datetime() if value == datetime(value.year, value.month, value.day):
            return value.date()
        case _, str() if kind.has_clock:
            return datetime.fromisoformat(value.strip())
        case _, date() if kind.has_clock and not isinstance(value, datetime):
            return datetime(value.year, value.month, value.day)
    return value


_WIDEST = 1_000  # letters of a value that is a group
MOST_LEVELS = 2_000
"""The most values of a public column that are listed as groups: more would be printed than anyone reads."""


def levels_of(lookups: Mapping[str, Lookup], read_public: ReadPublic) -> Levels:
    """The values of public columns, each read when it is first asked for.

    Those of a column are not known where reading may change one: where it has bounds, where NULL is declared not to be
    there and is, and where a value has another type than the column.
    """

    @cache
    def levels(lookup: str, name: str) -> tuple[Key | None, ...] | None:
        column = next(each for own, each in lookups[lookup].columns.items() if own.lower() == name.lower())
        written = {Kind.TEXT: str, Kind.INTEGER: int, Kind.BOOLEAN: bool}.get(column.kind)
        if written is None or not (column.low is column.high is None):
            return None
        try:
            values = read_public(lookups[lookup].source, column.name)
            if len(values) > MOST_LEVELS or (None in values and not column.nullable):
                return None
            if any(type(value) is not written or len(str(value)) > _WIDEST for value in values if value is not None):
                return None
            keys = lookup_keys(values, column.kind)
        except Refused:  # by the engine, or since there is none
            return None
        return (*keys, None) if None in values else keys

    return levels


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
    """The keys from lookups: registered while a file is checked, and read when the file has no problem.

    So no source is read as public before it is certain that no table declares the same rows private.
    """

    lookups: Mapping[str, Lookup]
    read_public: ReadPublic | None

    def promise(self, asked: KeyLookup, kind: Kind) -> tuple[Key, ...]:
        """Register the keys of a column, which are read later; refused if they could not be read."""
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
