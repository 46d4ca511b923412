"""Parallel composition: what releases about disjoint groups of people cost one person.

One person is in one of the groups, and it is not known in which: the cost is the worst of the losses, or of pairs of
them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

from tacit.errors import Refused
from tacit.exact import Number, whole
from tacit.frozen import frozen
from tacit.loss.composition.sequential import compose
from tacit.loss.families.approx import Approx, Pure, pure_epsilon_of
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation, demand_one_relation, in_list, in_order
from tacit.loss.families.rdp import Rdp
from tacit.loss.families.zcdp import Zcdp

_Family = TypeVar("_Family", bound=Loss)


@frozen(init=False, repr=False)
class Worst(Loss):
    """The pointwise worst of several losses under one relation; every answer is the worst of the parts' answers."""

    parts: tuple[Loss, ...]

    def __init__(self, parts: Iterable[Loss]) -> None:
        object.__setattr__(self, "parts", in_order(dict.fromkeys(in_list(parts))))
        demand_one_relation(self.parts)

    @property
    def relations(self) -> frozenset[Relation]:
        return frozenset(found for part in self.parts for found in part.relations)

    @property
    def pure_epsilon(self) -> Fraction | None:
        """The largest of the parts' pure ε, exactly; None if one has none."""
        parts = [pure_epsilon_of(part) for part in self.parts]
        known = [part for part in parts if part is not None]
        return None if len(known) < len(parts) else max(known, default=Fraction(0))

    def delta(self, epsilon: Number) -> float:
        return max(part.delta(epsilon) for part in self.parts)

    def epsilon(self, delta: Number) -> float:
        return max(part.epsilon(delta) for part in self.parts)

    def tradeoff(self, alpha: Number) -> float:
        return min(part.tradeoff(alpha) for part in self.parts)

    def rdp(self, order: Number) -> float:
        return max(part.rdp(order) for part in self.parts)

    def group(self, people: int) -> Loss:
        """Refused for two or more people: each of them may bear a different part."""
        if whole(people, "people", least=1) == 1:
            return self
        raise Refused(
            f"the worst of several losses for {people} people",
            "The people of a group may bear different parts, so the parts' own group losses do not bound it.",
            "`loss.approx(delta).group(people)`, or `group_tradeoff(loss, people, alpha)`.",
        )

    def zcdp(self) -> Zcdp:
        """The worst ρ and the worst δ, where every part has them."""
        return _worst_concentrated([part.zcdp() for part in self.parts])

    def gdp(self) -> Gdp:
        """The worst μ, where every part has one."""
        return _worst_gaussian([part.gdp() for part in self.parts])

    def __str__(self) -> str:
        return " or ".join(str(part) for part in self.parts)


def worst(losses: Iterable[Loss]) -> Loss:
    """The least upper bound: componentwise within one family, pointwise (`Worst`) across families."""
    parts = tuple(dict.fromkeys(in_list(losses)))
    if not parts:
        return Pure(0)
    if len(parts) == 1:
        return parts[0]
    if basic := _all_of(Approx, parts):
        return _worst_basic(basic)
    if concentrated := _all_of(Zcdp, parts):
        return _worst_concentrated(concentrated)
    if gaussian := _all_of(Gdp, parts):
        return _worst_gaussian(gaussian)
    if renyi := _all_of(Rdp, parts):
        return _worst_renyi(renyi)
    return Worst(parts)


def _all_of(family: type[_Family], parts: Sequence[Loss]) -> list[_Family]:
    """The parts if all are of the family, otherwise an empty list."""
    found = [part for part in parts if isinstance(part, family)]
    return found if len(found) == len(parts) else []


def _worst_basic(parts: Sequence[Approx]) -> Approx:
    epsilon, relation = max(part.exact_epsilon for part in parts), demand_one_relation(parts)
    if all(isinstance(part, Pure) for part in parts):
        return Pure(epsilon, relation=relation)
    return Approx(epsilon, max(part.exact_delta for part in parts), relation=relation)


def _worst_concentrated(parts: Sequence[Zcdp]) -> Zcdp:
    rho, slack = max(part.rho for part in parts), max(part.exact_delta for part in parts)
    return Zcdp(rho, slack, relation=demand_one_relation(parts))


def _worst_gaussian(parts: Sequence[Gdp]) -> Gdp:
    return Gdp(max(part.mu_squared for part in parts), relation=demand_one_relation(parts))


def _worst_renyi(parts: Sequence[Rdp]) -> Rdp:
    """The largest value at every listed order up to which all parts are known."""
    last = min(part.orders[-1] for part in parts)
    orders = sorted({order for part in parts for order in part.orders if order <= last})
    largest = [(order, max(part.bound(order) or Fraction(0) for part in parts)) for order in orders]
    return Rdp(largest, relation=demand_one_relation(parts))


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
