"""e^ε as a fraction, rounded as the name says."""

from __future__ import annotations

from fractions import Fraction

from tacit.noise.ball import START_BITS, ball, fraction_down, fraction_up, precision

_BITS = 60


def exponential_down(epsilon: Fraction) -> Fraction:
    """A dyadic fraction ≤ e^ε, within 2^-60 of it."""
    with precision(START_BITS):
        return fraction_down(ball(epsilon).exp(), _BITS)


def exponential_up(epsilon: Fraction) -> Fraction:
    """A dyadic fraction ≥ e^ε, within 2^-60 of it."""
    with precision(START_BITS):
        return fraction_up(ball(epsilon).exp(), _BITS)
