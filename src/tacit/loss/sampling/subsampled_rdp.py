"""Rényi privacy of the Poisson-sub-sampled Gaussian, exactly, at every order up to a few thousand."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from tacit.exact import Number, positive, probability
from tacit.loss.sampling.alternating import alternating_sum
from tacit.loss.sharp import order_above_one, sharp
from tacit.noise.ball import Ball, ball, up

HIGHEST = 4096  # beyond it the sums grow long, and the bound without sampling is given


def poisson_gaussian_rdp(rate: Number, variance: Number, order: Number) -> float:
    """D_α of one step of Gaussian noise on a Poisson sample, rounded up; q the rate, variance σ²/Δ².

    Claim, under add/remove: a step that draws each person with probability q and adds N(0, σ²) to a sum whose ℓ₂
    sensitivity is Δ is dominated by (1−q)N(0, σ²/Δ²) + qN(1, σ²/Δ²) against N(0, σ²/Δ²), and D_α is the larger in
    this direction (Mironov–Talwar–Zhang 2019, theorems 4 and 5). It is exact up to order 4096; above, αΔ²/2σ²:
    the sub-sampled pair is a post-processing of the Gaussian pair, for the sampling coin can be thrown afterwards.
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
