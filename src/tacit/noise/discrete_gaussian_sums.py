"""Certified sums of the discrete Gaussian's weights e^(−k²/2σ²), for any rational σ² and any size.

The whole sum is a theta function, fast in one of two forms. A tail is added up directly where few weights matter, by
Euler–Maclaurin with a proven remainder where σ is wide, and where neither is affordable (a tail extremely far out) it
is the bracket that follows from decreasing weights. Every result is a ball at Arb's working precision that contains the
true sum.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from tacit.noise.ball import Ball, ball, between

# number of terms up to which direct summation is faster than Euler–Maclaurin, and affordable at all
_FEW, _MANY = 400, 100_000
_MOST_CORRECTIONS = 512


def weight(variance: Fraction, x: Fraction | int) -> Ball:
    """e^(−x²/2σ²)."""
    return ball(-(Fraction(x) ** 2) / (2 * variance)).exp()


def total(variance: Fraction, centre: Fraction = Fraction(0)) -> Ball:
    """The sum of e^(−(k−centre)²/2σ²) over all integers k."""
    return _total(variance, centre % 1, ctx.prec)


def tail(variance: Fraction, x: int) -> Ball:
    """The sum of e^(−k²/2σ²) over the integers k ≥ x."""
    if x <= 0:
        return total(variance) - tail(variance, 1 - x)
    terms = _terms_that_matter(variance, x)
    if terms > _FEW:
        corrections = _corrections_needed(variance, x)
        if corrections is not None:
            return weight(variance, x) * _euler_maclaurin(variance, x, corrections)
        if terms > _MANY:
            integral = weight(variance, x) * _integral(variance, x)
            return between(integral, integral + weight(variance, x))
    return _added_up(variance, Fraction(x), int(terms) + 2)


@lru_cache(maxsize=256)
def _total(variance: Fraction, centre: Fraction, bits: int) -> Ball:
    """By definition for narrow weights; by Poisson summation, σ√2π·Σ_k cos(2πk·centre) e^(−2π²σ²k²), for wide ones."""
    if 6 * variance < 1:
        terms = int(_terms_that_matter(variance, 0)) + 2
        return _added_up(variance, centre, terms) + _added_up(variance, 1 - centre, terms)
    base = (-2 * arb.pi() ** 2 * ball(variance)).exp()
    most = 1 + math.isqrt(1 + int(bits * math.log(2) / (2 * math.pi**2 * float(min(variance, Fraction(10**9))))))
    waves = arb(1)
    for k in range(1, most + 1):
        waves += 2 * (2 * ball(centre * k)).cos_pi() * base ** (k * k)
    rest = 2 * base ** ((most + 1) ** 2) / (1 - base)
    return (2 * arb.pi() * ball(variance)).sqrt() * (waves + arb(0, 1) * rest)


def _added_up(variance: Fraction, start: Fraction, terms: int) -> Ball:
    """Σ_{j≥0} e^(−(start+j)²/2σ²): `terms` weights, each from the last, and a geometric bound on the rest."""
    current = weight(variance, start)
    ratio = ball(-(2 * start + 1) / (2 * variance)).exp()
    step = ball(-1 / variance).exp()
    added = arb(0)
    for _ in range(terms):
        added += current
        current *= ratio
        ratio *= step
    return added + between(arb(0), current / (1 - ratio))


def _euler_maclaurin(variance: Fraction, x: int, corrections: int) -> Ball:
    """The tail from x ≥ 1 on, divided by its first weight g(x).

    Σ_{k≥x} g(k) = ∫g + g(x)/2 − Σ_{j≤m} B_2j/(2j)!·g^(2j−1)(x) + R, where g^(n)(x) = (−1/σ)^n He_n(x/σ) g(x) and
    |R| ≤ |B_2m|/(2m)!·∫|g^(2m)|. With |B_2m|/(2m)! ≤ 4/(2π)^2m and Cramér's |He_n(u)| ≤ 1.1·√(n!)·e^(u²/4),
    |R|/g(x) ≤ 8σ·√((2m)!)·e^(u²/4)/(2πσ)^2m at u = x/σ.
    """
    sigma = ball(variance).sqrt()
    u = x / sigma
    result = _integral(variance, x) + arb(1) / 2
    before, hermite = arb(1), u  # He_0, He_1
    factor = 1 / (2 * sigma)  # 1 / ((2j)! σ^(2j−1)) at j = 1
    for j in range(1, corrections + 1):
        result += arb.bernoulli(2 * j) * factor * hermite
        for n in (2 * j - 1, 2 * j):
            before, hermite = hermite, u * hermite - n * before
        factor /= (2 * j + 1) * (2 * j + 2) * ball(variance)
    m = corrections
    rest = 8 * sigma * arb(2 * m).fac().sqrt() * (u * u / 4).exp() / (2 * arb.pi() * sigma) ** (2 * m)
    return result + arb(0, 1) * rest


def _integral(variance: Fraction, x: int) -> Ball:
    """∫_x^∞ e^(−t²/2σ²) dt, divided by its integrand at x."""
    square = ball(Fraction(x * x) / (2 * variance))
    return (arb.pi() * ball(variance) / 2).sqrt() * square.sqrt().erfc() * square.exp()


def _terms_that_matter(variance: Fraction, x: int) -> float:
    """How many weights from x ≥ 0 on exceed 2^−bits of the first; a float estimate."""
    nats = 2 * ctx.prec * math.log(2)
    if x * x > 10**12 * variance:
        return float(min(variance / x * Fraction(nats), Fraction(10**12)))
    if variance > 10**24:
        return math.inf
    sigma, u = math.sqrt(variance), math.sqrt(x * x / variance)
    return sigma * (math.sqrt(u * u + nats) - u)


def _corrections_needed(variance: Fraction, x: int) -> int | None:
    """The number of Euler–Maclaurin corrections that brings the remainder below 2^−bits, if it is affordable."""
    if x * x > 10**12 * variance:
        return None
    log_sigma = (math.log(variance.numerator) - math.log(variance.denominator)) / 2
    start = math.log(8) + log_sigma + float(x * x / variance) / 4 + ctx.prec * math.log(2)
    for m in range(1, _MOST_CORRECTIONS):
        if start + math.lgamma(2 * m + 1) / 2 - 2 * m * (math.log(2 * math.pi) + log_sigma) < 0:
            return m
    return None
