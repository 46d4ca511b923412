"""A person in or out: how far whole sequences of answers lie apart, in units of the noise that is stated for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from tacit.audit.sequences.desk import Desk, Reply
from tacit.errors import Refused
from tacit.frozen import frozen


@frozen
class Apart:
    """The squared distance of two worlds' answers over the variance of their difference, with what it may be.

    If answer i has Gaussian noise of the stated σ_i and the worlds' true values differ by d_i, the distance is
    chi-square with Σ d_i²/2σ_i² as noncentrality. Releases that cost ρ in total have Σ d_i²/2σ_i² ≤ ρ.
    """

    distance: float
    cells: int
    rho: float

    def is_too_far(self, alarm_rate: float) -> bool:
        """Whether a distance this large has at most this probability under the claimed ρ."""
        from scipy.stats import ncx2

        return bool(ncx2.sf(self.distance, self.cells, max(self.rho, 1e-12)) <= alarm_rate)

    def is_too_near(self, alarm_rate: float) -> bool:
        """Whether a distance this small has at most this probability: the noise is then less than stated."""
        from scipy.stats import chi2

        return bool(chi2.cdf(self.distance, self.cells) <= alarm_rate)

    def least_seen(self, alarm_rate: float, power: float = 0.9) -> float:
        """The least true Σ d²/2σ² that is called too far with this probability."""
        from scipy.optimize import brentq
        from scipy.stats import ncx2

        edge = ncx2.isf(alarm_rate, self.cells, max(self.rho, 1e-12))
        top = self.rho + 10 * edge + 100
        return float(brentq(lambda true: ncx2.sf(edge, self.cells, true) - power, 1e-9, top))


def apart_by(with_person: Sequence[Reply], without: Sequence[Reply]) -> Apart:
    """How far two worlds' replies to the same questions lie apart."""
    distance, cells, rho = 0.0, 0, 0.0
    for one, other in zip(with_person, without, strict=True):
        if (one.is_refused, one.share, len(one.cells)) != (other.is_refused, other.share, len(other.cells)):
            raise Refused(
                "replies of different kinds or prices", "A person's presence shows in them.", "the same kinds."
            )
        rho += one.rho
        for a, b in zip(one.cells, other.cells, strict=True):
            spread = a.deviation**2 + b.deviation**2
            if not spread and a.value == b.value:
                continue  # both intervals were cut to the same end of what is possible: they state no noise
            distance += (a.value - b.value) ** 2 / spread if spread else math.inf
            cells += 1
    if not cells:
        raise Refused("replies without numbers", "There is nothing to compare.", "answers with stated noise.")
    return Apart(distance if math.isfinite(distance) else math.inf, cells, rho)


def ask_all(desk: Desk, questions: Sequence[str], epsilon: Fraction, times: int) -> list[Reply]:
    """Every question so many times, with fresh noise each time."""
    analyst = max(desk.limits(), key=lambda name: desk.limits()[name])
    return [desk.ask(analyst, sql, epsilon, fresh=True) for sql in questions for _ in range(times)]
