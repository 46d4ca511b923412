"""The mean of what rows count as, where that is the same in a cell: a ratio of sums of the same cells.

Between the least number, 0 of the way, and the greatest, 1, it is a share. Its interval is from the joint law.

Claim: the interval holds the true ratio r of A to N with its confidence, where N is surely positive. Proof (Fieller):
at the truth A − r·N is normal noise of variance Var A − 2r·Cov(A, N) + r²·Var N; r is kept unless A − r·N strays beyond
z of its deviations, which happens with the probability that is missed. Where N is beyond z of its own deviations the
quadratic is convex, and it is not positive at A/N: what is kept is the interval between its two real roots. Where A/N
lies beyond 0 or 1, the interval moves along with it to that end, which leaves out no r between 0 and 1 that was kept:
cut alone, it might have no width.
"""

from __future__ import annotations

from fractions import Fraction
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.query.post_noise.estimates import Estimates
from tacit.workload.table_reading import ReadSum

Floats = NDArray[np.float64]


@frozen(eq=False)
class CellShare:
    """A sum over a sum that holds it, and the variance of both added up: a share of the way from low to high."""

    top: ReadSum
    rows: ReadSum
    both: ReadSum
    low: float = 0.0
    high: float = 1.0

    @property
    def covariances(self) -> Floats:
        """By polarisation: Var(A + N) is Var A + Var N + 2·Cov(A, N)."""
        both, top, rows = (each.deviations**2 for each in (self.both, self.top, self.rows))
        return np.asarray((both - top - rows) / 2)

    @property
    def shares(self) -> Floats:
        """A/N, or a half where there are no rows."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.clip(np.nan_to_num(self.top.steps / self.rows.steps, nan=0.5), 0.0, 1.0)

    @property
    def deviations(self) -> Floats:
        """The standard deviation of A − r·N at the estimated shares."""
        ratio = self.shares
        squares = self.top.deviations**2 - 2 * ratio * self.covariances + (ratio * self.rows.deviations) ** 2
        return np.sqrt(np.maximum(squares, 0.0))

    def at(self, confidence: Fraction) -> Estimates:
        squared = NormalDist().inv_cdf(float(1 - confidence) / 2) ** 2
        top, rows = self.top.steps, self.rows.steps
        square = rows**2 - squared * self.rows.deviations**2
        middle = top * rows - squared * self.covariances
        rest = top**2 - squared * self.top.deviations**2
        is_telling = (rows > 0) & (square > 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            root = np.sqrt(np.maximum(middle**2 - square * rest, 0.0))
            moved = self.shares - top / rows
            low, high = ((middle + side * root) / square + moved for side in (-1, 1))
        low, high = np.where(is_telling, low, 0.0), np.where(is_telling, high, 1.0)
        value = np.where(is_telling, self.shares, np.nan)
        span = self.high - self.low
        value, low, high = (self.low + span * np.clip(each, 0.0, 1.0) for each in (value, low, high))
        return Estimates(value, low, high)
