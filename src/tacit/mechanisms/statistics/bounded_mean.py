"""The mean of values that lie within declared bounds; and `Moment`, the base of the mean and the variance."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, Self

from tacit.exact import Number, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.inputs import total
from tacit.mechanisms.statistics.bounded_sum import Bounds
from tacit.mechanisms.statistics.counts import Sensitivity, Tally, TallyAnswer, check_people, check_size, unknown_people
from tacit.mechanisms.statistics.noise_intervals import Ratio, reach
from tacit.noise.grid import Grid
from tacit.words import number


@frozen
class Moment(Tally):
    """A statistic of one value per person within declared bounds; `people` is the public n, under replace only."""

    lower: Number
    upper: Number
    people: int | None = None
    grid: Grid | None = None

    fineness: ClassVar[int]
    """The bits of a value's position between the bounds, where no grid is named."""

    def __post_init__(self) -> None:
        check_people(self.people, self.relation)
        super().__post_init__()

    @classmethod
    def for_epsilon(
        cls, epsilon: Number, relation: Relation, lower: Number, upper: Number, people: int | None = None
    ) -> Self:
        """The statistic with the least noise that is ε-private."""
        return cls(Pure(epsilon), relation, lower, upper, people)

    @cached_property
    def bounds(self) -> Bounds:
        return Bounds.of(self.lower, self.upper, self.grid, self.fineness)


@frozen
class BoundedMean(Moment):
    """The mean of one value per person, each clamped to [lower, upper] and rounded to a public grid.

    Under add/remove the number of people is private too. Two sums are released: how far the values lie above the lower
    bound, Σ(x−lower), and how far below the upper, Σ(upper−x). They determine both the mean and the number of people.
    Claim: one person adds (s, span−s) steps to them, whose ℓ₁ norm is the span for every s, and whose ℓ₂ norm is at
    most that. So both are released at the price of one sum and no budget is split (a centred sum and a count, with half
    of ε each, have twice the variance). Under replace n is public, and one sum is released, which a person moves by at
    most the span. A missing value (NaN) is left out under add/remove, and is the middle of the bounds under replace;
    infinities are clamped.
    """

    fineness = 30

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(self.bounds.span, self.bounds.span**2)

    def tally(self, records: Any) -> list[int]:
        span = self.bounds.span
        if self.people is not None:
            check_size(records, self.people)
            return [total(self.bounds.read(records, missing=span // 2))]
        steps = self.bounds.read(records, missing=None)
        return [total(steps), total(span - steps)]

    def error(self, confidence: Number = "0.95", people: int | None = None) -> float:
        """The exact quantile of the noise over n; under add/remove, for about this n, where the mean is at a bound."""
        if self.people is not None:
            return float(self.noise.error(confidence) * self.bounds.step / self.people)
        if people is None:
            raise unknown_people()
        return reach(self.noise, (1.0,), confidence) * float(self.bounds.step) / whole(people, "people", 1)

    def answer(self, parts: tuple[int, ...]) -> MeanAnswer:
        span = self.bounds.span
        if self.people is not None:
            return MeanAnswer(self.bounds.place(parts[0] / self.people), self, parts, None)
        share = Ratio(self.noise, parts, (1.0, 0.0), (1.0, 1.0), 0.0, 1.0)
        middle = 0.5 if share.value is None else share.value
        return MeanAnswer(self.bounds.place(middle * span), self, parts, share)


@frozen(eq=False)
class MeanAnswer(TallyAnswer):
    """A private mean, computed from the noisy sums; its interval may be asymmetric and is cut to the bounds."""

    mechanism: BoundedMean
    parts: tuple[int, ...]
    share: Ratio | None

    @property
    def people(self) -> float:
        """An estimate of the number of people."""
        public = self.mechanism.people
        return float(sum(self.parts) / self.mechanism.bounds.span if public is None else public)

    def is_telling(self, confidence: Number = "0.95") -> bool:
        """Whether there are certainly enough people to report a mean."""
        return self.share is None or self.share.is_telling(confidence)

    def interval(self, confidence: Number = "0.95") -> tuple[float, float]:
        bounds = self.mechanism.bounds
        if self.share is not None:
            low, high = (end * bounds.span for end in self.share.interval(confidence))
        else:
            half = int(self.mechanism.noise.error(confidence))
            low, high = ((self.parts[0] + off) / self.people for off in (-half, half))
        return bounds.place(low - 0.5), bounds.place(high + 0.5)

    def error(self, confidence: Number = "0.95") -> float:
        low, high = self.interval(confidence)
        return (high - low) / 2

    def describe(self, confidence: Number = "0.95") -> str:
        low, high = self.interval(confidence)
        size = max(0, round(self.people))
        half = (high - low) / 2
        ends = f"between {number(low, half)} and {number(high, half)}"
        if not self.is_telling(confidence):
            return f"too few people to say; {ends}{self.terms(confidence, f'about {size:,} people')}"
        counted = f"{size:,} people" if self.mechanism.people is not None else f"about {size:,} people"
        return f"{number(self.value, half)}, {ends}{self.terms(confidence, counted)}"
