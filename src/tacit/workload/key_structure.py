"""Public structure of keys: a hierarchy as a tree, impossible cells, and public totals.

All of it is declared by the steward, and none is read from rows. The lowered SQL counts only rows that fit the
hierarchy and are possible: a row whose member does not lie in the one above counts as NULL where that can be NULL, and
nowhere else; a row in an impossible cell counts nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.plans.question import Question
from tacit.query.sql.values.storage import literal_sql
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import KeyHierarchy, Table
from tacit.schema.kind import Key
from tacit.workload.tree import NO_TREE, LevelTree


@frozen(eq=False)
class KeyStructure:
    """The tree of the levels among a question's keys, and the impossible cells: values by the places of keys.

    `table` is the one that is read, if it is one.
    """

    tree: LevelTree
    domains: tuple[tuple[Key | None, ...] | None, ...]
    impossible: tuple[Mapping[int, tuple[Key, ...]], ...]
    table: Table | None

    def counted(self, names: Sequence[str]) -> dict[int, str]:
        """How the value of each level counts in SQL, by the keys' names there: NULL where it lies elsewhere."""
        found: dict[int, str] = {}
        tests: list[str] = []
        for depth, place in enumerate(self.tree.places):
            known = self._members(depth)
            if depth:
                above = names[self.tree.places[depth - 1]]
                cases = [
                    f"WHEN {_one_of(above, [key])} THEN {_one_of(names[place], own)}" for key, own in known.items()
                ]
                tests.append(f"CASE {' '.join(cases)} ELSE FALSE END")
            else:
                tests.append(_one_of(names[place], [key for own in known.values() for key in own]))
            found[place] = f"CASE WHEN {' AND '.join(tests)} THEN {names[place]} END"
        return found

    def conditions(self, names: Sequence[str]) -> list[str]:
        """The conditions on the rows that count."""
        counted, found = self.counted(names), []
        for depth, place in enumerate(self.tree.places, 1):
            if not any(path[-1] is None for path in self._paths(depth)):
                found.append(f"{counted[place]} IS NOT NULL")
        for each in self.impossible:
            tests = " AND ".join(_one_of(names[place], values) for place, values in each.items())
            found.append(f"CASE WHEN {tests} THEN FALSE ELSE TRUE END")
        return found

    def _paths(self, depth: int) -> list[tuple[Key | None, ...]]:
        levels = [self.domains[place] or () for place in self.tree.places[:depth]]
        return [tuple(map(tuple.__getitem__, levels, path)) for path in self.tree.paths(depth)]

    def _members(self, depth: int) -> dict[Key, list[Key]]:
        """The values of a level by the value above them, at the first level by themselves; NULL is listed nowhere."""
        found: dict[Key, list[Key]] = {}
        for path in self._paths(depth + 1):
            above, own = path[-2] if depth else path[-1], path[-1]
            if above is not None and own is not None:
                found.setdefault(above, []).append(own)
        return found


def _one_of(name: str, values: Sequence[Key]) -> str:
    return f"{name} IN ({', '.join(map(literal_sql, values))})"


def key_structure(question: Question, catalogue: Catalogue) -> KeyStructure:
    """The declared structure of a question's keys; levels count where two or more of one hierarchy are keys."""
    tables = {question.origins.get(key.column) for key in question.keys if key.column is not None} - {None}
    own = [table for name, table in catalogue.description.tables.items() if name in tables]
    domains = tuple(key.domain for key in question.keys)
    trees, impossible = [], []
    for table in own:
        places = {
            key.column: place
            for place, key in enumerate(question.keys)
            if key.column is not None and question.origins.get(key.column) == table.name and key.domain is not None
        }
        trees += [tree for each in table.hierarchies if (tree := _tree(each, places, domains)) is not None]
        for fact in table.impossible:
            named = {places.get(name.lower()): values for name, values in fact.values.items()}
            impossible += [{place: values for place, values in named.items() if place is not None}] * (
                None not in named
            )
    if len(trees) > 1:
        raise Refused(
            "levels of two hierarchies in one release",
            "Least squares go over one tree.",
            "several levels of one of them, and one level of the other.",
        )
    read = [catalogue.description.tables[name] for name in question.rows.tables]
    return KeyStructure(trees[0] if trees else NO_TREE, domains, tuple(impossible), read[0] if len(read) == 1 else None)


def _tree(
    hierarchy: KeyHierarchy, keys: Mapping[str, int], domains: Sequence[tuple[Key | None, ...] | None]
) -> LevelTree | None:
    """The levels that are keys, as a tree; None where fewer than two are, or where no path is left."""
    depths = [depth for depth, level in enumerate(hierarchy.levels) if level.lower() in keys]
    if len(depths) < 2:
        return None
    places = [keys[hierarchy.levels[depth].lower()] for depth in depths]
    codes = [{value: code for code, value in enumerate(domains[place] or ())} for place in places]
    projected = {tuple(path[depth] for depth in depths) for path in hierarchy.paths}
    known = {path for path in projected if all(value in own for value, own in zip(path, codes, strict=True))}
    leaves = sorted(
        tuple(own[value] for value, own in zip(path, codes, strict=True)) for path in {*known, *_without(known, codes)}
    )
    if not leaves:  # a condition leaves no path of the hierarchy
        return None
    levels = [sorted({leaf[:depth] for leaf in leaves}) for depth in range(len(depths) + 1)]
    above = [{node: place for place, node in enumerate(level)} for level in levels]
    return LevelTree(
        tuple(places),
        tuple(tuple(node[-1] for node in level) for level in levels[1:]),
        tuple(tuple(above[depth][node[:-1]] for node in level) for depth, level in enumerate(levels[1:])),
    )


def _without(
    known: set[tuple[Key, ...]], codes: Sequence[Mapping[Key | None, int]]
) -> Iterator[tuple[Key | None, ...]]:
    """Paths that end in NULL: below each node, where all further levels can be NULL."""
    for depth in range(len(codes)):
        if all(None in own for own in codes[depth:]):
            yield from {(*path[:depth], *[None] * (len(codes) - depth)) for path in known}


def node_places(tree: LevelTree, columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The node of each row from the places of its values by level; −1 where there is none."""
    found = np.zeros(len(columns[0]), np.int64)
    for codes, parents, column in zip(tree.codes, tree.parents, columns, strict=False):
        most = max(codes) + 1
        listed = np.array(parents, np.int64) * most + np.array(codes, np.int64)
        order = np.argsort(listed)
        wanted = np.where((found >= 0) & (column >= 0) & (column < most), found * most + column, -1)
        at = np.minimum(np.searchsorted(listed, wanted, sorter=order), len(listed) - 1)
        found = np.where(listed[order[at]] == wanted, order[at], -1)
    return found
