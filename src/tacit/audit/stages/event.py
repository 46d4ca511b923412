"""One event under two neighbouring data sets: how often, and what that proves against a claim."""

from __future__ import annotations

from math import inf, log

from scipy.special import betaincinv

from tacit.frozen import frozen
from tacit.loss.families.loss import Loss

POWER = 0.95
"""With which probability a fault is found that a stage says it would have seen."""


@frozen
class Counted:
    """An event that occurred in `hits` of `runs` under one data set and in `strays` of `others` under a neighbour.

    Claim: if the claimed loss holds, `breaks` is true with probability at most `miss`, provided the event was chosen
    without looking at these runs. Proof: with probability 1 − miss both chances lie within their exact (Clopper and
    Pearson) ends; then the test that says "the first" upon the event has at most `stray` false alarms, and misses at
    most 1 − `hit`, which the claim's trade-off curve forbids.
    """

    hits: int
    runs: int
    strays: int
    others: int
    miss: float

    @property
    def hit(self) -> float:
        """A lower end of the chance under the first."""
        return float(betaincinv(self.hits, self.runs - self.hits + 1, self.miss / 2)) if self.hits else 0.0

    @property
    def stray(self) -> float:
        """An upper end of the chance under the second."""
        if self.strays == self.others:
            return 1.0
        return 1 - float(betaincinv(self.others - self.strays, self.strays + 1, self.miss / 2))

    def breaks(self, claim: Loss) -> bool:
        return 1 - self.hit < claim.tradeoff(self.stray)

    def epsilon(self, delta: float) -> float:
        """A lower bound of ε at δ, from the event or from its opposite, whichever is sharper."""
        shares = (self.hit - delta, self.stray), (1 - self.stray - delta, 1 - self.hit)
        return max(log(often / seldom) if often > 0 else -inf for often, seldom in shares)


def least_share(claim: Loss, runs: int, miss: float) -> float:
    """The least chance of an event that the other data set never has, at which the claim is broken 95 times in 100."""
    low, high = 0, runs
    if not Counted(runs, runs, 0, runs, miss).breaks(claim):
        return inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if Counted(middle, runs, 0, runs, miss).breaks(claim) else (middle, high)
    return float(betaincinv(high, runs - high + 1, POWER))
