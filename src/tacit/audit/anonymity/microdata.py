"""The table to be anonymised: quasi-identifiers with their generalisation hierarchies, and a sensitive value.

A hierarchy is a tree with a column's values as leaves and coarser words for its branches.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen

Node: TypeAlias = tuple[int, int]
"""The leaves from the first to before the second: a branch of the tree is a run of neighbouring leaves."""


@frozen(eq=False)
class Hierarchy:
    """A tree over ordered leaves; `branches` has the children of each inner node."""

    name: str
    leaves: tuple[Hashable, ...]
    branches: dict[Node, tuple[Node, ...]]
    labels: dict[Node, str]

    @classmethod
    def halving(cls, name: str, values: Sequence[Hashable]) -> Hierarchy:
        """A hierarchy of repeated halves of ordered values: all ages, the younger half, …"""
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


Places: TypeAlias = NDArray[np.int64]
_MOST_FLAT = 12  # the most values of a text column for a flat hierarchy


@frozen(eq=False)
class People:
    """For each person the leaf in each quasi-identifier's hierarchy, and the place of the secret among its values."""

    known: Places
    """One row per person, one column per hierarchy."""

    hierarchies: tuple[Hierarchy, ...]
    secrets: Places
    secret_values: tuple[Any, ...]
    secret_is_ordered: bool

    def __len__(self) -> int:
        return len(self.known)

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]], quasi: Sequence[Hierarchy | str], secret: str) -> People:
        """People from columns of values.

        A quasi-identifier without a hierarchy gets one: halves of its sorted values if they are numbers or many, else
        flat.
        """
        trees = tuple(
            each if isinstance(each, Hierarchy) else default_hierarchy(each, _column(columns, each)) for each in quasi
        )
        if not trees:
            raise Refused("no quasi-identifier", "Then nobody can be told apart.", "one column at least.")
        if secret in [tree.name for tree in trees]:
            raise Refused(f"the column {secret}", "What others know is no secret.", "another column as the secret.")
        told = [_places(tree, _column(columns, tree.name)) for tree in trees]
        hidden = _column(columns, secret)
        if not len({len(each) for each in (*told, hidden)}) == 1 or not len(hidden):
            raise Refused(
                "columns of different lengths, or empty ones", "They are no table.", "a value a person in each."
            )
        values, places = np.unique(hidden, return_inverse=True)
        ordered = np.issubdtype(values.dtype, np.number)
        return cls(np.stack(told, axis=1), trees, places.astype(np.int64), tuple(values.tolist()), bool(ordered))

    def take(self, chosen: NDArray[Any]) -> People:
        """Some of the people, with the same hierarchies."""
        return People(
            self.known[chosen], self.hierarchies, self.secrets[chosen], self.secret_values, self.secret_is_ordered
        )


def default_hierarchy(name: str, values: NDArray[Any]) -> Hierarchy:
    """Halves of the sorted values, or a flat choice where these are a few words."""
    leaves = np.unique(values)
    if np.issubdtype(leaves.dtype, np.number) or leaves.size > _MOST_FLAT:
        return Hierarchy.halving(name, leaves.tolist())
    return Hierarchy.flat(name, leaves.tolist())


def _column(columns: Mapping[str, Sequence[Any]], name: str) -> NDArray[Any]:
    if name not in columns:
        raise Refused(
            f"the column {name[:60]}", "The table has none of this name.", f"one of {', '.join(columns)[:300]}."
        )
    return np.asarray(columns[name])


def _places(tree: Hierarchy, values: NDArray[Any]) -> Places:
    """Each value's leaf; a value without a leaf is refused without being named."""
    leaf = {value: place for place, value in enumerate(tree.leaves)}
    found, inverse = np.unique(values, return_inverse=True)
    if not all(value in leaf for value in found.tolist()):
        raise Refused(f"a value of {tree.name}", "Its hierarchy has no leaf for it.", "a hierarchy of all values.")
    return np.array([leaf[value] for value in found.tolist()], dtype=np.int64)[inverse]
