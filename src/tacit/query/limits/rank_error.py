"""The error of ranks: medians and other quantiles over rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.exact import positive
from tacit.query.limits.objective import LeastError


@dataclass(frozen=True)
class RankError(LeastError):
    """The squared error, in rows, of the rank of a quantile.

    A person with n rows counts with the weight s = min(1, limit/n). If the rows left out are like the others, the
    quantile stays where it was, to first order; what remains is chance: the rank of the median among the weighted rows
    differs from that among all by a variance of ¼·Σ n(1−s)². The noise adds (noise_per_limit · limit)².
    """

    noise_per_limit: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_per_limit", float(positive(self.noise_per_limit, "noise_per_limit")))

    def harm(self, amounts: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.float64]:
        left_out = np.maximum(1 - limits / amounts[:, None], 0.0)
        return np.asarray(amounts[:, None] * left_out**2 / 4)

    def squared_error(self, harm: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(harm + (self.noise_per_limit * limits) ** 2)
