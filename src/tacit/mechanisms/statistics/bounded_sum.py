"""The sum of values that lie within declared bounds.

Every value is clamped to the declared bounds of its column, then rounded to a public grid.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np

from tacit.errors import Refused
from tacit.exact import Number, exact
from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.inputs import column, reals, total
from tacit.mechanisms.statistics.counts import Sensitivity, Tally, TallyAnswer
from tacit.noise.bits import Bits, Integers
from tacit.noise.grid import Grid, check_grid

_BITS = 30  # rounding changes a value by less than a billionth of the bounds


@frozen
class BoundedSum(Tally):
    """Adds up one value per person, each clamped to [lower, upper] and rounded to a public grid.

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


_MOST_STEPS: Final = 1 << 40


@frozen
class Bounds:
    """Values lie between `lower` and `upper`, which are public: never found in the data.

    Clamping and rounding are monotone functions of one value, so each person's integer is within 0 … `span`. The
    sensitivity depends on nothing else.
    """

    lower: Fraction
    upper: Fraction
    grid: Grid

    @classmethod
    def of(cls, lower: Number, upper: Number, grid: Grid | None, bits: int, *, from_zero: bool = False) -> Bounds:
        """The bounds on the grid as given, or on one of 2^-bits of their distance (or of the one farther from zero)."""
        low, high = exact(lower, "lower"), exact(upper, "upper")
        if not low < high:
            raise Refused(f"values between {low} and {high}", "No value lies between them.", "lower < upper.")
        size = max(abs(low), abs(high)) if from_zero else high - low
        chosen = Grid.below(size / (1 << bits)) if grid is None else grid
        check_grid(chosen)
        bounds = cls(low, high, chosen)
        if not 1 <= bounds.span <= _MOST_STEPS:
            raise Refused(
                f"{bounds.span} grid steps from {low} to {high}",
                "The grid is too coarse or too fine for these bounds.",
                "a grid whose step divides them into 1 … 2^40; or none, and one is chosen.",
            )
        return bounds

    @property
    def step(self) -> Fraction:
        return self.grid.step

    @property
    def low(self) -> int:
        """The lower bound in steps from zero."""
        return _nearest(self.lower / self.step)

    @property
    def span(self) -> int:
        """The steps between the bounds."""
        return _nearest(self.upper / self.step) - self.low

    def read(self, records: Any, missing: int | None) -> Integers:
        """Each value as its steps above the lower bound, 0 … span; NaN is left out, or counts as `missing`."""
        values = reals(records)
        absent = np.isnan(values)
        if missing is None:
            values = values[~absent]
        values = np.clip(values, float(self.lower), float(self.upper))
        scaled = np.ldexp(values, -self.grid.exponent) - float(self.low)
        found = np.clip(np.floor(scaled + 0.5), 0, self.span)
        return np.where(np.isnan(found), missing or 0, found).astype(np.int64)

    def place(self, steps: float) -> float:
        """The real number this many steps above the lower bound, within the declared bounds."""
        found = float((self.low + Fraction(steps)) * self.step)
        return min(max(found, float(self.lower)), float(self.upper))


def _nearest(steps: Fraction) -> int:
    return int((2 * steps + 1) // 2)
