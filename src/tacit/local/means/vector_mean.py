"""An estimated mean of vectors, and the ball that holds the true one."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.exact import Number, proper
from tacit.frozen import frozen


@frozen(eq=False)
class VectorMean:
    """The average of decoded reports: each within `error` of its vector in mean square, and within `bias` in mean."""

    value: NDArray[np.float64]
    people: int
    error: float
    bias: float

    @property
    def root_mean_square(self) -> float:
        """The root of the mean square distance from the mean of the respondents' vectors, at most."""
        return sqrt(self.error / self.people) + self.bias

    def radius(self, confidence: Number = "0.95") -> float:
        """A distance within which the mean of the respondents' own vectors lies with this confidence.

        Valid for every number of reports, by Chebyshev's inequality: the reports are independent.
        """
        miss = 1 - proper(confidence, "confidence")
        return sqrt(self.error / (self.people * float(miss))) + self.bias

    def __str__(self) -> str:
        return f"a mean of {self.people:,} vectors of {self.value.size} numbers, off by {self.root_mean_square:.3g}"
