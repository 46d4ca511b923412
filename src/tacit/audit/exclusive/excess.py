"""The exact test of exclusive answers: how many hits beside how many strays contradict a claim, and with what power."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, log

from scipy.special import bdtr, bdtrc, betaincinv

from tacit.audit.black_box.rule import Claimed
from tacit.audit.stages.event import POWER
from tacit.frozen import frozen


@frozen
class Excess:
    """A test of fresh answers, each about one of two data sets by a fair coin.

    Claim: where P(E) ≤ e^ε·Q(E) + δ, `breaks` is true with probability at most the alarm rate, for any E that was
    chosen without these answers. Proof: an answer is a hit (about the first data set, and in E) with probability P/2,
    a stray with Q/2. Mark a hit with probability (P − e^ε·Q)⁺/P: the marked ones are at most Binomial(answers, δ/2),
    and exceed `spared` with probability at most half the rate (never, at δ = 0). Each unmarked hit or stray is a hit
    with probability at most e^ε/(1+e^ε), so that their tail is binomial, and it is held to the rest of the rate. Both
    only grow with the hits.
    """

    claimed: Claimed
    answers: int
    alarm_rate: float

    @property
    def _part(self) -> float:
        return self.alarm_rate / 2 if self.claimed.delta else self.alarm_rate

    @property
    def spared(self) -> int:
        """The hits that δ admits."""
        if not self.claimed.delta:
            return 0
        return _least(lambda count: bdtrc(count, self.answers, self.claimed.delta / 2) <= self._part, self.answers)

    def breaks(self, hits: int, strays: int) -> bool:
        counted = hits - self.spared
        share = 1 / (1 + exp(-self.claimed.epsilon))
        return counted > 0 and float(bdtrc(counted - 1, counted + strays, share)) <= self._part

    def epsilon(self, hits: int, strays: int) -> float:
        """A lower bound of ε at the claimed δ, wrong with probability at most the alarm rate."""
        counted = hits - self.spared
        if counted <= 0:
            return 0.0
        low = float(betaincinv(counted, strays + 1, self._part))
        return max(0.0, log(low / (1 - low))) if low < 1 else inf

    @property
    def least_hits(self) -> int:
        """The fewest hits that contradict the claim where there are no strays."""
        return _least(lambda hits: self.breaks(hits, 0), self.answers + 1)


def least_chance(noticed: int, searched: int, test: Excess) -> float:
    """The least probability of an answer that the other data set never gives, at which it is found 95 times in 100.

    It must occur `noticed` times among the answers searched about its data set, and then often enough among the fresh
    ones: both chances are binomial and independent. Infinite where no probability suffices.
    """
    needed = test.least_hits

    def found(chance: float) -> float:
        seen = 1 - float(bdtr(noticed - 1, searched, chance))
        return seen * (1 - float(bdtr(needed - 1, test.answers, chance / 2)))

    if needed > test.answers or not found(1.0) >= POWER:
        return inf
    low, high = 0.0, 1.0
    while high - low > high / 1000:
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) >= POWER else (middle, high)
    return high


def _least(holds: Callable[[int], bool], most: int) -> int:
    """The least count up to the most for which it holds, or the most: it holds from there on."""
    low, high = -1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
