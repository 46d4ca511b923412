"""The odds that a local ε permits, as a fraction: what a device can compare without rounding."""

from __future__ import annotations

from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, exact, positive
from tacit.noise.ball import ball, fraction_down, precision

_BITS = 32  # of the odds: a relative loss of 2^-32, and totals that fit 64 bits for every domain of use
_MOST = 40


def odds_within(epsilon: Number) -> Fraction:
    """The largest fraction of 32 bits that is at most e^ε: a report's probabilities may differ by this factor.

    An ε can be written as a logarithm: "ln 3" is odds of exactly 3, "ln 5/2" of 5/2.
    """
    if isinstance(epsilon, str) and epsilon.strip().startswith("ln"):
        return _exponential(epsilon.strip().removeprefix("ln"))
    own = positive(epsilon, "epsilon")
    if not own <= _MOST:
        raise Refused(f"a local ε of {float(own):g}", "Such a report is the answer itself.", f"0 < ε ≤ {_MOST}.")
    with precision(256):
        found = fraction_down(ball(own).exp(), _BITS)
    if not found > 1:
        raise Refused(f"a local ε of {float(own):g}", "It is too small to tell from 0.", "ε ≥ 1e-9.")
    return found


def _exponential(written: str) -> Fraction:
    """The odds of an ε that is written as their logarithm."""
    behind = written.strip(" ()")
    try:
        odds = exact(behind, "epsilon")
    except Refused:
        raise Refused(f"epsilon = ln {behind[:40]}", "It is the logarithm of no number.", '"ln 3", "ln 5/2".') from None
    with precision(256):
        if not 1 < odds <= fraction_down(ball(_MOST).exp(), 256):
            raise Refused(f"epsilon = ln {behind[:40]}", f"It is not above 0 and at most {_MOST}.", '"ln 3", "ln 5/2".')
        return odds if odds.numerator.bit_length() <= _BITS else fraction_down(ball(odds), _BITS)
