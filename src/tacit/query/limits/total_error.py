"""The error of totals: counts and sums, alone or by group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.exact import positive, whole
from tacit.frozen import frozen
from tacit.query.limits.objective import LeastError

EVENNESS = 0.75


@frozen
class TotalError(LeastError):
    """The squared error of a total: what is cut off, squared, plus the noise variance (noise_per_limit · limit)².

    `noise_per_limit` is the standard deviation of the noise, in each cell, when the limit is 1. With several `cells`
    (groups) what is cut off counts as divided by cells^0.75: groups of even size would each bear 1/cells of it, one
    group that holds everything would bear it all, and analysts look at the large groups; 0.75 is a compromise.
    """

    noise_per_limit: float
    cells: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_per_limit", float(positive(self.noise_per_limit, "noise_per_limit")))
        object.__setattr__(self, "cells", whole(self.cells, "cells", 1))

    def harm(self, amounts: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.maximum(amounts[:, None] - limits, 0.0)

    def squared_error(self, harm: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((harm * self.cells**-EVENNESS) ** 2 + (self.noise_per_limit * limits) ** 2)
