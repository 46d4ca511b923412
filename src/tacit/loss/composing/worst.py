"""The worst of several losses: what is paid when one of them happens, and nobody knows which."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.rdp import Rdp
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.loss import Loss, in_list, in_order
from tacit.loss.one_relation import demand_one_relation
from tacit.loss.relation import Relation


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
        found = [part.zcdp() for part in self.parts]
        return Zcdp(max(one.rho for one in found), max(one.exact_delta for one in found))

    def gdp(self) -> Gdp:
        """The worst μ, where every part has one."""
        return Gdp(max(part.gdp().mu_squared for part in self.parts))

    def __str__(self) -> str:
        return " or ".join(str(part) for part in self.parts)


def worst(losses: Iterable[Loss]) -> Loss:
    """The least upper bound: componentwise within one family, pointwise (`Worst`) across families."""
    parts = tuple(dict.fromkeys(in_list(losses)))
    if not parts:
        return Pure(0)
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, Pure) for part in parts):
        return Pure(max(part.exact_epsilon for part in parts if isinstance(part, Pure)))
    if all(isinstance(part, Approx) for part in parts):
        basic = [part for part in parts if isinstance(part, Approx)]
        return Approx(max(part.exact_epsilon for part in basic), max(part.exact_delta for part in basic))
    if all(isinstance(part, Zcdp) for part in parts):
        concentrated = [part for part in parts if isinstance(part, Zcdp)]
        return Zcdp(max(part.rho for part in concentrated), max(part.exact_delta for part in concentrated))
    if all(isinstance(part, Gdp) for part in parts):
        return Gdp(max(part.mu_squared for part in parts if isinstance(part, Gdp)))
    if all(isinstance(part, Rdp) for part in parts):
        return _worst_renyi([part for part in parts if isinstance(part, Rdp)])
    return Worst(parts)


def _worst_renyi(parts: list[Rdp]) -> Rdp:
    """The largest value at every listed order up to which all parts are known."""
    last = min(part.orders[-1] for part in parts)
    orders = sorted({order for part in parts for order in part.orders if order <= last})
    return Rdp((order, max(part.bound(order) or Fraction(0) for part in parts)) for order in orders)
