"""Lower bounds of ε and δ from counts of right guesses about fresh answers."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from tacit.frozen import frozen
from tacit.mechanisms.response.proportion import lower_end, upper_end


@frozen
class GuessCounts:
    """The counts of guesses on fresh answers, each about one of two data sets by a fair coin; a rule may abstain."""

    first_as_first: int = 0
    second_as_first: int = 0
    first_as_second: int = 0
    second_as_second: int = 0
    firsts: int = 0
    seconds: int = 0

    def __add__(self, other: GuessCounts) -> GuessCounts:
        return GuessCounts(*(mine + yours for mine, yours in zip(self._all, other._all, strict=True)))

    @property
    def _all(self) -> tuple[int, ...]:
        return (
            self.first_as_first,
            self.second_as_first,
            self.first_as_second,
            self.second_as_second,
            self.firsts,
            self.seconds,
        )

    @property
    def right(self) -> int:
        return self.first_as_first + self.second_as_second

    @property
    def guesses(self) -> int:
        return self.right + self.second_as_first + self.first_as_second

    def part(self, as_first: bool) -> tuple[int, int, int, int]:
        """(hits, trials) in the world that the guess names, then in the other."""
        if as_first:
            return self.first_as_first, self.firsts, self.second_as_first, self.seconds
        return self.second_as_second, self.seconds, self.first_as_second, self.firsts


End: TypeAlias = Callable[[int, int, Fraction], float]


@frozen(eq=False)
class RateEnds:
    """The ends of a rate, each wrong with at most the given probability (Clopper and Pearson)."""

    low: End
    high: End


def _quick_low(count: int, trials: int, miss: Fraction) -> float:
    from scipy.special import betaincinv

    return float(betaincinv(count, trials - count + 1, float(miss))) if count else 0.0


def _quick_high(count: int, trials: int, miss: Fraction) -> float:
    return 1 - _quick_low(trials - count, trials, miss)


CERTIFIED = RateEnds(lambda count, trials, miss: max(0.0, lower_end(count, trials, miss)), upper_end)
"""Rounded outwards."""
QUICK = RateEnds(_quick_low, _quick_high)
"""In floating point, a thousand times as fast: to choose what is then certified."""


def pure_epsilon_at_least(counts: GuessCounts, alarm_rate: float, ends: RateEnds = CERTIFIED) -> float:
    """A lower bound of the pure ε of the two worlds, wrong with probability at most the alarm rate.

    Proof: the world is a fair coin, so under ε-privacy whatever answer comes out, each world has probability at most
    e^ε/(1+e^ε) given it. However many answers are guessed on, the number of right guesses is therefore no larger in
    law than a binomial one with that rate, and the exact lower end of a binomial rate exceeds it only so often.
    """
    if not counts.guesses:
        return 0.0
    rate = ends.low(counts.right, counts.guesses, Fraction(alarm_rate))
    return max(0.0, math.log(rate / (1 - rate)) - 1e-12) if 0 < rate < 1 else 0.0


def epsilon_at_least(
    counts: GuessCounts, as_first: bool, delta: float, alarm_rate: float, ends: RateEnds = CERTIFIED
) -> float:
    """A lower bound of ε at δ from one set of answers: e^ε ≥ (P − δ)/Q, each end missed with half the alarm rate."""
    low, high = _both(counts, as_first, alarm_rate, ends)
    return max(0.0, math.log((low - delta) / high) - 1e-12) if low > delta else 0.0


def delta_at_least(counts: GuessCounts, as_first: bool, epsilon: float, alarm_rate: float) -> float:
    """A lower bound of δ at ε from one set of answers: δ ≥ P − e^ε·Q."""
    low, high = _both(counts, as_first, alarm_rate, CERTIFIED)
    return max(0.0, low - math.exp(min(epsilon, 700.0)) * high)


def _both(counts: GuessCounts, as_first: bool, alarm_rate: float, ends: RateEnds) -> tuple[float, float]:
    hits, trials, strays, others = counts.part(as_first)
    if not (trials and others):
        return 0.0, 1.0
    half = Fraction(alarm_rate) / 2
    return ends.low(hits, trials, half), ends.high(strays, others, half)
