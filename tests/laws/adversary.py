"""Every adaptive strategy at once: the worst that an analyst can do against a rule that admits releases.

The analyst sees each answer before choosing the next release. Over a finite menu the best strategy is found by working
backwards from the end, so the value is that of all strategies, not of those somebody thought of.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from tacit.loss import FinitePair, Loss
from tacit.loss.filters.privacy_filter import Filter


@dataclass(frozen=True)
class Release:
    """Something on the menu: what it claims to cost, and the outcomes (probability, privacy loss) it really has."""

    claim: Loss
    outcomes: tuple[tuple[float, float], ...]


def release_of(claim: Loss, pair: FinitePair, *, turned: bool = False) -> Release:
    """The release with the law of this table, in one order of the worlds or the other."""
    p_total = math.fsum(float(a.weight_p) * math.exp(a.exponent_p) for a in pair.atoms)
    q_total = math.fsum(float(a.weight_q) * math.exp(a.exponent_q) for a in pair.atoms)
    outcomes = []
    for a in pair.atoms:
        p = float(a.weight_p) * math.exp(a.exponent_p) / p_total
        q = float(a.weight_q) * math.exp(a.exponent_q) / q_total
        if turned:
            p, q = q, p
        if p:
            outcomes.append((p, math.log(p / q) if q else math.inf))
    return Release(claim, tuple(outcomes))


def worst_delta(account: Filter, menu: list[Release], epsilon: float, steps: int) -> float:
    """The largest δ at ε of any adaptive strategy of at most so many releases that the filter admits."""

    @cache
    def value(state: Filter, gap: float, left: int) -> float:
        """The best mean of (1−e^{ε−L})₊ from here, where gap = ε − (loss so far)."""
        best = -math.expm1(gap) if gap < 0 else 0.0
        if left == 0 or gap == -math.inf:
            return best
        for release in menu:
            if state.admits(release.claim):
                after = state.charge(release.claim)
                ahead = math.fsum(p * value(after, round(gap - loss, 12), left - 1) for p, loss in release.outcomes)
                best = max(best, ahead)
        return best

    return value(account, epsilon, steps)


def worst_moment(account: Filter, menu: list[Release], order: float, steps: int) -> float:
    """The largest Rényi divergence of this order of any adaptive strategy that the filter admits."""

    @cache
    def value(state: Filter, left: int) -> float:
        best = 1.0
        if left == 0:
            return best
        for release in menu:
            if state.admits(release.claim):
                ahead = value(state.charge(release.claim), left - 1)
                best = max(best, ahead * math.fsum(p * math.exp((order - 1) * loss) for p, loss in release.outcomes))
        return best

    return math.log(value(account, steps)) / (order - 1)


def worst_overrun(account: Filter, read: Callable[[Filter], float], menu: list[Release], steps: int) -> float:
    """The largest probability, over adaptive strategies, that the loss ever exceeds what is read."""

    @cache
    def value(state: Filter, loss: float, left: int) -> float:
        if loss > read(state) + 1e-9:
            return 1.0
        best = 0.0
        if left == 0:
            return best
        for release in menu:
            if state.admits(release.claim):
                after = state.charge(release.claim)
                best = max(
                    best, math.fsum(p * value(after, round(loss + x, 12), left - 1) for p, x in release.outcomes)
                )
        return best

    return value(account, 0.0, steps)
