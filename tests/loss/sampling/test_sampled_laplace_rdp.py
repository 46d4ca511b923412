"""Rényi divergences of Laplace noise on samples, against quadrature of the densities themselves."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest

from tacit.loss import LaplacePair, Sampling, fixed_size, poisson
from tacit.loss.families.loss import Relation
from tacit.loss.sampling.amplification import subsampled_rdp


def quadrature(rate: Fraction, ratio: Fraction, order: Fraction) -> tuple[mpmath.mpf, mpmath.mpf]:
    """D_α of (1−q)Lap(r)+q·Lap(0) against Lap(r), both ways round, integrated over the noise itself."""
    q, r, a = (mpmath.mpf(x.numerator) / x.denominator for x in (rate, ratio, order))

    def without(x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.exp(-abs(x - r)) / 2

    def within(x: mpmath.mpf) -> mpmath.mpf:
        return (1 - q) * without(x) + q * mpmath.exp(-abs(x)) / 2

    ends = [-mpmath.inf, -5, 0, r / 2, r, r + 5, mpmath.inf]
    forth = mpmath.quad(lambda x: within(x) ** a * without(x) ** (1 - a), ends)
    back = mpmath.quad(lambda x: without(x) ** a * within(x) ** (1 - a), ends)
    return mpmath.log(forth) / (a - 1), mpmath.log(back) / (a - 1)


def symmetric_quadrature(rate: Fraction, ratio: Fraction, order: Fraction) -> mpmath.mpf:
    """D_α of the pair that is the sampled one where its loss is positive, the mirror image below, and 0 else."""
    q, r, a = (mpmath.mpf(x.numerator) / x.denominator for x in (rate, ratio, order))

    def sides(x: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf]:
        other = mpmath.exp(-abs(x - r)) / 2
        return (1 - q) * other + q * mpmath.exp(-abs(x)) / 2, other

    def excess(x: mpmath.mpf) -> mpmath.mpf:
        one, other = sides(x)
        return one**a * other ** (1 - a) + other**a * one ** (1 - a) - one - other

    return mpmath.log1p(mpmath.quad(excess, [-mpmath.inf, -5, 0, r / 2])) / (a - 1)  # the loss is positive below r/2


def cases(seed: int, count: int) -> list[tuple[Fraction, Fraction, Fraction]]:
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        rate = Fraction(round(10 ** chance.uniform(-3, -0.02), 6)).limit_denominator(10**6)
        ratio = Fraction(round(10 ** chance.uniform(-1.5, 0.9), 3)).limit_denominator(1000)
        order = 1 + Fraction(round(10 ** chance.uniform(-1.5, 1.5), 3)).limit_denominator(1000)
        found.append((rate, ratio, order))
    return found + [(Fraction(1, 10), Fraction(1), Fraction(n)) for n in (2, 4, 16, 64)]


@pytest.mark.parametrize(("rate", "ratio", "order"), cases(11, 8))
def test_both_samplings_are_exact(rate: Fraction, ratio: Fraction, order: Fraction) -> None:
    with mpmath.workdps(30):
        truth = max(quadrature(rate, ratio, order))
        found = poisson(LaplacePair(ratio), rate).rdp(order)
        assert found >= truth * (1 - mpmath.mpf(10) ** -15)
        assert found == pytest.approx(float(truth), rel=1e-9)
        symmetric = symmetric_quadrature(rate, ratio, order)
        replaced = fixed_size(LaplacePair(ratio), rate).rdp(order)
        assert replaced >= symmetric * (1 - mpmath.mpf(10) ** -15)
        assert replaced == pytest.approx(float(symmetric), rel=1e-9)
        assert replaced >= found * (1 - 1e-12)


def test_the_general_bound_is_far_above() -> None:
    """By 1.3 to 1.6 at most orders: what the curve was before."""
    base, rate = LaplacePair(1), Fraction(1, 10)
    exactly = [poisson(base, rate).rdp(order) for order in (2, 4, 8, 16)]
    general = [subsampled_rdp(base, rate, n, Sampling.POISSON, Relation.ADD_REMOVE) for n in (2, 4, 8, 16)]
    ratios = [bound / truth for bound, truth in zip(general, exactly, strict=True)]
    assert all(ratio >= 1 - 1e-12 for ratio in ratios)
    assert sum(ratio > 1.25 for ratio in ratios) >= 3


def test_it_rises_with_the_order_to_the_largest_loss() -> None:
    loss = poisson(LaplacePair(2), "0.05")
    values = [loss.rdp(order) for order in ("1.001", 2, 10, 100, 4000)]
    assert values == sorted(values)
    assert values[-1] <= loss.epsilon(0)
    assert values[-1] >= 0.99 * loss.epsilon(0)
    assert loss.rdp(10**6) >= values[-1]
    assert poisson(LaplacePair(0), "0.1").rdp(2) == poisson(LaplacePair(1), 0).rdp(2) == 0
