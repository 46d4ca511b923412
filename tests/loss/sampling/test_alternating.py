"""Alternating sums, against series whose sums are known."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flint import arb

from tacit.loss.sampling.gaussian_renyi import alternating_sum
from tacit.noise.ball import Ball, precision

KNOWN: list[tuple[Callable[[int], Ball], Callable[[], Ball]]] = [
    (lambda j: 1 / arb(j + 1), lambda: arb(2).log()),
    (lambda j: 1 / arb(2 * j + 1), lambda: arb.pi() / 4),
    (lambda j: 1 / arb(j + 1) ** 2, lambda: arb.pi() ** 2 / 12),
    (lambda j: arb(1), lambda: arb(1) / 2),
    (lambda j: arb(0) ** j if j else arb(1), lambda: arb(1)),
]


@pytest.mark.parametrize("bits", [40, 64, 128, 500])
@pytest.mark.parametrize("case", range(len(KNOWN)))
def test_the_ball_contains_the_sum_and_is_narrow(case: int, bits: int) -> None:
    term, total = KNOWN[case]
    with precision(bits):
        found = alternating_sum(term)
    with precision(4 * bits):
        assert found.overlaps(total())
        assert float(found.rad()) <= bits * 2.0 ** (2 - bits)  # about bits/2.5 terms, each rounded


def test_half_the_terms_would_not_do() -> None:
    """The remainder is real: the same sum with a forged, tiny error bound does not contain ln 2."""
    with precision(20):
        found = alternating_sum(lambda j: 1 / arb(j + 1))
    with precision(200):
        assert found.overlaps(arb(2).log())
        assert not arb(found.mid()).overlaps(arb(2).log())
