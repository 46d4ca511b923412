"""Rényi privacy of Laplace noise on a sample, exactly: two atoms and one integral."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from flint import acb, arb

from tacit.loss.sampling.sampling import Sampling
from tacit.loss.sharp import sharp
from tacit.noise.ball import Ball, ball, up

HIGHEST = 4096  # beyond it the integrand is too steep to be worth its time


def sampled_laplace_rdp(rate: Fraction, ratio: Fraction, order: Fraction, sampling: Sampling) -> float:
    """D_α of Laplace noise, sensitivity/scale r, on a sample of rate q, in the worse direction; rounded up.

    Claim: it is that of the dominating pair which `Subsampled` states. With ℓ the loss of Lap(0, 1) against Lap(r, 1),
    the Poisson pair has the ratio X = 1−q+qe^ℓ, so e^{(α−1)D} is E_Q[X^α] one way round and E_Q[X^{1−α}] the other. The
    symmetric pair of fixed-size samples has the same masses where ℓ > 0, their mirror image below, and the rest at
    0: E_Q[X^α; ℓ > 0] + E_Q[X^{1−α}; ℓ > 0] + 1 − E_Q[1+X; ℓ > 0]. Under Q, ℓ is r with probability e^−r/2, −r with
    1/2, and has the density e^{−(ℓ+r)/2}/4 between. Arb's integrals enclose the truth (Johansson 2018): on a complex
    neighbourhood where X might meet the cut of its logarithm the integrand says so.
    """
    if not (rate and ratio):
        return 0.0
    if sampling is Sampling.POISSON:
        moments = [partial(_poisson, rate, ratio, power) for power in (order, 1 - order)]
    else:
        moments = [partial(_fixed_size, rate, ratio, order)]
    return max(0.0, *(up(sharp(partial(_divergence, moment, order))) for moment in moments))


def _divergence(moment: Callable[[], Ball], order: Fraction) -> Ball:
    return moment().log() / ball(order - 1)


def _poisson(rate: Fraction, ratio: Fraction, power: Fraction) -> Ball:
    """E_Q[X^power]."""
    lowest = _mixture(rate, ball(-ratio)) ** ball(power) / 2
    return lowest + _above(rate, ratio, power, -ratio)


def _fixed_size(rate: Fraction, ratio: Fraction, order: Fraction) -> Ball:
    signed = ((order, 1), (1 - order, 1), (Fraction(0), -1), (Fraction(1), -1))
    return sum((sign * _above(rate, ratio, power, Fraction(0)) for power, sign in signed), arb(1))


def _above(rate: Fraction, ratio: Fraction, power: Fraction, start: Fraction) -> Ball:
    """E_Q[X^power] over start < ℓ ≤ r."""
    r, exponent = ball(ratio), ball(power)

    def integrand(loss: acb, analytic: bool) -> acb:
        base = ball(1 - rate) + ball(rate) * loss.exp()
        return (exponent * base.log(analytic=analytic) - (loss + r) / 2).exp() / 4

    between = acb.integral(integrand, ball(start), r).real
    return between + _mixture(rate, r) ** exponent * (-r).exp() / 2


def _mixture(rate: Fraction, loss: Ball) -> Ball:
    return ball(1 - rate) + ball(rate) * loss.exp()
