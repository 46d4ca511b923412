"""The standard normal law, certified: Φ and its inverse as Arb balls.

Φ(x) = erfc(−x/√2)/2, so Φ⁻¹(p) = −√2·erfc⁻¹(2p). Both work at Arb's current precision. For p near 1
use the symmetry Φ⁻¹(p) = −Φ⁻¹(1−p) with 1−p exact.
"""

from __future__ import annotations

from tacit.noise.ball import Ball, ball


def cumulative(x: Ball) -> Ball:
    """Φ(x): the probability that a standard normal is at most x."""
    return (-x / ball(2).sqrt()).erfc() / 2


def quantile(p: Ball) -> Ball:
    """Φ⁻¹(p), for p strictly between 0 and 1 (NaN if the ball reaches beyond)."""
    return -ball(2).sqrt() * (2 * p).erfcinv()
