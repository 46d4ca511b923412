"""A query that an earlier release of other questions answers: free, with intervals from the joint law of its noise.

The earlier release is of tables (`implied_tables`) or of counting questions (`implied_workload`). They differ in how a
group is read from the measurements; the accuracy and the words are computed here for both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from math import inf
from statistics import NormalDist
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.curator.certifier import Certifier
from tacit.curator.notes import CHOSEN
from tacit.curator.planner import Planner
from tacit.frozen import frozen
from tacit.ledger.certificate import Grounds
from tacit.loss.families.loss import Loss
from tacit.mechanisms.mechanism import percent
from tacit.query.aggregates.moments import Total
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.plans.question import Question
from tacit.query.post_noise.estimates import Groups
from tacit.release.price import price_words
from tacit.release.release import IntervalWords, Release
from tacit.words import number

Floats = NDArray[np.float64]

_SURE = Fraction(19, 20)  # the confidence at which releases are compared


class PaidRelease(Protocol):
    """A stored release: what it rests on, and the entry of the ledger that paid for it."""

    @property
    def grounds(self) -> Grounds: ...
    @property
    def entry(self) -> int: ...
    @property
    def share(self) -> Fraction: ...
    @property
    def charge(self) -> Loss: ...


@frozen(eq=False)
class ImpliedAnswer(ABC):
    """A query's groups as linear combinations of the numbers of a release."""

    question: Question

    @property
    @abstractmethod
    def charged(self) -> PaidRelease:
        """The release."""

    @property
    @abstractmethod
    def whence(self) -> str:
        """The release in words, and how the groups are computed from it."""

    @property
    @abstractmethod
    def kinds(self) -> set[IntervalKind]:
        """The kinds of its intervals."""

    @property
    def rests_on_facts(self) -> bool:
        """Whether it counts only rows that fit public facts, or agrees with them: a query by itself knows of none."""
        return False

    @abstractmethod
    def deviations(self, name: str) -> Floats:
        """The standard deviation of an aggregate's noise, group by group, in steps of its measure."""

    @abstractmethod
    def is_as_accurate(self, plan: Plan, price: Price) -> bool:
        """Whether no group has more noise than a new release would at this price, with the same limit."""

    @abstractmethod
    def read(self, *, is_bounded: bool) -> Groups:
        """The query's groups, with every aggregate."""

    @abstractmethod
    def interval_words(self, *, is_bounded: bool) -> IntervalWords:
        """The meaning of the intervals; bounded ones cover the noise only."""

    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """Notes: how much of one unit counts, and what is not counted."""

    def widest(self, interval: IntervalKind) -> float:
        """The width of the widest interval of this kind: a low limit has little noise but a large clipping bias."""
        read = self.read(is_bounded=interval is IntervalKind.BOUNDED).aggregates
        found = [read[name].at(_SURE) for name in self.question.aggregates]
        return max(float(np.nan_to_num(each.high - each.low, nan=inf).max(initial=0.0)) for each in found)

    def serves(self, interval: IntervalKind) -> bool:
        """Whether it has intervals of the requested kind; bounded ones can be read from any release."""
        if interval is IntervalKind.BOUNDED or self.kinds <= {IntervalKind.GUARANTEED}:
            return True
        return interval is IntervalKind.USUAL and IntervalKind.BOUNDED not in self.kinds

    def words(self, confidence: Fraction) -> str:
        """The release that answers, and the error of each count and sum, in words."""
        times, reach = -NormalDist().inv_cdf(float(1 - confidence) / 2), {}
        for name, aggregate in self.question.aggregates.items():
            if isinstance(aggregate, Total):
                widest = float(self.deviations(name).max(initial=0.0))
                reach[name] = times * widest * float(aggregate.part.step)
        known = ", ".join(f"{name} ± {number(half, half)}" for name, half in reach.items())
        noise = f" The noise alone, {percent(confidence)}, at most: {known}." if known else ""
        return f"{self._source}{noise}"

    def show(self, planner: Planner, sql: str, interval: IntervalKind, level: Fraction) -> Release:
        """The answer for display."""
        opened, charged = planner.opened, self.charged
        is_bounded = interval is IntervalKind.BOUNDED
        is_usual = not is_bounded and IntervalKind.USUAL in self.kinds
        beside = self.read(is_bounded=True) if is_usual else None
        rendered = self.question.above.render(self.read(is_bounded=is_bounded), level, beside)
        chosen = (CHOSEN,) if self.question.above.chooses_by_noise else ()
        price = price_words(opened.filter, charged.grounds.price, charged.share, True, charged.charge)
        certify = Certifier.of(opened, charged.grounds, charged.entry, sql)
        notes = (self._source, *rendered.notes, *self.notes(), *chosen)
        return Release(rendered, level, notes, price, certify, self.interval_words(is_bounded=is_bounded))

    @property
    def _source(self) -> str:
        """The source of an answer in words, and what its intervals are computed from."""
        entry = f"entry {self.charged.entry:,} of the ledger"
        return f"{self.whence} as {entry}; each interval is from the covariance of their noise."
