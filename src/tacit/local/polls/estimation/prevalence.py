"""Prevalence: the share of a population whose true answer is yes, estimated from the reports of a poll.

A finding is the share of one option of one question, for any design. Its text is one line, which says where no share
fits the reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import floor, inf, sqrt
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import ArrayLike

from tacit.exact import Number
from tacit.frozen import frozen
from tacit.local.polls.estimation.rate_interval import Method
from tacit.local.polls.estimation.two_rates import rate_surprise
from tacit.local.polls.estimation.yes_no_channel import Heard, YesNoChannel, read_reports
from tacit.mechanisms.mechanism import percent


class ShareEstimate(Protocol):
    """A share with its interval."""

    @property
    def value(self) -> float: ...

    @property
    def standard_error(self) -> float: ...

    def interval(self, confidence: Number = "0.95") -> tuple[float, float]: ...

    def surprise(self) -> float:
        """For a value outside [0, 1]: a bound of the probability of such a value under the design."""

    def describe(self, confidence: Number = "0.95") -> str: ...

    def tally(self) -> dict[str, Any]:
        """The numbers of reports given, missing and counted, for each sample where there are two."""


@frozen
class PollFinding:
    """The share of people whose answer is `option`."""

    option: str
    estimate: ShareEstimate

    def describe(self, confidence: Number = "0.95") -> str:
        return f"{self.option}: {self.estimate.describe(confidence)}"


_IMPOSSIBLE: Final = (
    1 / 4000
)  # on each side: of shares that follow their design at most 1 in 2,000 is called impossible


def share_words(
    estimate: ShareEstimate, confidence: Number = "0.95", interval: tuple[float, float] | None = None
) -> str:
    """“20.4%, 95% interval 17.6% to 23.3%”, or that the reports do not fit the design."""
    low, high = estimate.interval(confidence) if interval is None else interval
    found = misfit(estimate, (low, high))
    if found:
        return found
    return f"{min(1.0, max(0.0, estimate.value)):.1%}, {percent(confidence)} interval {low:.1%} to {high:.1%}"


def misfit(estimate: ShareEstimate, interval: tuple[float, float]) -> str:
    """Why the reports do not fit people who followed the design; "" where they do.

    An interval that is empty after cutting at 0 or 1 contains no share that fits the reports, at its confidence.
    """
    value, off = estimate.value, estimate.standard_error
    if 0 <= value <= 1 or interval[0] < interval[1]:
        return ""
    beyond, edge = (-value, "below 0%") if value < 0 else (value - 1, "above 100%")
    raw = f"the raw estimate is {value:.1%}".replace("-", "−")
    far = f"{beyond / off:.1f} standard errors {edge}" if off > 0 else f"{edge} with all reports alike"
    chance = estimate.surprise()
    if chance <= _IMPOSSIBLE:
        return f"impossible under the design: {raw}, {far}; the reports do not come from this design"
    rarely = f"does this in at most 1 of {floor(1 / chance):,} polls" if chance < 0.1 else "may have done this"
    return f"no share fits: {raw}, {far}; chance {rarely}"


@frozen
class Prevalence:
    """An estimated share: the rate of yes among the reports, and the equivalent number of even reports.

    Without survey weights `effective` is the number of reports. With weights it is λ(1−λ) over the estimated variance
    of the weighted rate, as Korn and Graubard (1998) advise; the interval is then that of a poll of this size.
    """

    channel: YesNoChannel
    rate: float
    effective: float
    people: int
    missing: int = 0
    missing_share: float = 0.0
    count: int | None = None
    """The number of reports that counted, without weights."""

    @classmethod
    def of(
        cls,
        channel: YesNoChannel,
        reports: Sequence[Any] | ArrayLike,
        weights: ArrayLike | None = None,
        option: int = 1,
    ) -> Prevalence:
        """The share whose answer is `option`: the reports that equal it count."""
        return cls.heard(channel, read_reports(reports, weights), option)

    @classmethod
    def heard(cls, channel: YesNoChannel, heard: Heard, option: int = 1) -> Prevalence:
        ours = heard.reports == option
        if heard.weights is None:
            lost = heard.missing / (heard.missing + heard.people)
            return cls(channel, float(ours.mean()), heard.people, heard.people, heard.missing, lost, int(ours.sum()))
        rate, effective = weighted_rate(ours.astype(np.float64), heard.weights)
        total = float(heard.weights.sum())
        lost = heard.missing_weight / (heard.missing_weight + total)
        return cls(channel, rate, effective, heard.people, heard.missing, lost, int(ours.sum()))

    @property
    def value(self) -> float:
        """(λ − stray)/(hit − stray): unbiased, and so not always within [0, 1]."""
        return self.channel.share(self.rate)

    @property
    def standard_error(self) -> float:
        """The square root of the unbiased estimate of the estimate's variance; `inf` for a single report."""
        if not self.effective > 1:
            return inf
        return sqrt(self.rate * (1 - self.rate) / (self.effective - 1)) / abs(float(self.channel.contrast))

    def interval(self, confidence: Number = "0.95", method: Method = Method.EXACT) -> tuple[float, float]:
        """The interval of the share among people like those who answered; both ends alike where no share fits."""
        return self.channel.interval(self._count, self.effective, confidence, method)

    def surprise(self) -> float:
        """The largest probability of an estimate this far below 0 at share 0, or this far above 1 at share 1.

        Survey weights do not matter: for any answers, a report counts with a probability between `stray`
        and `hit`, so the plain count is beyond a binomial one of the nearer of the two with at most this probability.
        """
        edge = self.channel.stray if self.value < 0 else self.channel.hit
        is_low = (self.value < 0) == (self.channel.contrast > 0)
        count, people = (self._count, self.effective) if self.count is None else (self.count, self.people)
        return rate_surprise(count, people, float(edge), is_low=is_low)

    def with_missing(self, confidence: Number = "0.95", method: Method = Method.EXACT) -> tuple[float, float]:
        """The interval for everyone asked, including those who did not answer: from all no to all yes."""
        low, high = self.interval(confidence, method)
        return low * (1 - self.missing_share), high * (1 - self.missing_share) + self.missing_share

    def if_careless(self, share: Number, says: Number) -> Prevalence:
        """The estimate if this share of respondents had ignored the design and said yes with this probability."""
        channel = self.channel.careless(share, says)
        return replace(self, channel=channel)

    def describe(self, confidence: Number = "0.95", method: Method = Method.EXACT) -> str:
        """Value, interval and number of answers, in one line."""
        heard = f"{self.people:,} answers" + (f", {self.missing:,} missing" if self.missing else "")
        return f"{share_words(self, confidence, self.interval(confidence, method))} ({heard})"

    def tally(self) -> dict[str, Any]:
        return {"answers": self.people, "missing": self.missing, "count": self.count}

    def __str__(self) -> str:
        return self.describe()

    @property
    def _count(self) -> float:
        count = self.rate * self.effective
        return float(round(count)) if self.effective == self.people else count


def weighted_rate(ours: np.ndarray[Any, np.dtype[np.float64]], weights: Any) -> tuple[float, float]:
    """The weighted rate, and the number of even reports with the same variance of the rate."""
    shares = weights / weights.sum()
    rate = float(shares @ ours)
    people = int(np.count_nonzero(weights))
    if people < 2 or rate <= 0 or rate >= 1:
        return min(1.0, max(0.0, rate)), float(1 / np.sum(shares**2))
    variance = float(np.sum((shares * (ours - rate)) ** 2)) * people / (people - 1)
    return rate, min(float(people), rate * (1 - rate) / variance)
