"""k coins of loss ±ε: the masses and the hockey-stick divergence of the worst pure releases, as certified sums."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from flint import arb, ctx

from tacit.noise.ball import Ball, ball, between

_LOOK = 16  # terms between two looks at whether the rest still matters


def coins_delta(epsilon: Fraction, times: int, target: Fraction) -> Ball:
    """Σ_ℓ C(k,ℓ)(e^{(k−ℓ)ε} − e^{t+ℓε})₊/(1+e^ε)^k at t, in time of order √k.

    Written Σ p_ℓ(1−x_ℓ) over the ℓ (coins that lie) with x_ℓ = e^{t−(k−2ℓ)ε} < 1, and summed outwards from the
    heaviest p_ℓ. On either side the ratio of neighbouring p_ℓ falls, so what follows a term of mass p and ratio r < 1
    is between 0 and p·r/(1−r); it is added as that interval once it no longer shows.
    """
    if target >= times * epsilon:
        return arb(0)
    last = -((target / epsilon - times) // 2) - 1  # the largest ℓ with a loss above t
    odds = ball(epsilon).exp()
    start = min(last, int(times * float(1 / (1 + odds).mid())))
    log_mass = _log_choose(times, start) + ball((times - start) * epsilon) - times * odds.log1p()
    mass, gap, turn = log_mass.exp(), ball(target - (times - 2 * start) * epsilon).exp(), odds * odds
    total = mass * (1 - gap)
    fewer = (i * odds / (times - i + 1) for i in range(start, 0, -1))
    total = _add_side(total, mass, gap, 1 / turn, fewer)
    more = ((times - i) / (odds * (i + 1)) for i in range(start, last))
    return _add_side(total, mass, gap, turn, more)


def coin_sums(epsilon: Fraction, times: int) -> Iterator[tuple[Ball, Ball]]:
    """The masses (P, Q) of fewer than i coins that lie, for i = 0 … k+1."""
    odds = ball(epsilon).exp()
    p = (-times * (1 / odds).log1p()).exp()
    q = p * ball(-times * epsilon).exp()
    p_sum, q_sum = arb(0), arb(0)
    for i in range(times + 1):
        yield p_sum, q_sum
        p_sum, q_sum = p_sum + p, q_sum + q
        p, q = p * (times - i) / ((i + 1) * odds), q * (times - i) * odds / (i + 1)
    yield p_sum, q_sum


def _add_side(total: Ball, mass: Ball, gap: Ball, turn: Ball, ratios: Iterator[Ball]) -> Ball:
    unseen = arb(2) ** -ctx.prec
    for count, ratio in enumerate(ratios, 1):
        mass, gap = mass * ratio, gap * turn
        total += mass * (1 - gap)
        if count % _LOOK == 0 and ratio < 1 and (rest := mass * ratio / (1 - ratio)) < total * unseen:
            return total + between(arb(0), rest)
    return total


def _log_choose(n: int, k: int) -> Ball:
    return arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()
