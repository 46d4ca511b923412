"""Limits for usual intervals, and what they cut off: both from one noisy histogram of people's amounts.

The limit is the one at which the interval that joins noise and cut is narrowest. The posterior of what it cuts off
(`tail_posterior`) is read at that limit from the same histogram.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import floor

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Measure, Part, Ranks, noise_deviation
from tacit.query.aggregates.clipping_bias import LEVELS, ClippingBias
from tacit.query.bounding.amount import Amount
from tacit.query.bounding.amount_histogram import Span, seen
from tacit.query.bounding.amounts import amount_of
from tacit.query.bounding.histogram_sql import FindingBlock
from tacit.query.bounding.objectives import EVENNESS
from tacit.query.bounding.profile_evidence import TailCap
from tacit.query.bounding.tail_posterior import CHOICE, CHOICE_OF_MOST, TailPosterior, tail_posterior
from tacit.query.plans.limit import AmountCounts
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price

Floats = NDArray[np.float64]

NEAR = 2  # times a limit: at most so far beyond it, the most that one person can have is the limit instead
_PRIVATE_GROUPS = 16  # groups are taken to be so many where it is private which there are
_FEW = 10  # people at the limit: at least so much is taken to be left of all amounts
_BEYOND = 4  # bins beyond the last one that a profile sees people in
_NOTHING: Floats = np.zeros(len(LEVELS))
_DIGITS = 6  # that are kept of what was cut off: no more depend on the machine
_KEYS_LOST = 0.6  # of a key beyond the limit: a person's keys are scaled, and not left out


@frozen(eq=False)
class ClippedLimit:
    """A limit, as a norm, and what it cuts off; certainly nothing where it is at_most."""

    norm: Fraction
    bias: ClippingBias
    is_sure: bool = False


def find_usual(plan: Plan, price: Price, block: FindingBlock, noisy: NDArray[np.int64]) -> Mapping[Part, ClippedLimit]:
    """The limits of all binned parts, and what they cut off; declared limits stay as they are."""
    deviation = noise_deviation(block.noise.law) / block.unit
    edges = block.bins.edges()[1:].astype(np.float64)
    found = {}
    for part, people in zip(block.parts, noisy / block.unit, strict=True):
        counts = _combined(AmountCounts(people, deviation), plan.evidence.get(part))
        found[part] = _PartLimit(plan, price, part, edges, counts).finding()
    return _scaled_together(plan, found)


def _combined(own: AmountCounts, earlier: AmountCounts | None) -> AmountCounts:
    """Both counts, each weighed by its precision."""
    if earlier is None:
        return own
    precisions = own.deviation**-2, earlier.deviation**-2
    both = sum(precisions)
    people = (precisions[0] * own.people + precisions[1] * earlier.people) / both
    return AmountCounts(people, both**-0.5)


@frozen(eq=False)
class _PartLimit:
    """One part of a plan, and the noisy numbers of people by bin of their amount in it."""

    plan: Plan
    price: Price
    part: Part
    edges: Floats  # of the bins from 1 on
    people: AmountCounts

    def finding(self) -> ClippedLimit:
        declared, most = self.plan.limits[self.part].norm, self.plan.at_most.get(self.part)
        span = seen(self._counts, self.people.deviation, self.price.is_pure)
        if span is None:
            return self._unseen(declared, most)
        posterior = tail_posterior(
            self.edges, self._counts, self.people.deviation, span.first, span.last, self._amount(most), self._cap
        )
        norm = declared or self._least_wide(posterior)
        if most is not None and declared is None and most <= NEAR * norm:
            return ClippedLimit(most, self._bias(_NOTHING, self._kept(span, self._amount(most))), is_sure=True)
        limit = self._amount(norm)
        return ClippedLimit(norm, self._bias(posterior.beyond(limit), self._kept(span, limit)))

    @property
    def _counts(self) -> Floats:
        return self.people.people[1:]  # an amount of 0 is not affected by a limit

    @property
    def _cap(self) -> TailCap | None:
        """What a profile of all rows says of the people beyond each bin, as far as it sees any."""
        cap = self.plan.caps.get(self.part)
        span = None if cap is None else seen(cap.people[1:], cap.deviation, self.price.is_pure)
        if cap is None or span is None:
            return None
        people = cap.people[1 : span.last + _BEYOND + 1]
        many = np.arange(len(people), 0, -1)
        return TailCap(np.cumsum(people[::-1])[::-1], cap.deviation * np.sqrt(many))

    @property
    def _amounts(self) -> Amount[Part]:
        return amount_of(self.part, self.plan.question.keys, not self.price.is_pure)

    @property
    def _steps(self) -> float:
        """What a unit of the amount adds to sums, in steps."""
        factor, power = self._amounts.units
        return 1 / factor if power == 1 else _KEYS_LOST

    def _amount(self, norm: Fraction | None) -> float:
        factor, power = self._amounts.units
        return np.inf if norm is None else factor * float(norm) ** power

    def _unseen(self, declared: Fraction | None, most: Fraction | None) -> ClippedLimit:
        """The limit where no count exceeds the noise: at_most, or an unknown bias."""
        if most is not None and declared is None:
            return ClippedLimit(most, self._bias(_NOTHING, self._amount(most)), is_sure=True)
        norm = declared or self._amounts.norm(self._amounts.unseen(None))
        return ClippedLimit(norm, self._bias(_NOTHING + np.inf, self._amount(norm)))

    def _least_wide(self, posterior: TailPosterior) -> Fraction:
        """The limit at which the interval is narrowest."""
        factor, power = self._amounts.units
        norms = (posterior.nodes / factor) ** (1 / power)
        noise = self._amounts.noise_per_norm(self.plan, self.price) * norms
        groups = len(self.plan.groups or ()) or _PRIVATE_GROUPS if self.plan.question.keys else 1
        choice = CHOICE if self.part not in self.plan.at_most else CHOICE_OF_MOST
        is_shifted = not isinstance(self.part, Ranks)
        widths = posterior.widths(noise / self._steps, groups**-EVENNESS, choice, is_shifted=is_shifted)
        best = np.argmin(np.where(posterior.nodes >= 1, widths, np.inf))
        return self._amounts.norm(max(1, floor(posterior.nodes[best])))

    def _kept(self, span: Span, limit: float) -> float:
        """What is left of people's amounts within the limit, about."""
        tops = np.append(self.edges[1:] - 1, self.edges[-1])
        middles = np.sqrt(self.edges * tops)
        left = np.maximum(self._counts, 0.0) * np.minimum(middles, limit)
        return max(float(left[: span.last + 1].sum()), _FEW * limit)

    def _bias(self, masses: Floats, kept: float) -> ClippingBias:
        rounded = np.array([float(f"{mass:.{_DIGITS}g}") for mass in masses * self._steps])
        return ClippingBias(rounded, float(f"{kept * self._steps:.{_DIGITS}g}"), bool(self.plan.question.keys))


def _scaled_together(plan: Plan, found: Mapping[Part, ClippedLimit]) -> Mapping[Part, ClippedLimit]:
    """Where means are asked for, or groups, one factor scales all totals of a person: what cuts one cuts them all."""
    if not plan.is_joint:
        return found
    together = [each for part, each in found.items() if isinstance(part, Measure)]
    is_sure = all(each.is_sure for each in together)
    joined = {}
    for part, finding in found.items():
        bias = finding.bias
        for other in together if isinstance(part, Measure) else ():
            bias = bias.with_part_of(other.bias)
        joined[part] = ClippedLimit(finding.norm, bias, is_sure if isinstance(part, Measure) else finding.is_sure)
    return joined
