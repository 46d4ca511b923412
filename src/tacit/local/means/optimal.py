"""The best unbiased report of a number for any ε: from a certified table where one is kept, else solved for."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import tanh

from tacit.errors import Refused
from tacit.exact import Number, positive
from tacit.local.means.certify import SLACK, whole_weights
from tacit.local.means.one_bit import one_bit
from tacit.local.means.program import Shape, solve
from tacit.local.means.response import MeanResponse
from tacit.local.means.tables import assembled, kept, read
from tacit.local.randomizers.odds import odds_within

_ONE_BIT, _MOST = Fraction(1, 10), Fraction(8)
_WIDEST = 64


def best_mean(epsilon: Number) -> MeanResponse:
    """The response with the least worst variance that is known for this ε.

    At the ε that were tried (1/4 to 4) it is within 1% of the least that any unbiased ε-local report can have: a dual
    bound holds it. For the ε in `tables.kept()` it is read, else solved for, in seconds; below 1/10 it is the one-bit
    report. Whichever it is, every claim is checked in whole numbers.
    """
    asked = positive(epsilon, "epsilon")
    if not asked <= _MOST:
        raise Refused(
            f"a mean at a local ε of {float(asked):g}",
            "The program is not well scaled there.",
            f"ε ≤ {_MOST}: at 8 the standard deviation of a report is 0.08, hardly more than its grid's step.",
        )
    if asked < _ONE_BIT:
        return one_bit(asked)
    return read(asked) if asked in kept() else solved(asked)


@lru_cache
def solved(epsilon: Fraction) -> MeanResponse:
    """The best table of the shape that suits this ε, solved for and certified."""
    odds, shape = odds_within(epsilon) * (1 - SLACK), shape_for(epsilon)
    return assembled(epsilon, shape.steps, shape.per_unit, whole_weights(solve(odds, shape).rows, odds, shape))


def shape_for(epsilon: Fraction) -> Shape:
    """Inputs fine enough that rounding to them costs less than 1%, and outputs as wide as the best table wants.

    The best outputs reach less than 1.4 times as far as those of one bit, coth(ε/2), and hardly farther than those of
    the piecewise report, coth(ε/4).
    """
    steps = 8 if epsilon <= 1 else 16 if epsilon <= 3 else 32 if epsilon <= 6 else 64
    widest = min(1.4 / tanh(float(epsilon) / 2), 1.05 / tanh(float(epsilon) / 4))
    return Shape(steps, max(1, int(_WIDEST / widest)), _WIDEST)
