"""Steps of Gaussian noise on Poisson samples, priced by their Rényi divergences."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from tacit.exact import Number, nonnegative, positive, probability, whole
from tacit.frozen import frozen
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.rdp import Rdp
from tacit.loss.families.renyi import delta_at, epsilon_at, order_for_delta, order_for_epsilon
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.loss import Loss
from tacit.loss.relation import Relation
from tacit.loss.sampling.subsampled_rdp import poisson_gaussian_ball
from tacit.loss.sharp import order_above_one, sharp, shown
from tacit.noise.ball import ball, precision, up

_SEARCH_BITS = 64
_FARTHEST = math.log(1023)  # of α−1: the search stops at order 1024
_WHOLE = (*range(4, 33), *range(36, 65, 4), 96, 128, 256, 512)
LISTED = (*(Fraction(n, 8) for n in range(9, 32)), *map(Fraction, _WHOLE))


@frozen(repr=False)
class SampledGaussianRenyi(Loss):
    """`times` steps, each a Gaussian sum over a fresh Poisson sample: rate q, `variance` σ²/Δ², under add/remove.

    Each step's divergence is exact (`poisson_gaussian_rdp`); they add up at each order, and every order gives a true
    (ε, δ), so the search for the best order (up to 1024) cannot make an answer unsound. The conversion loses
    something: a privacy-loss distribution of the same steps is tighter, and is a bracket.
    """

    rate: Fraction
    variance: Fraction
    times: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", probability(self.rate, "rate"))
        object.__setattr__(self, "variance", positive(self.variance, "variance"))
        object.__setattr__(self, "times", whole(self.times, "times", least=1))

    @property
    def relations(self) -> frozenset[Relation]:
        return frozenset({Relation.ADD_REMOVE})

    def rdp(self, order: Number) -> float:
        alpha = order_above_one(order)
        return max(0.0, up(sharp(lambda: self.times * poisson_gaussian_ball(self.rate, self.variance, alpha))))

    def best_order(self, delta: Number) -> Fraction:
        """Nearly the order that serves best for ε at this δ."""
        return order_for_epsilon(self._divergence, positive(delta, "delta"), _FARTHEST)

    def _divergence(self, excess: float) -> float:
        with precision(_SEARCH_BITS):
            found = poisson_gaussian_ball(self.rate, self.variance, 1 + Fraction(excess))
            return self.times * max(0.0, float(found.mid()))

    def delta(self, epsilon: Number) -> float:
        target = nonnegative(epsilon, "epsilon")
        if self.rate == 0:
            return 0.0
        order = order_for_delta(self._divergence, target, _FARTHEST)
        value = self.rdp(order)
        return min(1.0, up(sharp(lambda: delta_at(order, ball(value), target))))

    def epsilon(self, delta: Number) -> float:
        target = probability(delta, "delta")
        if target == 1 or self.rate == 0:
            return 0.0
        if target == 0:
            return math.inf
        order = self.best_order(target)
        value = self.rdp(order)
        return max(0.0, up(sharp(lambda: epsilon_at(order, ball(value), target))))

    def listed(self) -> Rdp:
        """The same at a fixed list of orders, from 9/8 to 512: what an `Rdp` composes with."""
        return _listed(self)

    def tradeoff(self, alpha: Number) -> float:
        """The curve that the listed orders imply together, rounded down."""
        return self.listed().tradeoff(alpha)

    def group(self, people: int) -> Loss:
        """Mironov's group property at the listed orders."""
        return self if whole(people, "people", least=1) == 1 else self.listed().group(people)

    def zcdp(self) -> Zcdp:
        """ρ = times·Δ²/2σ², as without sampling: no smaller ρ holds at every order."""
        return Zcdp(self.times / (2 * self.variance) if self.rate else 0, relation=Relation.ADD_REMOVE)

    def gdp(self) -> Gdp:
        """μ² = times·Δ²/σ², as without sampling: the sampling coin may be thrown after the noise (post-processing)."""
        return Gdp(self.times / self.variance if self.rate else 0, relation=Relation.ADD_REMOVE)

    def __str__(self) -> str:
        return f"{self.times} × Gaussian noise, σ²/Δ² = {shown(self.variance)}, on samples of rate {shown(self.rate)}"


@lru_cache(maxsize=64)
def _listed(loss: SampledGaussianRenyi) -> Rdp:
    return Rdp(((order, Fraction(loss.rdp(order))) for order in LISTED), relation=Relation.ADD_REMOVE)
