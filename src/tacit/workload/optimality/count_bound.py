"""What no release of a count can do better, biased or not: the exact optimum under pure, approximate and Gaussian
privacy.

A count may be any whole number n ≥ 0, and neighbours differ by 1. A release is private with the symmetric trade-off
curve f: no test between neighbours has a miss rate below f(false-alarm rate). Let h(a) = f(1 − a), let c be the number
with f(c) = c, and a_m = h^s(c) for m = 2s + 1, h^s(½) for m = 2s.

Claim 1. If Y ± t holds the count with probability at least 1 − β whatever the count is, then β ≥ 2·a_m with m = ⌊2t⌋
+ 1, the most whole numbers that such an interval holds. Proof. Average the law of Y − n over n < N. By convexity of f
the average Z, against the same of the worlds n + 1, is tested no better than f permits; and that one is Z + 1 but for
the ends, which weigh 1/N: let N grow. So P(Z ≥ z) ≥ h(P(Z ≥ z − 1)) and P(Z < z) ≥ h(P(Z < z + 1)) for every z. Widen
[−t, t] to [b, b + m), which misses no more. Let R_j = P(Z ≥ b + m − j) and L_j = P(Z < b + j): R_j ≥ h(R_{j+1}), L_j
≥ h(L_{j+1}), R_j + L_{m−j} = 1. The miss is R_0 + L_0 ≥ h^s(R_s) + h^s(L_s) ≥ 2·h^s(x) with x = (R_s + L_s)/2, for h
is convex and increases. For m = 2s, x = ½. For m = 2s + 1, R_s ≥ h(1 − L_s) and L_s ≥ h(1 − R_s), so x ≥ h(1 − x) =
f(x) and x ≥ c. ∎

It is attained, for whole t, by discrete Laplace noise under pure privacy (a_m = e^{−εt}/(1 + e^ε)) and by the rounded
Gaussian under Gaussian privacy (a_m = Φ(−μ(t + ½))): these are the canonical noise of their curves, and no other
noise is more often within any t.

Claim 2, pure privacy: the mean squared error at the worst count is at least 2e^{−ε}/(1 − e^{−ε})² = 1/(2 sinh²(ε/2)),
the variance V of discrete Laplace noise. Proof. As above a law q of Z remains with q(S + 1) ≤ e^{±ε} q(S). Take the
values θ + k with one θ in [0, ½] (others by symmetry), r = e^{−ε}. For any a_k = q(k) − r·q(k−1) ≥ 0 and b_k = q(k) −
r·q(k+1) ≥ 0, Σ_k q(k)·((k + θ)² − V − θ²) = Σ_{k>0} α_k a_k + Σ_{k<0} β_k b_k with α_k = Σ_j r^j·((k + j + θ)² − V −
θ²), β_{−k} = Σ_j r^j·((k + j − θ)² − V − θ²), which increase with k, and α_1 ≥ β_{−1} = (1 − 2θ)/(1 − r)² ≥ 0. ∎ For
several public groups of disjoint people the sum over them is at least so many times V: average over all counts.

An unbiased release has at each count at least 1/(4 sinh²(ε/2)), half of that: a pure ratio of probabilities has χ² ≤
2cosh ε − 2.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from tacit.errors import Refused
from tacit.exact import Number, positive, proper, whole
from tacit.loss.families.approx import Approx
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss
from tacit.mechanisms.least_error import LeastHalfWidth
from tacit.noise.ball import START_BITS, Ball, ball, first_true, fraction_down, precision

_MOST_EPSILON = 1000


def least_miss(loss: Loss, points: int) -> Ball:
    """2·a_m: the least probability, at the worst count, that an interval of `points` whole numbers misses the count."""
    steps, is_odd = divmod(whole(points, "points", 0), 2)
    if isinstance(loss, Gdp):
        return (ball(loss.mu_squared).sqrt() * ball(Fraction(2 * steps + is_odd, 2)) / ball(2).sqrt()).erfc()
    if not isinstance(loss, Approx):
        raise Refused(f"the optimum of a count at {loss}", "Its trade-off curve is none of these.", "Approx or Gdp.")
    epsilon, delta = ball(loss.exact_epsilon), ball(loss.exact_delta)
    start = (1 - delta) / (1 + epsilon.exp()) if is_odd else ball(Fraction(1, 2))
    shrunk = (-steps * epsilon).exp()
    lost = ball(steps) if loss.exact_epsilon == 0 else (1 - shrunk) / epsilon.expm1()
    return (2 * (start * shrunk - delta * lost)).max(ball(0))


def half_width_down(loss: Loss, confidence: Number = "0.95") -> Fraction:
    """No release has an interval Y ± t with this confidence at every count for a smaller t.

    For whole-number noise the least whole t at or above it is attained.
    """
    missed = 1 - proper(confidence, "confidence")
    with precision(START_BITS):
        points = first_true(lambda m: not bool(least_miss(loss, m) > ball(missed)), 1)
    return Fraction(points - 1, 2)


def least_half_width(
    loss: Loss, confidence: Number, most: Fraction, *, of: str, price: str, is_whole: bool = False
) -> LeastHalfWidth | None:
    """The same with its class, of a sum of amounts up to `most` a person, in its unit; None where it bounds nothing.

    Among data in which everybody has `most` or nothing, the sum is `most` times a count, and Y ± t over `most` an
    interval for that count. Where `is_whole`, intervals with a whole t are meant.
    """
    half = half_width_down(loss, confidence) * most
    among = f"any release could have {price} for all {of}{', in whole numbers' if is_whole else ''}"
    return LeastHalfWidth(Fraction(ceil(half)) if is_whole else half, among) if half > 0 else None


def mean_square_down(epsilon: Number, rows: int = 1) -> Fraction:
    """V = 1/(2 sinh²(ε/2)), rounded down: no ε-private release of a count has a smaller mean squared error everywhere.

    If one person may have `rows` = C rows, it is C²·V: among the counts 0, C, 2C, … neighbours differ by one step of C.
    """
    level, most = _level(epsilon), whole(rows, "rows", 1)
    with precision(START_BITS):
        return fraction_down(ball(most**2) / (2 * ball(level / 2).sinh() ** 2))


def unbiased_count_variance_down(epsilon: Number) -> Fraction:
    """1/(4 sinh²(ε/2)), rounded down: no unbiased ε-private release of a count has a smaller variance at any count."""
    level = _level(epsilon)
    with precision(START_BITS):
        return fraction_down(1 / (4 * ball(level / 2).sinh() ** 2))


def _level(epsilon: Number) -> Fraction:
    level = positive(epsilon, "epsilon")
    if not level <= _MOST_EPSILON:
        raise Refused(f"epsilon = {level}", "At that price nothing is hidden.", f"epsilon ≤ {_MOST_EPSILON}.")
    return level
