"""A mean from local reports: a number in [−1, 1] becomes one of a few report values, without bias."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import Refused
from tacit.exact import Number, exact, positive, whole
from tacit.frozen import frozen
from tacit.local.means.mean_estimate import MeanEstimate
from tacit.local.randomizers.randomizer import WeightTable, below, odds_within
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.noise.ball import ball
from tacit.noise.bits import ENTROPY, Bits, Integers, Rehearsal
from tacit.noise.uniform import UniformReal

_CHUNK = 1 << 16  # number of values drawn at once, so that tables stay small


@frozen
class MeanResponse:
    """Rounds a number in [−1, 1] to the grid −1, …, −1/steps, 0, 1/steps, …, 1 by a coin, and reports by a table.

    Claim, for the replacement of one respondent's number by any other: the report is ε-private. Proof: two weights of
    one column of the table have ratio at most odds_within(ε) ≤ e^ε, checked in whole numbers when the response is made,
    and a mixture of rows keeps within that ratio. So the claim does not depend on the rounding coin.

    Claim: the report's value outputs[r]/per_unit has the number itself as its mean. Proof: each row's mean is its grid
    point, checked likewise, and the coin's mean is the number. A number beyond [−1, 1] counts as the nearest end.
    """

    epsilon: Fraction
    steps: int
    per_unit: int
    outputs: tuple[int, ...]
    table: WeightTable

    relation = Relation.REPLACE

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        steps, unit = whole(self.steps, "steps", 1), whole(self.per_unit, "per_unit", 1)
        weights, total, odds = self.table.weights, self.table.total, odds_within(self.epsilon)
        fits = steps & (steps - 1) == 0 and len(weights) == 2 * steps + 1
        if not (fits and all(len(row) == len(self.outputs) and sum(row) == total for row in weights)):
            raise Refused(
                "a table for a mean",
                "Its rows are not those of the grid, or do not add up to one total.",
                "2·steps + 1 rows, steps a power of two, one weight for each output.",
            )
        if not all(0 < max(column) <= odds * min(column) for column in zip(*weights, strict=True)):
            raise Refused("a table for a mean", "Two weights of a report differ by more than e^ε.", "a smaller ratio.")
        means = (sum(out * weight for out, weight in zip(self.outputs, row, strict=True)) for row in weights)
        if not all(mean * steps == place * unit * total for place, mean in enumerate(means, -steps)):
            raise Refused("a table for a mean", "A row's mean is not its grid point.", "rows without bias.")

    @property
    def loss(self) -> Pure:
        """The loss of one report."""
        return Pure(self.epsilon)

    @property
    def reach(self) -> Fraction:
        """The largest value of a report."""
        return Fraction(max(map(abs, self.outputs)), self.per_unit)

    @cached_property
    def squares(self) -> tuple[Fraction, ...]:
        """The mean square of the report's value at each grid point."""
        scale = self.table.total * self.per_unit**2
        return tuple(
            Fraction(sum(out * out * weight for out, weight in zip(self.outputs, row, strict=True)), scale)
            for row in self.table.weights
        )

    def variance(self, value: Number) -> Fraction:
        """The variance of one report of this number: between grid points the mean square is a straight line."""
        at = max(Fraction(-1), min(Fraction(1), exact(value, "value")))
        place = min(int((at + 1) * self.steps), 2 * self.steps - 1)
        share = (at + 1) * self.steps - place
        return (1 - share) * self.squares[place] + share * self.squares[place + 1] - at**2

    @cached_property
    def worst_variance(self) -> Fraction:
        """The largest variance of one report, over all numbers in [−1, 1].

        Between grid points it is a line of slope m less x², and so largest at m/2 or at an end.
        """
        worst = max(self.variance(Fraction(place, self.steps)) for place in range(-self.steps, self.steps + 1))
        for place, (left, right) in enumerate(zip(self.squares, self.squares[1:], strict=False), -self.steps):
            peak = (right - left) * self.steps / 2
            if place < peak * self.steps < place + 1:
                worst = max(worst, self.variance(peak))
        return worst

    @overload
    def report(self, value: Number) -> int: ...

    @overload
    def report(self, value: Sequence[float] | NDArray[Any]) -> Integers: ...

    def report(self, value: Number | Sequence[float] | NDArray[Any]) -> int | Integers:
        """The report of a person with this number, or of each of many people, from the operating system's entropy.

        There is no seed.
        """
        if isinstance(value, list | tuple | np.ndarray) and np.ndim(value):
            return self._draw_many(value, ENTROPY)
        return self._draw(cast(Number, value), ENTROPY)

    def rehearse(self, values: ArrayLike, bits: Rehearsal) -> Integers:
        """A report for each of many numbers on seeded bits, for tests and simulations: not private."""
        if not isinstance(bits, Rehearsal):
            raise Refused(
                f"a rehearsal on {type(bits).__name__}",
                "A rehearsal is repeatable and must not look like a release.",
                "a Rehearsal source such as Seeded(1); or report(value), which takes no source.",
            )
        return self._draw_many(values, bits)

    def _draw_many(self, values: ArrayLike, bits: Bits) -> Integers:
        try:
            array = np.asarray(values, np.float64).ravel()
        except (TypeError, ValueError):
            array = np.empty(0)
        if not (array.size and bool(np.all(np.isfinite(array)))):
            raise Refused("values that are none, or not all numbers", "They have no report.", "finite numbers.")
        chunks = [array[start : start + _CHUNK] for start in range(0, array.size, _CHUNK)]
        return np.concatenate([self.table.draw_many(self._places(each, bits), bits) for each in chunks])

    def estimate(self, reports: ArrayLike) -> MeanEstimate:
        """The mean of the respondents' numbers, and of the population they were drawn from, without bias."""
        array = np.asarray(reports)
        if not (array.size and array.dtype.kind in "iu" and array.min() >= 0 and array.max() < len(self.outputs)):
            raise Refused("an estimate", "There is no report, or one that is none.", "reports of this response.")
        return MeanEstimate(
            tuple(int(count) for count in np.bincount(array.ravel(), minlength=len(self.outputs))), self
        )

    def _draw(self, value: Number, bits: Bits) -> int:
        try:
            at = max(Fraction(-1), min(Fraction(1), exact(value, "value")))
        except Refused:
            raise Refused("a value that is no number", "It has no report.", "a finite number.") from None
        place, share = divmod((at + 1) * self.steps, 1)
        onward = below(share.denominator, bits) < share.numerator
        return self.table.draw(place + onward, bits)

    def _places(self, values: NDArray[np.float64], bits: Bits) -> Integers:
        """Grid points, rounded away from 0 with the probability that preserves the mean.

        With a power of two for the steps, the product and both its parts are floats without error.
        """
        share, inner = np.modf(np.abs(np.clip(values, -1, 1)) * self.steps)
        words, scaled = bits.words(values.size), share * 2.0**64
        tops = np.floor(scaled).astype(np.uint64)
        outward = words < tops
        for tie in np.flatnonzero((words == tops) & (np.floor(scaled) < scaled)):
            bias = Fraction(float(share[tie]))
            outward[tie] = UniformReal(bits, int(words[tie]), 64).is_below(partial(ball, bias))
        away: Integers = inner.astype(np.int64) + outward
        return np.where(values < 0, self.steps - away, self.steps + away)
