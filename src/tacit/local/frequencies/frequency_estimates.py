"""Estimated frequencies of all options at once: unbiased values, exact variances, simultaneous intervals.

Clopper and Pearson's ends are computed for many counts at once, rounded outward. Consistent frequencies are
non-negative, have sum one, and lie each within its interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import Number, proper
from tacit.frozen import frozen
from tacit.mechanisms.mechanism import percent
from tacit.noise.bits import Integers

_OUTWARD = 1e-9  # relative, of the distance to 0 or 1: more than the quantile's own rounding


def upper_ends(counts: Integers, trials: int, miss: float) -> NDArray[np.float64]:
    """The largest rates at which so few successes still have probability ≥ miss: quantiles of Beta(c+1, n−c)."""
    return 1 - lower_ends(trials - counts, trials, miss)


def lower_ends(counts: Integers, trials: int, miss: float) -> NDArray[np.float64]:
    """The same from below: quantiles of Beta(c, n−c+1), and 0 for no success at all."""
    from scipy.special import betaincinv  # heavy

    some = np.maximum(counts, 1)
    found = betaincinv(some.astype(float), trials - some + 1.0, miss) * (1 - _OUTWARD)
    return np.where(counts > 0, found, 0.0)


Reals = NDArray[np.float64]

_HALVINGS = 200
_SLACK = 1e-12  # of the sums' rounding, outward


@frozen(eq=False)
class Consistent:
    """Values of sum one and intervals around them. Where `agrees` is false the intervals contradict the sum."""

    values: Reals
    low: Reals
    high: Reals
    agrees: bool


def reconcile(values: Reals, low: Reals, high: Reals) -> Consistent:
    """The nearest values of sum one within the intervals, and the intervals cut to what the sum permits.

    Claim: if the given intervals hold all true shares at once, so do these; so their probability of holding is no
    less. Proof: the true shares sum to one, so each is at least one minus the upper ends of all others, and at most
    one minus their lower ends. If no shares of sum one lie within the given intervals, they do not hold the truth:
    that too happens with at most the stated probability, and then they are left as they are.
    """
    agrees = bool(low.sum() <= 1 + _SLACK and high.sum() >= 1 - _SLACK)
    if not agrees:
        return Consistent(_project(values, np.zeros_like(values), np.ones_like(values)), low, high, False)
    slack = _SLACK * values.size
    least = np.maximum(low, 1 - (high.sum() - high) - slack)
    most = np.minimum(high, 1 - (low.sum() - low) + slack)
    return Consistent(_project(values, least, most), least, most, True)


def _project(values: Reals, low: Reals, high: Reals) -> Reals:
    """The point of sum one in the box that is nearest in the Euclidean sense: all shifted by one number, then cut."""
    down, up = float((values - high).min()), float((values - low).max())
    for _ in range(_HALVINGS):
        shift = (down + up) / 2
        if not down < shift < up:
            break
        down, up = (shift, up) if np.clip(values - shift, low, high).sum() > 1 else (down, shift)
    found: Reals = np.clip(values - up, low, high)
    return found


def listing(
    found: Consistent,
    errors: NDArray[np.float64],
    people: int,
    names: Sequence[str] | None,
    confidence: Number,
    most: int,
) -> str:
    """One line per option, the most frequent first, with simultaneous intervals."""
    order = np.argsort(-found.values, kind="stable")[:most]
    labels = [names[place] if names else str(place) for place in order]
    wide = max(len("option"), *map(len, labels))
    lines = [f"{'option':<{wide}}   share   ± s.e.   {percent(confidence)} interval, all options at once"]
    for label, place in zip(labels, order, strict=True):
        share, low, high = found.values[place], found.low[place], found.high[place]
        lines.append(f"{label:<{wide}}  {share:6.1%}  {errors[place]:6.1%}   {low:.1%} to {high:.1%}")
    if found.values.size > most:
        lines.append(f"… and {found.values.size - most:,} more options.")
    lines.append(f"{people:,} reports; shares are made to sum to one.")
    if not found.agrees:
        lines.append(
            "The intervals contradict one another: something unlikely happened, or the reports are not honest."
        )
    return "\n".join(lines)


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
        """Consistent estimates: nonnegative, with sum one, and with intervals that still hold simultaneously."""
        return reconcile(self.values, *self.intervals(confidence))

    def table(self, names: Sequence[str] | None = None, confidence: Number = "0.95", most: int = 20) -> str:
        """The most frequent options with their intervals, as text."""
        if names is not None and not len(names) == self.options:
            raise Refused(f"{len(names)} names", "Each option has one.", f"{self.options} names.")
        return listing(self.consistent(confidence), self.standard_errors, self.people, names, confidence, most)

    def __str__(self) -> str:
        return self.table()

    def _shares(self, rates: Reals) -> Reals:
        shares: Reals = (rates - float(self.stray)) / float(self.hit - self.stray)
        return shares
