"""Hierarchies as a file declares them: columns that are levels, and which members lie in which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, datetime

from tacit.errors import Refused
from tacit.schema.columns import key_from
from tacit.schema.description import Column, KeyHierarchy
from tacit.schema.file_models import HierarchyFile
from tacit.schema.kind import Key, Kind
from tacit.schema.names import Problems, check_name, suggestion

_FORM = 'levels = ["region", "ward"], members = { north = ["w1", "w2"], south = ["w3"] }.'
_SHOWN = 5


def read_hierarchies(
    table: str, written: Mapping[str, HierarchyFile], columns: Mapping[str, Column], problems: Problems
) -> tuple[KeyHierarchy, ...]:
    """The hierarchies of a table; a column is a level of one of them."""
    found: list[KeyHierarchy] = []
    taken: dict[str, str] = {}
    for name, each in written.items():
        place = ("tables", table, "hierarchies", name)
        problems.attempt(place, None, check_name, name)
        levels = _levels(each.levels, (*place, "levels"), columns, problems)
        for level in each.levels:
            other = taken.setdefault(level, name)
            if other != name:
                problems.add((*place, "levels"), f"{level} is a level of {other} already.", "one hierarchy with both.")
        if levels is not None:
            paths = list(_paths(each.members, levels, (), (*place, "members"), problems))
            _check_members(paths, levels, (*place, "members"), problems)
            found.append(KeyHierarchy(name, tuple(level.name for level in levels), tuple(paths)))
    return tuple(found)


def _levels(
    names: list[str], place: tuple[str, ...], columns: Mapping[str, Column], problems: Problems
) -> list[Column] | None:
    before = len(problems.found)
    if len(names) < 2 or len(set(names)) < len(names):
        problems.add(place, "They are not two or more different columns, the coarsest first.", _FORM)
    for name in names:
        if name not in columns:
            problems.add(place, f"There is no column {name!r}.", suggestion(name, columns))
        elif columns[name].keys is None:
            problems.add(place, f"{name} has no keys: its values are private.", f"keys for {name}, known to everyone.")
    return [columns[name] for name in names] if len(problems.found) == before else None


def _paths(
    members: object, levels: list[Column], above: tuple[Key, ...], place: tuple[str, ...], problems: Problems
) -> Iterator[tuple[Key, ...]]:
    """Each finest member with the members that it lies in, the coarsest first."""
    level, is_last = levels[len(above)], len(above) == len(levels) - 1
    if is_last != isinstance(members, list) or not (is_last or isinstance(members, dict)):
        wanted = "a list of values" if is_last else "values, each with what lies in it"
        problems.add(place, f"Of {level.name} there are to be {wanted}.", _FORM)
    elif isinstance(members, list):
        for value in members:
            yield (*above, problems.attempt(place, "", key_from, value, level.kind))
    elif isinstance(members, dict):
        for name, below in members.items():
            key = problems.attempt((*place, name), "", _named_key, name, level.kind)
            yield from _paths(below, levels, (*above, key), (*place, name), problems)


def _named_key(name: str, kind: Kind) -> Key:
    """A key that is written as a name in the file, where all names are text."""
    try:
        if kind is Kind.INTEGER:
            return key_from(int(name), kind)
        if kind is Kind.DATE:
            return key_from(date.fromisoformat(name), kind)
        if kind is Kind.TIMESTAMP:
            return key_from(datetime.fromisoformat(name), kind)
        return key_from({"true": True, "false": False}[name] if kind is Kind.BOOLEAN else name, kind)
    except (ValueError, KeyError):  # includes Refused
        raise Refused("a member", f"It is not of the column's type, {kind}.", f"a {kind}.") from None


def _check_members(
    paths: list[tuple[Key, ...]], levels: list[Column], place: tuple[str, ...], problems: Problems
) -> None:
    """Note values that are not keys of their level, missing keys, and members with two parents."""
    for depth, level in enumerate(levels):
        known = level.keys or ()
        if not known:  # keys of a lookup, which are read later
            continue
        nodes = list(dict.fromkeys(path[: depth + 1] for path in paths))
        listed = [node[-1] for node in nodes] if depth < len(levels) - 1 else [path[-1] for path in paths]
        unknown = [value for value in dict.fromkeys(listed) if value not in set(known)]
        missing = [value for value in known if value not in set(listed)]
        twice = [value for value, times in Counter(listed).items() if times > 1]
        if unknown:
            problems.add(place, f"{_some(unknown)}: no key of {level.name}.", f"its keys: {_some(known)}.")
        if missing:
            problems.add(place, f"{_some(missing)}, of the keys of {level.name}, is left out.", "each key once.")
        if twice:
            problems.add(place, f"{_some(twice)} of {level.name} stands more than once.", "each key once.")


def _some(values: list[Key] | tuple[Key, ...]) -> str:
    return f"{', '.join(map(str, values[:_SHOWN]))}{', …' if len(values) > _SHOWN else ''}"
