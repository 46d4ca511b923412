"""Alternating series summed fast, with a proven remainder (Cohen–Rodriguez Villegas–Zagier 2000)."""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, ctx

from tacit.noise.ball import Ball, between

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
