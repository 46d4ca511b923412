"""The loss of a plan priced by the numeric accountant: for its privacy region, and to charge it as one release."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, probability, whole
from tacit.frozen import frozen
from tacit.loss.accountant.account import Account
from tacit.loss.accountant.account import account as gather
from tacit.loss.families.approx import Approx, pure_epsilon_of
from tacit.loss.families.curve import float_up
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation, demand_one_relation
from tacit.loss.families.zcdp import Zcdp

_SAMPLES = 48
_FARTHEST_DELTA = Fraction(1, 10**9)


@frozen(repr=False)
class Accounted(Loss):
    """Releases fixed in advance, each repeated so many times, by the upper ends of their certified brackets.

    Claim, under the one neighbour relation of all parts: that of `Account`. It prices a plan. As a filter it is not
    valid; an account of another currency is charged `approx(delta)`, `zcdp()` or `gdp()`.
    """

    account: Account

    @classmethod
    def of(cls, parts: Iterable[tuple[Loss, int]]) -> Accounted:
        """The plan of these (loss, times)."""
        return cls(gather(parts))

    @property
    def relations(self) -> frozenset[Relation]:
        return frozenset(found for loss, _ in self.account.parts for found in loss.relations)

    def delta(self, epsilon: Number) -> float:
        return self.delta_between(epsilon)[1]

    def delta_between(self, epsilon: Number) -> tuple[float, float]:
        """The accountant's bracket."""
        return _delta_between(self, nonnegative(epsilon, "epsilon"))

    def epsilon(self, delta: Number) -> float:
        """The accountant's upper end; at δ = 0, and where it certifies nothing, the sum of the parts' pure ε."""
        allowed = probability(delta, "delta")
        try:
            return self.account.epsilon(allowed).upper
        except Refused:
            return math.inf if self.pure_epsilon is None else float_up(self.pure_epsilon)

    @property
    def pure_epsilon(self) -> Fraction | None:
        """The sum of the parts' pure ε, exactly; None if one has none."""
        total = Fraction(0)
        for loss, times in self.account.parts:
            if (own := pure_epsilon_of(loss)) is None:
                return None
            total += own * times
        return total

    def tradeoff(self, alpha: Number) -> float:
        """The best that some of the plan's (ε, δ) promise, rounded down: 48 of them, up to δ = 1e-9."""
        level = probability(alpha, "alpha")
        return max(known.tradeoff(level) for known in _sampled(self))

    def rdp(self, order: Number) -> float:
        """The sum of the parts' divergences, rounded up."""
        values = [(loss.rdp(order), times) for loss, times in self.account.parts]
        if not all(value < math.inf for value, _ in values):
            return math.inf
        return float_up(sum((Fraction(value) * times for value, times in values), Fraction(0)))

    def group(self, people: int) -> Loss:
        """The plan itself for one person; refused for more."""
        if whole(people, "people", least=1) == 1:
            return self
        raise Refused(
            f"({self}) for {people} people",
            "The accountant prices the parts for one person.",
            "the plan of the parts' own `group(people)`, or `loss.approx(delta).group(people)`.",
        )

    def zcdp(self) -> Zcdp:
        """Σρ and Σδ of the parts, where every part has them."""
        found = [(loss.zcdp(), times) for loss, times in self.account.parts]
        slack = sum((one.exact_delta * times for one, times in found), Fraction(0))
        rho = sum((one.rho * times for one, times in found), Fraction(0))
        return Zcdp(rho, min(Fraction(1), slack), relation=demand_one_relation([self]))

    def gdp(self) -> Gdp:
        """√Σμ² of the parts, where every part has one."""
        squared = sum((loss.gdp().mu_squared * times for loss, times in self.account.parts), Fraction(0))
        return Gdp(squared, relation=demand_one_relation([self]))

    def __str__(self) -> str:
        return " with ".join(f"{times} × ({loss})" for loss, times in self.account.parts) or "nothing"


@lru_cache(maxsize=8192)
def _delta_between(loss: Accounted, epsilon: Fraction) -> tuple[float, float]:
    try:
        found = loss.account.delta(epsilon)
    except Refused:
        return 0.0, 1.0
    return max(0.0, found.lower), min(1.0, found.upper)


@lru_cache(maxsize=64)
def _sampled(loss: Accounted) -> tuple[Approx, ...]:
    """Some (ε, δ) that the plan satisfies, ε from 0 to where δ is 1e-9, denser below."""
    far = loss.epsilon(_FARTHEST_DELTA)
    last = Fraction(far if far < math.inf else 1.0)
    steps = (last * Fraction(n, _SAMPLES - 1) ** 2 for n in range(_SAMPLES))
    return tuple(Approx(epsilon, Fraction(loss.delta(epsilon))) for epsilon in steps)
