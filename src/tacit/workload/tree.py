"""A hierarchy of keys as a tree: the levels that tables use, the nodes of each, and the node above each node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen

_Number = TypeVar("_Number", np.int64, np.float64)


@frozen
class LevelTree:
    """Levels that are keys of tables, the coarsest first; above them stands one root, of depth 0.

    A unit in a node is also in the node above it, so a level determines those above: sets of keys are `closed`.
    """

    places: tuple[int, ...]  # of the levels among the keys
    codes: tuple[tuple[int, ...], ...]  # of each level's nodes: the place of its value among its key's
    parents: tuple[tuple[int, ...], ...]  # of each level's nodes: the node of the level above

    def closed(self, attributes: Sequence[int]) -> tuple[int, ...]:
        """These keys and the levels that they determine."""
        deepest = max((depth for depth, place in enumerate(self.places, 1) if place in attributes), default=0)
        return tuple(sorted({*attributes, *self.places[:deepest]}))

    def depth(self, attributes: Sequence[int]) -> int:
        """How deep a closed set of keys goes."""
        return sum(place in attributes for place in self.places)

    def flat(self, attributes: Sequence[int]) -> tuple[int, ...]:
        """The keys that are not levels."""
        return tuple(place for place in attributes if place not in self.places)

    def at(self, flat: Sequence[int], depth: int) -> tuple[int, ...]:
        """These keys and all levels to a depth."""
        return tuple(sorted((*flat, *self.places[:depth])))

    def size(self, depth: int) -> int:
        """How many nodes there are at a depth."""
        return len(self.parents[depth - 1]) if depth else 1

    def above(self, depth: int) -> NDArray[np.int64]:
        """The parent of each node at a depth."""
        return np.array(self.parents[depth - 1], np.int64)

    def summed(self, values: NDArray[_Number], depth: int, wanted: int) -> NDArray[_Number]:
        """Values by the nodes of a depth, along the first axis, added up to the nodes of a depth above."""
        for each in range(depth, wanted, -1):
            found = np.zeros((self.size(each - 1), *values.shape[1:]), values.dtype)
            np.add.at(found, self.above(each), values)
            values = found
        return values

    def margin(self, values: NDArray[_Number], table: Sequence[int], wanted: Sequence[int]) -> NDArray[_Number]:
        """The margin of a table: its cells, nodes along the first axis if it has levels, added up."""
        depth, least = self.depth(table), self.depth(wanted)
        first = 1 if depth else 0
        axes = tuple(axis for axis, place in enumerate(self.flat(table), first) if place not in wanted)
        found: NDArray[_Number] = np.asarray(values.sum(axis=axes), values.dtype)
        if not depth:
            return found
        found = self.summed(found, depth, least)
        return found if least else np.asarray(found[0], values.dtype)

    def paths(self, depth: int) -> list[tuple[int, ...]]:
        """For each node at a depth, the places of the values of its levels."""
        found: list[tuple[int, ...]] = [()]
        for codes, parents in zip(self.codes[:depth], self.parents[:depth], strict=True):
            found = [(*found[parent], code) for code, parent in zip(codes, parents, strict=True)]
        return found


NO_TREE: Final = LevelTree((), (), ())
