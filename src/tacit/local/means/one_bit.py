"""The one-bit report of a number: two values, as far apart as ε demands."""

from __future__ import annotations

from tacit.exact import Number, positive
from tacit.local.means.response import MeanResponse
from tacit.local.randomizers.odds import odds_within
from tacit.local.randomizers.table import Table


def one_bit(epsilon: Number) -> MeanResponse:
    """Reports (r+1)/(r−1) or its opposite, with odds r : 1 at x = ±1 and evenly at x = 0 (Duchi, Jordan, Wainwright).

    The variance is coth²(ε/2) − x². No report is better for ε → 0, and none is shorter.
    """
    asked = positive(epsilon, "epsilon")
    odds = odds_within(asked)
    high, low = 2 * odds.numerator, 2 * odds.denominator
    rows = ((high, low), ((high + low) // 2,) * 2, (low, high))
    reach, unit = odds.numerator + odds.denominator, odds.numerator - odds.denominator
    return MeanResponse(asked, 1, unit, (-reach, reach), Table(rows))
