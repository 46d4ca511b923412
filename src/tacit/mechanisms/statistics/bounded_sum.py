"""The sum of values that lie within declared bounds."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any

from tacit.exact import Number
from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.loss.relation import Relation
from tacit.mechanisms.statistics.bounds import Bounds
from tacit.mechanisms.statistics.records import column, total
from tacit.mechanisms.statistics.tally import Sensitivity, Tally, TallyAnswer
from tacit.noise.bits import Bits
from tacit.noise.grid import Grid

_BITS = 30  # a value is rounded by less than a billionth of the bounds


@frozen
class BoundedSum(Tally):
    """Adds up one value a person, each clamped to [lower, upper] and rounded to a public grid.

    Claim: in whole steps, a person who joins or leaves moves the sum by max(|lower|, |upper|), one who changes by
    upper − lower. Sums are of integers, so neither order nor threads can change them. A missing value (NaN) adds
    nothing under add/remove; under replace, where everybody counts, it is the value within the bounds nearest to zero,
    so that it lies within the bounds and the sensitivity stands. Infinities are clamped.
    """

    lower: Number
    upper: Number
    grid: Grid | None = None

    @classmethod
    def for_epsilon(cls, epsilon: Number, relation: Relation, lower: Number, upper: Number) -> BoundedSum:
        """The sum with the least noise that is ε-private."""
        return cls(Pure(epsilon), relation, lower, upper)

    @cached_property
    def bounds(self) -> Bounds:
        from_zero = self.relation is Relation.ADD_REMOVE
        return Bounds.of(self.lower, self.upper, self.grid, _BITS, from_zero=from_zero)

    @property
    def sensitivity(self) -> Sensitivity:
        steps = self.bounds.span
        if self.relation is Relation.ADD_REMOVE:
            steps = max(abs(self.bounds.low), abs(self.bounds.low + self.bounds.span))
        return Sensitivity(steps, steps**2)

    def tally(self, records: Any) -> list[int]:
        """The sum in steps: from zero under add/remove; above the lower bound under replace, where n is public."""
        if self.relation is Relation.REPLACE:
            nearest_zero = min(max(-self.bounds.low, 0), self.bounds.span)
            return [total(self.bounds.read(records, missing=nearest_zero))]
        steps = self.bounds.read(records, missing=None)
        return [total(steps) + self.bounds.low * steps.size]

    def privatize(self, value: Any, bits: Bits) -> float:
        (noisy,) = super().privatize(value, bits)
        offset = self.bounds.low * len(column(value)) if self.relation is Relation.REPLACE else 0
        return float((noisy + offset) * self.bounds.step)

    def error(self, confidence: Number = "0.95") -> float:
        """The exact quantile of the noise."""
        return float(Fraction(self.noise.error(confidence)) * self.bounds.step)

    def answer(self, parts: float) -> TallyAnswer:
        return TallyAnswer(parts, self)
