"""Releases about disjoint groups of people: what they cost one person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

from tacit.errors import Refused
from tacit.loss.composing.composition import compose
from tacit.loss.composing.worst import worst
from tacit.loss.loss import Loss, in_list
from tacit.loss.one_relation import demand_one_relation
from tacit.loss.relation import Relation


def parallel(losses: Iterable[Loss], relation: Relation, *, fixed: bool = False) -> Loss:
    """What one release on each of several disjoint parts of the people costs together.

    Each loss is that of its part when one person enters it, leaves it or changes within it. Under
    add/remove a person is in at most one part, and only that part's release changes: the worst of them.
    Under replace a person may leave one part and enter another, and two releases change: the worst
    pair, composed. Only if who is in which part is public and cannot change (`fixed=True`) is it the worst one.
    """
    parts = in_list(losses)
    if not isinstance(relation, Relation):
        raise Refused(f"relation of type {type(relation).__name__}", "It is no neighbour relation.", "a `Relation`.")
    demand_one_relation(parts, relation)
    if relation is Relation.ADD_REMOVE or fixed is True or len(parts) < 2:
        return worst(parts)
    candidates = [part for part, times in Counter(parts).items() for _ in range(min(times, 2))]
    return worst(compose(one, other) for one, other in combinations(candidates, 2))
