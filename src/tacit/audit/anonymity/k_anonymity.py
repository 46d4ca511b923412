"""k-anonymous tables: equivalence classes of people who share all published values, and their measures.

The measures are k, ℓ-diversity and t-closeness.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tacit.audit.anonymity.microdata import Hierarchy, Node, People, Places
from tacit.errors import Refused
from tacit.exact import whole
from tacit.frozen import frozen


@frozen(eq=False)
class EquivalenceClass:
    """People who share all published words.

    Their identities are not published; they are here to count an attack's hits.
    """

    nodes: tuple[Node, ...]
    members: Places

    def __len__(self) -> int:
        return self.members.size


@frozen(eq=False)
class Anonymised:
    """All classes of a table, every one of at least k people."""

    people: People
    classes: tuple[EquivalenceClass, ...]
    k: int

    def secrets(self, one: EquivalenceClass) -> Places:
        """The secrets published with a class, in an order without meaning."""
        return np.sort(self.people.secrets[one.members])

    def class_of(self) -> Places:
        """The index of each person's class."""
        places = np.empty(len(self.people), dtype=np.int64)
        for place, one in enumerate(self.classes):
            places[one.members] = place
        return places

    def rows(self) -> list[tuple[str, ...]]:
        """The published rows: for each person the words of their class and one secret of it."""
        trees, values = self.people.hierarchies, self.people.secret_values
        return [
            (*(tree.labels[node] for tree, node in zip(trees, one.nodes, strict=True)), str(values[secret]))
            for one in self.classes
            for secret in self.secrets(one)
        ]


def anonymise(people: People, k: int) -> Anonymised:
    """The most detailed table that splitting finds with at least k people in each class (hierarchical Mondrian).

    From one class with all people, a class is split by a hierarchy's branches as long as every branch that has people
    has at least k; of the hierarchies that permit it, the one whose smallest branch is largest. A class whose people
    all lie under one branch takes that branch's word. At the end no word of any class can be made finer alone: the
    table is minimal, like those of every good anonymiser, and minimality itself reveals something (`downcode`).
    """
    least = whole(k, "k", least=1)
    if not len(people) >= least:
        raise Refused(f"classes of {least:,}", "There are fewer people.", "a smaller k.")
    done: list[EquivalenceClass] = []
    roots = tuple(tree.root for tree in people.hierarchies)
    waiting = [EquivalenceClass(roots, np.arange(len(people), dtype=np.int64))]
    while waiting:
        one = _tightened(people, waiting.pop())
        parts = _best_split(people, one, least)
        if parts:
            waiting += parts
        else:
            done.append(one)
    return Anonymised(people, tuple(done), least)


def branches_of(people: People, one: EquivalenceClass, column: int) -> list[tuple[Node, Places]]:
    """The branches below a class's word that have people, with them."""
    leaves = people.known[one.members, column]
    tree = people.hierarchies[column]
    inside = [
        (node, one.members[(leaves >= node[0]) & (leaves < node[1])]) for node in tree.children(one.nodes[column])
    ]
    return [(node, members) for node, members in inside if members.size]


def _tightened(people: People, one: EquivalenceClass) -> EquivalenceClass:
    """The same people in the finest words that cover all of them."""
    nodes = list(one.nodes)
    for column in range(len(nodes)):
        while len(parts := branches_of(people, EquivalenceClass(tuple(nodes), one.members), column)) == 1:
            nodes[column] = parts[0][0]
    return EquivalenceClass(tuple(nodes), one.members)


def _best_split(people: People, one: EquivalenceClass, least: int) -> list[EquivalenceClass]:
    best: list[EquivalenceClass] = []
    smallest = least - 1
    for column in range(len(one.nodes)):
        parts = branches_of(people, one, column)
        if len(parts) > 1 and (size := min(members.size for _, members in parts)) > smallest:
            smallest = size
            best = [
                EquivalenceClass((*one.nodes[:column], node, *one.nodes[column + 1 :]), members)
                for node, members in parts
            ]
    return best


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
    """The largest distance of a class's secrets from those of all people."""

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
    """The measures of a table without anonymisation: its classes are the people with equal quasi-identifiers."""
    trees = [Hierarchy.flat(name, np.unique(np.asarray(columns[name])).tolist()) for name in quasi if name in columns]
    people = People.of(columns, trees if len(trees) == len(quasi) else quasi, secret)
    alike, places = np.unique(people.known, axis=0, return_inverse=True)
    nodes = [tuple((int(leaf), int(leaf) + 1) for leaf in row) for row in alike]
    members = [np.flatnonzero(places.ravel() == place) for place in range(len(alike))]
    return measure(Anonymised(people, tuple(map(EquivalenceClass, nodes, members)), min(each.size for each in members)))


def distance(law: np.ndarray[Any, Any], other: np.ndarray[Any, Any], is_ordered: bool) -> float:
    """The earth mover's distance of t-closeness: along the order of the values, or any to any at distance one."""
    if is_ordered and law.size > 1:
        return float(np.abs(np.cumsum(law - other)).sum() / (law.size - 1))
    return float(np.abs(law - other).sum() / 2)


def _shares(secrets: Places, values: int) -> np.ndarray[Any, Any]:
    return np.bincount(secrets, minlength=values) / secrets.size
