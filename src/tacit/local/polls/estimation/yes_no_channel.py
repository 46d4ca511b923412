"""The channel of a yes-or-no design: the probability of a yes under each answer, and the reading of reports.

Reports are yes, no or missing, with survey weights or without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import Refused
from tacit.exact import Number, probability, proper
from tacit.frozen import frozen
from tacit.local.polls.estimation.rate_interval import Method, Reals, rate_interval, two_sided


@frozen(eq=False)
class Heard:
    """The reports given, as integers, each with its weight; and the weight of missing reports."""

    reports: NDArray[np.int64]
    weights: Reals | None
    missing: int
    missing_weight: float

    @property
    def people(self) -> int:
        return int(self.reports.size)


def read_reports(reports: Sequence[Any] | ArrayLike, weights: ArrayLike | None = None, most: int = 1) -> Heard:
    """Integers from 0 to `most` (bools too); None and NaN are missing; anything else is refused without being named."""
    given = _numbers(reports)
    absent = np.isnan(given)
    kept = given[~absent]
    if not np.all((kept >= 0) & (kept <= most) & (kept == np.floor(kept))):
        raise Refused("reports", "One of them is no report of this design.", f"0 to {most}, or None where missing.")
    if not kept.size:
        raise Refused("an estimate", "There is no report.", "at least one report.")
    whole = kept.astype(np.int64)
    if weights is None:
        return Heard(whole, None, int(absent.sum()), float(absent.sum()))
    load = np.asarray(weights, np.float64).ravel()
    if not (load.size == given.size and np.all(np.isfinite(load)) and np.all(load >= 0) and load[~absent].sum() > 0):
        raise Refused("survey weights", "They do not fit the reports.", "one finite weight ≥ 0 a report, not all 0.")
    return Heard(whole, load[~absent], int(absent.sum()), float(load[absent].sum()))


def _numbers(reports: Sequence[Any] | ArrayLike) -> Reals:
    """The reports as floats, NaN for None; text and other non-numbers are refused."""
    given = np.asarray(reports, dtype=None if isinstance(reports, np.ndarray) else object).ravel()
    if given.dtype.kind == "O":
        listed = [np.nan if report is None else report for report in given]
        if not all(isinstance(report, int | float | np.number | np.bool_) for report in listed):
            raise Refused("reports", "One of them is no number.", "0, 1, … or None where missing.")
        return np.array(listed, np.float64)
    if given.dtype.kind not in "biuf":
        raise Refused(f"reports of type {given.dtype}", "They are no numbers.", "0, 1, … or None where missing.")
    return given.astype(np.float64)


@frozen
class YesNoChannel:
    """A report counts with probability `hit` if the answer is yes, and with `stray` if it is no."""

    hit: Fraction
    stray: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "hit", probability(self.hit, "hit"))
        object.__setattr__(self, "stray", probability(self.stray, "stray"))
        if self.hit == self.stray:
            raise Refused(
                f"a report that is yes with probability {self.hit} whatever the answer",
                "It tells nothing.",
                "a design in which the truth makes a difference.",
            )

    @property
    def contrast(self) -> Fraction:
        return self.hit - self.stray

    def rate(self, share: float) -> float:
        """λ: the rate of yes among the reports of a population with this share."""
        return float(self.stray) + float(self.contrast) * share

    def share(self, rate: float) -> float:
        """The share that gives this rate; outside [0, 1] where no share does."""
        return (rate - float(self.stray)) / float(self.contrast)

    def variance(self, share: Number, people: int) -> float:
        """The variance of the estimate for people from a population with this share: λ(1−λ)/(n·(hit − stray)²)."""
        rate = self.rate(float(probability(share, "share")))
        return rate * (1 - rate) / (people * float(self.contrast) ** 2)

    def interval(self, count: float, people: float, confidence: Number, method: Method) -> tuple[float, float]:
        """The interval of the rate, read back as a share and cut to [0, 1].

        Claim: it holds the true share whenever the rate's interval holds the true rate. Proof: the share is a monotone
        function of the rate, and lies in [0, 1].
        """
        miss = float(1 - proper(confidence, "confidence"))
        ends = sorted(self.share(end) for end in rate_interval(count, people, miss, method))
        return min(1.0, max(0.0, ends[0])), max(0.0, min(1.0, ends[1]))

    def people_for(
        self, width: Number, confidence: Number = "0.95", share: Number | None = None, method: Method = Method.EXACT
    ) -> int:
        """The number of people to ask so that the interval is no wider, at this share or at the worst one."""
        wanted, sure = float(proper(width, "width")), proper(confidence, "confidence")
        low, high = sorted((float(self.hit), float(self.stray)))
        rate = min(max(0.5, low), high) if share is None else self.rate(float(probability(share, "share")))
        reach = two_sided(float(1 - sure)) / (wanted * float(self.contrast))
        start = max(1, int(4 * rate * (1 - rate) * reach**2) // 2)

        def narrow(people: int) -> bool:
            low, high = rate_interval(round(people * rate), people, float(1 - sure), method)
            return high - low <= wanted * abs(float(self.contrast))

        return _first(narrow, start)

    def careless(self, share: Number, says: Number) -> YesNoChannel:
        """The channel of a population in which a share ignores the design and says yes with this probability."""
        astray, answer = probability(share, "share"), probability(says, "says")
        if not astray < 1:
            raise Refused("nobody who follows the design", "Nothing could be estimated.", "share < 1.")
        return YesNoChannel((1 - astray) * self.hit + astray * answer, (1 - astray) * self.stray + astray * answer)


def _first(claim: Callable[[int], bool], start: int) -> int:
    """The least integer from `start` for which a monotone claim holds: exponential search, then bisection."""
    low, high = start, start
    while not claim(high):
        low, high = high, ceil(high * 1.25) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if claim(middle) else (middle, high)
    return high
