"""Estimated frequencies of all options at once: unbiased values, exact variances, simultaneous intervals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import Number, proper
from tacit.frozen import frozen
from tacit.local.frequencies.consistent import Consistent, reconcile
from tacit.local.frequencies.ends import lower_ends, upper_ends
from tacit.local.frequencies.listing import listing
from tacit.noise.bits import Integers

Reals = NDArray[np.float64]


@frozen(eq=False)
class Frequencies:
    """How many reports support each option, and with what probabilities a report supports a true and another option."""

    counts: Integers
    people: int
    hit: Fraction
    stray: Fraction

    @property
    def options(self) -> int:
        return int(self.counts.size)

    @cached_property
    def values(self) -> Reals:
        """(count/n − stray)/(hit − stray): unbiased, and so not always within [0, 1] nor of sum one."""
        return self._shares(self.counts / self.people)

    @cached_property
    def standard_errors(self) -> Reals:
        """The root of the unbiased estimate of each value's variance for people drawn from a population."""
        if self.people == 1:
            return np.full(self.options, np.inf)
        rates = self.counts / self.people
        errors: Reals = np.sqrt(rates * (1 - rates) / (self.people - 1)) / float(self.hit - self.stray)
        return errors

    def intervals(self, confidence: Number = "0.95") -> tuple[Reals, Reals]:
        """(lower ends, upper ends), all of which hold together.

        Claim: with at least this probability every interval holds its option's true share: the population's where
        people were drawn from one independently, and the respondents' own where they were not. Proof: each side of each
        of the K intervals is Clopper and Pearson's at (1−confidence)/2K, and misses add up to at most 1−confidence,
        however the counts depend on one another. For people drawn from a population a count is binomial. For given
        people it is a sum of independent coins with two rates. Hoeffding (1956): of all such sums with mean nλ the
        binomial has the heaviest tails at and beyond nλ ± 1, and a tail below 1/2 begins there, since the binomial's
        median lies within 1 of nλ. So the sum is outside the binomial's bounds no more often than the binomial is.
        """
        miss = float((1 - proper(confidence, "confidence")) / (2 * self.options))
        known, place = np.unique(self.counts, return_inverse=True)
        low = self._shares(lower_ends(known, self.people, miss))[place]
        high = self._shares(upper_ends(known, self.people, miss))[place]
        return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)

    def consistent(self, confidence: Number = "0.95") -> Consistent:
        """The same made to fit together: none below zero, sum one, and intervals that still hold simultaneously."""
        return reconcile(self.values, *self.intervals(confidence))

    def table(self, names: Sequence[str] | None = None, confidence: Number = "0.95", most: int = 20) -> str:
        """The most frequent options with their intervals, for people to read."""
        if names is not None and not len(names) == self.options:
            raise Refused(f"{len(names)} names", "Each option has one.", f"{self.options} names.")
        return listing(self.consistent(confidence), self.standard_errors, self.people, names, confidence, most)

    def __str__(self) -> str:
        return self.table()

    def _shares(self, rates: Reals) -> Reals:
        shares: Reals = (rates - float(self.stray)) / float(self.hit - self.stray)
        return shares
