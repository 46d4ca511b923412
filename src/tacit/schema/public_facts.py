"""Public facts of a table as a file declares them: hierarchies of keys, impossible cells, public numbers of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import product
from math import prod

from tacit.errors import Refused
from tacit.schema.columns import key_from
from tacit.schema.description import Column, Impossible, KeyHierarchy, PublicTotal
from tacit.schema.file_models import HierarchyFile, TotalFile
from tacit.schema.kind import Key, Kind
from tacit.schema.names import Problems, check_name, suggestion, whole_from

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
        if kind.has_clock:
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


_LARGEST = 2**50  # rows: doubles hold such numbers exactly
_MOST_CELLS = 2**18  # the largest number of cells that totals may distinguish

Cell = Mapping[str, Key | None]


def read_impossible(
    table: str, written: Sequence[Mapping[str, object]], columns: Mapping[str, Column], problems: Problems
) -> tuple[Impossible, ...]:
    """The impossible combinations of keys; a list means each of its values."""
    found = []
    for number, each in enumerate(written, 1):
        place = ("tables", table, "impossible", str(number))
        if not each:
            problems.add(place, "It names no column.", 'impossible = [{ sex = "m", ward = "maternity" }].')
        values = {
            name: tuple(
                problems.attempt((*place, name), "", _key, name, one, columns)
                for one in (said if isinstance(said, list) and said else [said])
            )
            for name, said in each.items()
        }
        found.append(Impossible(values))
    return tuple(found)


def read_totals(
    table: str, written: Sequence[TotalFile], columns: Mapping[str, Column], problems: Problems
) -> tuple[PublicTotal, ...]:
    """The public numbers of rows."""
    found: dict[tuple[tuple[str, Key], ...], int] = {}
    for number, each in enumerate(written, 1):
        place = ("tables", table, "totals", str(number))
        keys = {
            name: problems.attempt((*place, "keys", name), "", _key, name, value, columns)
            for name, value in each.keys.items()
        }
        count = problems.attempt((*place, "count"), 0, _count, each.count)
        named = tuple(sorted(keys.items()))
        if found.setdefault(named, count) != count:
            problems.add(place, "The same cell has another count above.", "each number once.")
    return tuple(PublicTotal(dict(named), count) for named, count in found.items())


def check_facts(
    table: str,
    columns: Mapping[str, Column],
    hierarchies: Sequence[KeyHierarchy],
    impossible: Sequence[Impossible],
    totals: Sequence[PublicTotal],
    problems: Problems,
) -> None:
    """Note totals that contradict each other or the impossible cells."""
    place = ("tables", table, "totals")
    said = [*((total.keys.items()) for total in totals), *(each.values.items() for each in impossible)]
    values: dict[str, list[Key | None]] = {}
    for name, value in (pair for items in said for pair in items):
        values.setdefault(name, []).extend(value if isinstance(value, tuple) else [value])
    if not totals or any(name not in columns or columns[name].keys is None for name in values):
        return
    axes = [_classes(columns[name], some) for name, some in values.items()]
    if not prod(map(len, axes)) <= _MOST_CELLS:
        accepted = f"facts of at most {_MOST_CELLS:,} combinations of values."
        problems.add(place, "They tell too many cells apart.", accepted)
        return
    cells = [dict(zip(values, cell, strict=True)) for cell in product(*axes)]
    if not _is_possible(_open(cells, list(values), hierarchies, impossible), totals):
        why = "They contradict each other, or what is impossible: no rows have them all."
        problems.add(place, why, "numbers that can be true together.")


def _classes(column: Column, named: Sequence[Key | None]) -> list[Key | None]:
    """The values named by facts, and None for all others and for NULL, if there are any."""
    is_whole = not column.nullable and column.keys and set(column.keys) <= set(named)
    return [*dict.fromkeys(named), *(() if is_whole else (None,))]


def _open(
    cells: Sequence[Cell], named: Sequence[str], hierarchies: Sequence[KeyHierarchy], impossible: Sequence[Impossible]
) -> list[Cell]:
    """The cells that are not impossible."""
    kept = [
        cell
        for cell in cells
        if not any(all(cell[name] in some for name, some in each.values.items()) for each in impossible)
    ]
    for hierarchy in hierarchies:
        depths = [depth for depth, level in enumerate(hierarchy.levels) if level in named]
        levels = [hierarchy.levels[depth] for depth in depths]
        known: set[tuple[Key | None, ...]] = {
            tuple(path[depth] if is_named else None for depth, is_named in zip(depths, which, strict=True))
            for which in product((True, False), repeat=len(depths))
            for path in hierarchy.paths
        }
        kept = [cell for cell in kept if tuple(cell[level] for level in levels) in known]
    return kept


def _is_possible(cells: Sequence[Cell], totals: Sequence[PublicTotal]) -> bool:
    """Whether nonnegative counts of these cells with these totals exist."""
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix

    patterns: dict[tuple[str, ...], dict[tuple[Key | None, ...], int]] = {}
    for row, total in enumerate(totals):
        patterns.setdefault(tuple(total.keys), {})[tuple(total.keys.values())] = row
    entries = [
        (rows[key], place)
        for place, cell in enumerate(cells)
        for names, rows in patterns.items()
        if (key := tuple(cell[name] for name in names)) in rows
    ]
    shape = (len(totals), max(1, len(cells)))
    where = np.array(entries, np.int64).reshape(-1, 2).T
    sums = csr_matrix((np.ones(len(entries)), (where[0], where[1])), shape)
    return bool(linprog(np.zeros(shape[1]), A_eq=sums, b_eq=[total.count for total in totals]).status == 0)


def _key(name: str, value: object, columns: Mapping[str, Column]) -> Key:
    if name not in columns:
        raise Refused(name, "There is no such column.", suggestion(name, columns))
    column = columns[name]
    if column.keys is None:
        raise Refused(name, "It has no keys: its values are private.", f"keys for {name}, known to everyone.")
    key = key_from(value, column.kind)
    if column.keys and key not in column.keys:
        raise Refused(name, f"{key} is no key of it.", suggestion(str(key), map(str, column.keys[:20])))
    return key


def _count(value: object) -> int:
    count = whole_from(value, "count", 0)
    if not count <= _LARGEST:
        raise Refused("count", "It is more than can be counted.", "at most 2^50.")
    return count
