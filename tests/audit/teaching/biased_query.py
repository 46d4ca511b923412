"""A query that randomized response answers badly: about people who all have the same truth."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.audit.reconstruction.counting_queries import secret_bits
from tacit.exact import Number, proper
from tacit.frozen import frozen
from tacit.mechanisms.response.binary import Warner
from tacit.noise.bits import Bits


@frozen(eq=False)
class BiasedQuery:
    """Counts of ones read from reports: among a random half of the people, and among those whose truth is 0."""

    truth: NDArray[np.bool_]
    reports: NDArray[np.bool_]
    random_half: NDArray[np.bool_]
    flip: float

    def error(self, mask: NDArray[np.bool_]) -> float:
        """How far the reports' count lies from the true one, as a fraction of all people."""
        return (np.count_nonzero(self.reports[mask]) - np.count_nonzero(self.truth[mask])) / self.truth.size

    def corrected(self, mask: NDArray[np.bool_]) -> float:
        """The same after Warner's correction, which knows how often reports are flipped."""
        counted, size = float(np.sum(self.reports[mask])), int(mask.sum())
        estimate = (counted - self.flip * size) / (1 - 2 * self.flip)
        return float((estimate - np.sum(self.truth[mask])) / self.truth.size)

    @property
    def on_random(self) -> float:
        """On a random half flips cancel: with as many ones as zeros the error is of order 1/√n."""
        return self.error(self.random_half)

    @property
    def on_zeros(self) -> float:
        """Among those with truth 0 every flip counts upwards: the error is flip · (their share), whatever n is."""
        return self.error(~self.truth)

    @property
    def bits_bound(self) -> float:
        """What Dinur and Nissim's theorem promises then, 4En wrong bits of n: more than n says nothing."""
        return 4 * abs(self.on_zeros) * self.truth.size

    def describe(self) -> str:
        share = self.bits_bound / self.truth.size
        return (
            f"Reports flipped with probability {self.flip:g}. A random half: off by {abs(self.on_random):.3f} of "
            f"everybody. Those whose truth is 0: off by {self.on_zeros:.3f}; corrected for the flips, by "
            f"{abs(self.corrected(~self.truth)):.3f} (chance: {self.flip_deviation:.3f}). With answers so far off the "
            f"reconstruction theorem promises at most {share:.0%} wrong bits."
        )

    @property
    def flip_deviation(self) -> float:
        """The standard deviation of the corrected error."""
        zeros = int(np.sum(~self.truth))
        return sqrt(zeros * self.flip * (1 - self.flip)) / (1 - 2 * self.flip) / self.truth.size

    def __str__(self) -> str:
        return self.describe()


def ask_biased(truth: ArrayLike, bits: Bits, flip: Number = "1/4", seed: int = 0) -> BiasedQuery:
    """Collect everybody's report once, and ask both queries of the reports as they are.

    No analyst can ask the second one, because choosing the people needs the truth. It shows that reading reports
    without correcting them has an error of constant order for some group, so that the reconstruction theorem, which
    needs all groups to be answered well, says nothing against randomized response; and that ε = ln((1−flip)/flip) holds
    anyway.
    """
    secrets, odds = secret_bits(truth), proper(flip, "flip")
    reports = Warner(1 - odds).randomize(secrets.astype(np.int64), bits).astype(np.bool_)
    half = np.random.default_rng(seed).integers(0, 2, secrets.size).astype(np.bool_)
    return BiasedQuery(secrets, reports, half, float(odds))
