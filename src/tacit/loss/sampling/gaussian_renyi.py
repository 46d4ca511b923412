"""Gaussian noise on Poisson samples, priced by its Rényi divergences.

The divergence is exact at every order up to a few thousand. At fractional orders it is an alternating series, summed
fast with a proven remainder (Cohen–Rodriguez Villegas–Zagier 2000).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from tacit.exact import Number, nonnegative, positive, probability, whole
from tacit.frozen import frozen
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.precision import order_above_one, sharp
from tacit.loss.families.rdp import Rdp, delta_at, epsilon_at, order_for_delta, order_for_epsilon
from tacit.loss.families.zcdp import Zcdp
from tacit.noise.ball import Ball, ball, between, precision, up
from tacit.words import shown

_SEARCH_BITS = 64
_FARTHEST = math.log(1023)  # ln of α−1: the search stops at order 1024
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
        """Approximately the best order for ε at this δ."""
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
        """μ² = times·Δ²/σ², as without sampling: the sample may be drawn after the noise (post-processing)."""
        return Gdp(self.times / self.variance if self.rate else 0, relation=Relation.ADD_REMOVE)

    def __str__(self) -> str:
        return f"{self.times} × Gaussian noise, σ²/Δ² = {shown(self.variance)}, on samples of rate {shown(self.rate)}"


@lru_cache(maxsize=64)
def _listed(loss: SampledGaussianRenyi) -> Rdp:
    return Rdp(((order, Fraction(loss.rdp(order))) for order in LISTED), relation=Relation.ADD_REMOVE)


HIGHEST = 4096  # beyond it the sums grow long, and the bound without sampling is given


def poisson_gaussian_rdp(rate: Number, variance: Number, order: Number) -> float:
    """D_α of one step of Gaussian noise on a Poisson sample, rounded up; q the rate, variance σ²/Δ².

    Claim, under add/remove: a step that draws each person with probability q and adds N(0, σ²) to a sum whose ℓ₂
    sensitivity is Δ is dominated by (1−q)N(0, σ²/Δ²) + qN(1, σ²/Δ²) against N(0, σ²/Δ²), and D_α is the larger in
    this direction (Mironov–Talwar–Zhang 2019, theorems 4 and 5). It is exact up to order 4096; above, αΔ²/2σ²:
    the sub-sampled pair is a post-processing of the Gaussian pair, because the sample can be drawn afterwards.
    """
    q, width, alpha = probability(rate, "rate"), positive(variance, "variance"), order_above_one(order)
    return max(0.0, up(sharp(lambda: poisson_gaussian_ball(q, width, alpha))))


def poisson_gaussian_ball(rate: Fraction, variance: Fraction, order: Fraction) -> Ball:
    """The divergence that `poisson_gaussian_rdp` states, at Arb's working precision."""
    if rate == 0:
        return arb(0)
    if rate == 1 or order > HIGHEST:
        return ball(order / (2 * variance))
    moment = _whole_order if order.denominator == 1 else _any_order
    return moment(rate, variance, order).log() / ball(order - 1)


def _whole_order(rate: Fraction, variance: Fraction, order: Fraction) -> Ball:
    """E[(1−q+qX)^α] = Σ_i C(α,i)(1−q)^{α−i} q^i E[X^i], X the likelihood ratio and E[X^i] = e^{i(i−1)/2σ²}."""
    alpha = int(order)
    odds, step = ball(rate / (1 - rate)), ball(1 / variance).exp()
    weight, growth = ball(1 - rate) ** alpha, arb(1)
    total = weight
    for i in range(1, alpha + 1):
        weight = weight * (alpha - i + 1) / i * odds * growth
        growth = growth * step
        total += weight
    return total


def _any_order(rate: Fraction, variance: Fraction, order: Fraction) -> Ball:
    """The same for fractional α by two binomial series (Mironov–Talwar–Zhang 2019), each where it converges.

    They meet at z₀, where qX = 1−q. Below it the series is in powers of qX/(1−q) ≤ 1, above it of the inverse. From
    i = ⌊α⌋+1 on C(α,i) alternates, and |C(α,i)| is proportional to ∫x^{i−α−1}(1−x)^α dx, a moment, as is the
    expectation of the i-th power; products of moments are moments, so `alternating_sum` bounds the rest.
    """
    meeting = ball(Fraction(1, 2)) + ball(variance) * ball((1 - rate) / rate).log()
    spread = (2 * ball(variance)).sqrt()
    split = int(order) + 1

    def power(exponent: Fraction, below: bool) -> Ball:
        """(1−q)^{α−e} q^e E[X^e] on one side of the meeting point."""
        side = (ball(exponent) - meeting) / spread
        log_weight = ball(order - exponent) * ball(1 - rate).log() + ball(exponent) * ball(rate).log()
        tilt = ball(exponent * (exponent - 1) / (2 * variance))
        return (log_weight + tilt).exp() * (side if below else -side).erfc() / 2

    def both(i: int) -> Ball:
        return power(Fraction(i), True) + power(order - i, False)

    chosen, total = arb(1), arb(0)
    for i in range(split):
        total += chosen * both(i)
        chosen = chosen * ball((order - i) / (i + 1))
    binomials = [chosen]  # |C(α, i)| from i = ⌊α⌋+1 on

    def term(j: int) -> Ball:
        while len(binomials) <= j:
            i = split + len(binomials) - 1
            binomials.append(binomials[-1] * ball((i - order) / (i + 1)))
        return binomials[j] * both(split + j)

    return total + alternating_sum(term)


_BITS_A_TERM = 2.54  # log2(3+√8), rounded down


def alternating_sum(term: Callable[[int], Ball]) -> Ball:
    """Σ_j (−1)^j a_j for a_j = ∫x^j dμ(x), a sequence of moments of a positive measure on [0, 1].

    With d = T_n(3) ≥ (3+√8)^n/2, n terms give the sum S up to S/d, and 0 ≤ S ≤ a_0 (their proposition 1: the error is
    ∫ T_n(1−2x)/((1+x)·d) dμ and |T_n| ≤ 1 on [−1, 1]). So each term settles two and a half bits.
    """
    count = int(ctx.prec / _BITS_A_TERM) + 2
    scale = _chebyshev_at_three(count)
    weight, coefficient, total = -1, -scale, arb(0)
    first = term(0)
    for j in range(count):
        coefficient = weight - coefficient
        total += coefficient * (first if j == 0 else term(j))
        weight = weight * 2 * (j + count) * (j - count) // ((2 * j + 1) * (j + 1))
    error = first / scale
    return total / scale + between(-error, error)


def _chebyshev_at_three(n: int) -> int:
    before, now = 1, 3
    for _ in range(n - 1):
        before, now = now, 6 * now - before
    return now
