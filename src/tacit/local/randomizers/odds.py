"""The odds that a local ε permits, as a fraction: what a device can compare without rounding."""

from __future__ import annotations

from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, positive
from tacit.noise.ball import ball, fraction_down, precision

_BITS = 32  # of the odds: a relative loss of 2^-32, and totals that fit 64 bits for every domain of use
_MOST = 40


def odds_within(epsilon: Number) -> Fraction:
    """The largest fraction of 32 bits that is at most e^ε: a report's probabilities may differ by this factor."""
    own = positive(epsilon, "epsilon")
    if not own <= _MOST:
        raise Refused(f"a local ε of {float(own):g}", "Such a report is the answer itself.", f"0 < ε ≤ {_MOST}.")
    with precision(256):
        found = fraction_down(ball(own).exp(), _BITS)
    if not found > 1:
        raise Refused(f"a local ε of {float(own):g}", "It is too small to tell from 0.", "ε ≥ 1e-9.")
    return found
