"""The interval of a share from two samples: one poll, and one that asks only the innocuous question."""

from __future__ import annotations

from typing import Final

import numpy as np

from tacit.frozen import frozen
from tacit.local.polls.estimation.rate_interval import Reals, two_sided

_HALVINGS: Final = 50
_INNER: Final = 1e-15


@frozen
class Blend:
    """The poll's rate of yes: λ = own·π + innocuous·u + both·π·u, of the share π asked for.

    It is affine in the innocuous prevalence u, so the likelihood of both samples is concave in u.
    """

    own: float
    innocuous: float
    both: float

    def rate(self, share: Reals, other: Reals) -> Reals:
        return np.clip(share * self.own + other * (self.innocuous + share * self.both), 0.0, 1.0)

    def share(self, rate: Reals, other: Reals) -> Reals:
        """The share that gives the rate: the estimate where both rates are observed."""
        return (rate - other * self.innocuous) / (self.own + other * self.both)


@frozen
class TwoCounts:
    """Yes among the poll's respondents, and yes to the innocuous question in the second sample; arrays of polls."""

    yes: Reals
    people: float
    other_yes: Reals
    other_people: float

    @property
    def rate(self) -> Reals:
        return self.yes / self.people

    @property
    def other(self) -> Reals:
        return self.other_yes / self.other_people


def score_interval(blend: Blend, counts: TwoCounts, miss: float) -> tuple[Reals, Reals]:
    """The shares in [0, 1] whose best-fitting u leaves Pearson's statistic of both counts at most z².

    For a difference of two rates this is Mee's score interval, for a ratio Koopman's; here `blend` joins the two. The
    statistic is 0 at the estimate (or least at the end of [0, 1] next to it) and grows to both sides.
    """
    limit = two_sided(miss) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate = np.nan_to_num(np.clip(blend.share(counts.rate, counts.other), 0.0, 1.0))
        low, high = (_end(blend, counts, limit, estimate, edge) for edge in (0.0, 1.0))
    return low, high


def _end(blend: Blend, counts: TwoCounts, limit: float, inside: Reals, edge: float) -> Reals:
    """The last point from `inside` towards `edge` at which the statistic is within the limit."""
    outside = np.full_like(inside, edge)
    reached = _statistic(blend, counts, outside) <= limit
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        holds = _statistic(blend, counts, middle) <= limit
        inside, outside = np.where(holds, middle, inside), np.where(holds, outside, middle)
    return np.where(reached, edge, inside)


def _statistic(blend: Blend, counts: TwoCounts, share: Reals) -> Reals:
    other = _fitting(blend, counts, share)
    own = _pearson(counts.yes, counts.people, blend.rate(share, other))
    return own + _pearson(counts.other_yes, counts.other_people, other)


def _pearson(count: Reals, people: float, rate: Reals) -> Reals:
    distance = (count - people * rate) ** 2
    return np.where(distance < _INNER, 0.0, distance / (people * rate * (1 - rate)))


def _fitting(blend: Blend, counts: TwoCounts, share: Reals) -> Reals:
    """The u of the largest likelihood at this share: where the derivative, which falls, changes sign."""
    slope = blend.innocuous + share * blend.both
    low, high = np.zeros_like(share), np.ones_like(share)
    for _ in range(_HALVINGS):
        other = (low + high) / 2
        rate = np.clip(blend.rate(share, other), _INNER, 1 - _INNER)
        own = slope * (counts.yes / rate - (counts.people - counts.yes) / (1 - rate))
        derivative = own + counts.other_yes / other - (counts.other_people - counts.other_yes) / (1 - other)
        low, high = np.where(derivative > 0, other, low), np.where(derivative > 0, high, other)
    return (low + high) / 2
