"""What is promised of an anonymised table: k, ℓ-diversity and t-closeness."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tacit.audit.anonymity.anonymised import Anonymised, Class
from tacit.audit.anonymity.hierarchy import Hierarchy
from tacit.audit.anonymity.people import People, Places
from tacit.frozen import frozen


@frozen
class Measures:
    """The three measures of a table, each that of its worst class."""

    classes: int
    k: int
    """The size of the smallest class."""

    distinct: int
    """ℓ: the fewest distinct secrets in a class."""

    entropy: float
    """The entropy ℓ: e to the least entropy of a class's secrets; at most `distinct`."""

    t: float
    """The farthest that a class's secrets lie from everybody's."""

    def describe(self) -> str:
        return (
            f"{self.classes:,} classes: k = {self.k}, ℓ = {self.distinct} (by entropy {self.entropy:.2f}), "
            f"t = {self.t:.2f}."
        )

    def __str__(self) -> str:
        return self.describe()


def measure(table: Anonymised) -> Measures:
    """The measures of an anonymised table."""
    people = table.people
    whole = _shares(people.secrets, len(people.secret_values))
    laws = [_shares(people.secrets[one.members], whole.size) for one in table.classes]
    return Measures(
        len(laws),
        min(map(len, table.classes)),
        min(int(np.count_nonzero(law)) for law in laws),
        min(math.exp(-float(np.sum(law[law > 0] * np.log(law[law > 0])))) for law in laws),
        max(distance(law, whole, people.secret_is_ordered) for law in laws),
    )


def measure_columns(columns: Mapping[str, Sequence[Any]], quasi: Sequence[str], secret: str) -> Measures:
    """The measures of a table as it stands: its classes are the people with equal quasi-identifiers."""
    trees = [Hierarchy.flat(name, np.unique(np.asarray(columns[name])).tolist()) for name in quasi if name in columns]
    people = People.of(columns, trees if len(trees) == len(quasi) else quasi, secret)
    alike, places = np.unique(people.known, axis=0, return_inverse=True)
    nodes = [tuple((int(leaf), int(leaf) + 1) for leaf in row) for row in alike]
    members = [np.flatnonzero(places.ravel() == place) for place in range(len(alike))]
    return measure(Anonymised(people, tuple(map(Class, nodes, members)), min(each.size for each in members)))


def distance(law: np.ndarray[Any, Any], other: np.ndarray[Any, Any], is_ordered: bool) -> float:
    """The earth mover's distance of t-closeness: along the order of the values, or any to any at distance one."""
    if is_ordered and law.size > 1:
        return float(np.abs(np.cumsum(law - other)).sum() / (law.size - 1))
    return float(np.abs(law - other).sum() / 2)


def _shares(secrets: Places, values: int) -> np.ndarray[Any, Any]:
    return np.bincount(secrets, minlength=values) / secrets.size
