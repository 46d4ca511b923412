"""An anonymised table: classes of people who look alike in it, each with the secrets of its members."""

from __future__ import annotations

import numpy as np

from tacit.audit.anonymity.hierarchy import Node
from tacit.audit.anonymity.people import People, Places
from tacit.errors import Refused
from tacit.exact import whole
from tacit.frozen import frozen


@frozen(eq=False)
class Class:
    """People who share all published words. Who they are is not published; it is here to count an attack's hits by."""

    nodes: tuple[Node, ...]
    members: Places

    def __len__(self) -> int:
        return self.members.size


@frozen(eq=False)
class Anonymised:
    """All classes of a table, every one of at least k people."""

    people: People
    classes: tuple[Class, ...]
    k: int

    def secrets(self, one: Class) -> Places:
        """The secrets published with a class, in no order that means anything."""
        return np.sort(self.people.secrets[one.members])

    def class_of(self) -> Places:
        """The place of each person's class."""
        places = np.empty(len(self.people), dtype=np.int64)
        for place, one in enumerate(self.classes):
            places[one.members] = place
        return places

    def rows(self) -> list[tuple[str, ...]]:
        """What is published: a row a person, the words of their class and a secret of it."""
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
    table is minimal, as every sensible anonymiser's is, and that itself tells something (`downcode`).
    """
    least = whole(k, "k", least=1)
    if not len(people) >= least:
        raise Refused(f"classes of {least:,}", "There are fewer people.", "a smaller k.")
    done: list[Class] = []
    roots = tuple(tree.root for tree in people.hierarchies)
    waiting = [Class(roots, np.arange(len(people), dtype=np.int64))]
    while waiting:
        one = _tightened(people, waiting.pop())
        parts = _best_split(people, one, least)
        if parts:
            waiting += parts
        else:
            done.append(one)
    return Anonymised(people, tuple(done), least)


def branches_of(people: People, one: Class, column: int) -> list[tuple[Node, Places]]:
    """The branches below a class's word that have people, with them."""
    leaves = people.known[one.members, column]
    tree = people.hierarchies[column]
    inside = [
        (node, one.members[(leaves >= node[0]) & (leaves < node[1])]) for node in tree.children(one.nodes[column])
    ]
    return [(node, members) for node, members in inside if members.size]


def _tightened(people: People, one: Class) -> Class:
    """The same people in the finest words that cover all of them."""
    nodes = list(one.nodes)
    for column in range(len(nodes)):
        while len(parts := branches_of(people, Class(tuple(nodes), one.members), column)) == 1:
            nodes[column] = parts[0][0]
    return Class(tuple(nodes), one.members)


def _best_split(people: People, one: Class, least: int) -> list[Class]:
    best: list[Class] = []
    smallest = least - 1
    for column in range(len(one.nodes)):
        parts = branches_of(people, one, column)
        if len(parts) > 1 and (size := min(members.size for _, members in parts)) > smallest:
            smallest = size
            best = [Class((*one.nodes[:column], node, *one.nodes[column + 1 :]), members) for node, members in parts]
    return best
