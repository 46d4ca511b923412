"""The other way round: how much one report may tell, if shuffled with others it must not cost more than so much."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, probability, whole
from tacit.local.shuffle.shuffled import ShuffledReports
from tacit.loss.calibration import demand_function
from tacit.loss.families.approx import Pure
from tacit.loss.families.curve import float_down

_CLOSE = 1.001  # how near to the largest the search comes
_BEYOND = 4.0  # local ε above ln n: so rare a coincidence hides nobody


def loosest_reports(
    people: int,
    epsilon: Number,
    delta: Number,
    reports_of: Callable[[Fraction], ShuffledReports] | None = None,
) -> ShuffledReports:
    """The reports with about the largest local ε₀ whose shuffle costs n people at most (ε, δ).

    `reports_of` makes the shuffled reports of an ε₀, such as
    `lambda local: ShuffledReports(KaryResponse.within(local, 8), 1000)`; without it any randomizer may be used. What is
    returned was itself priced, so the promise is kept even if the cost did not grow with ε₀. ε₀ = ε always keeps it.
    """
    size, target, allowed = whole(people, "people", 1), nonnegative(epsilon, "epsilon"), probability(delta, "delta")
    if not target > 0:
        raise Refused("shuffled reports that cost ε = 0", "Only reports that tell nothing do.", "ε > 0.")
    if reports_of is not None:
        demand_function(reports_of)
    make = reports_of or (lambda local: ShuffledReports(Pure(local), size))

    def keeps(reports: ShuffledReports) -> bool:
        return Fraction(reports.delta(target)) <= allowed

    low = max(float_down(target), 1e-8)
    best = make(Fraction(low))
    if not keeps(best):
        raise Refused(f"shuffled reports that cost ε = {float(target):g}", "None do.", "a larger ε or δ.")
    high = max(low, math.log(size) + _BEYOND)
    while high > low * _CLOSE:
        middle = math.sqrt(low * high)
        found = make(Fraction(middle))
        if keeps(found):
            low, best = middle, found
        else:
            high = middle
    return best
