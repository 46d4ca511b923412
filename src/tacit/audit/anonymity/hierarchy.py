"""Generalisation hierarchies: a column's values as the leaves of a tree, and coarser words for its branches."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeAlias

from tacit.errors import Refused
from tacit.frozen import frozen

Node: TypeAlias = tuple[int, int]
"""The leaves from the first to before the second: a branch of the tree is a run of neighbouring leaves."""


@frozen(eq=False)
class Hierarchy:
    """A tree over ordered leaves; `branches` holds the children of each node that has some."""

    name: str
    leaves: tuple[Hashable, ...]
    branches: dict[Node, tuple[Node, ...]]
    labels: dict[Node, str]

    @classmethod
    def halving(cls, name: str, values: Sequence[Hashable]) -> Hierarchy:
        """Ordered values, halved again and again: all ages, the younger half of them, …"""
        leaves = _distinct(name, values)
        branches: dict[Node, tuple[Node, ...]] = {}
        labels: dict[Node, str] = {}
        open_nodes = [(0, len(leaves))]
        while open_nodes:
            low, high = open_nodes.pop()
            labels[low, high] = str(leaves[low]) if high - low == 1 else f"{leaves[low]} to {leaves[high - 1]}"
            if high - low > 1:
                middle = (low + high) // 2
                branches[low, high] = ((low, middle), (middle, high))
                open_nodes += branches[low, high]
        return cls(name, leaves, branches, labels)

    @classmethod
    def grouped(cls, name: str, groups: Mapping[str, Sequence[Hashable]]) -> Hierarchy:
        """Values under named groups, and the groups under "any"; a group of one value is that value."""
        leaves = _distinct(name, [value for group in groups.values() for value in group])
        branches: dict[Node, tuple[Node, ...]] = {}
        labels: dict[Node, str] = {(place, place + 1): str(leaf) for place, leaf in enumerate(leaves)}
        parts, start = [], 0
        for word, group in groups.items():
            part = (start, start + len(group))
            if len(group) > 1:
                branches[part] = tuple((place, place + 1) for place in range(*part))
                labels[part] = word
            parts.append(part)
            start = part[1]
        if len(parts) > 1:
            branches[0, len(leaves)] = tuple(parts)
            labels[0, len(leaves)] = "any"
        return cls(name, leaves, branches, labels)

    @classmethod
    def flat(cls, name: str, values: Sequence[Hashable]) -> Hierarchy:
        """Either the value itself or "any"."""
        return cls.grouped(name, {str(value): [value] for value in _distinct(name, values)})

    @property
    def root(self) -> Node:
        return 0, len(self.leaves)

    def children(self, node: Node) -> tuple[Node, ...]:
        return self.branches.get(node, ())


def _distinct(name: str, values: Sequence[Hashable]) -> tuple[Hashable, ...]:
    leaves = tuple(values)
    if not (leaves and len(set(leaves)) == len(leaves)):
        raise Refused(
            f"the values of {name}", "Each must be named once, and one at least.", "a list of distinct values."
        )
    return leaves
