"""The table to be anonymised: what others may know of each person, and what they should not learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.audit.anonymity.hierarchy import Hierarchy
from tacit.errors import Refused
from tacit.frozen import frozen

Places: TypeAlias = NDArray[np.int64]
_MOST_FLAT = 12  # values of a text column that are still worth listing flatly


@frozen(eq=False)
class People:
    """For each person the leaf in each quasi-identifier's hierarchy, and the place of the secret among its values."""

    known: Places
    """A row a person, a column a hierarchy."""

    hierarchies: tuple[Hierarchy, ...]
    secrets: Places
    secret_values: tuple[Any, ...]
    secret_is_ordered: bool

    def __len__(self) -> int:
        return len(self.known)

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]], quasi: Sequence[Hierarchy | str], secret: str) -> People:
        """From columns of values. A quasi-identifier that is only named gets a hierarchy: halves of its sorted values
        if they are numbers or many, else flat."""
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
        """Some of the people, in the same words."""
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
    """Each value's leaf; a value that has none is refused without being named."""
    leaf = {value: place for place, value in enumerate(tree.leaves)}
    found, inverse = np.unique(values, return_inverse=True)
    if not all(value in leaf for value in found.tolist()):
        raise Refused(f"a value of {tree.name}", "Its hierarchy has no leaf for it.", "a hierarchy of all values.")
    return np.array([leaf[value] for value in found.tolist()], dtype=np.int64)[inverse]
