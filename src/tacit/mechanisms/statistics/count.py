"""How many people there are, or how many of them something is true of."""

from __future__ import annotations

from typing import Any

from tacit.exact import Number
from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.loss.relation import Relation
from tacit.mechanisms.statistics.records import present
from tacit.mechanisms.statistics.tally import Sensitivity, Tally, TallyAnswer


@frozen
class Count(Tally):
    """Counts the records that are neither missing (None, NaN) nor False, one record a person.

    Claim: one person's record counts 0 or 1, so adding, removing or replacing it moves the count by at most 1: the
    sensitivity is 1 under both relations, and the noise is that of a whole number which moves by 1.
    """

    @classmethod
    def for_epsilon(cls, epsilon: Number, relation: Relation) -> Count:
        """The count with the least noise that is ε-private."""
        return cls(Pure(epsilon), relation)

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(1, 1)

    def tally(self, records: Any) -> list[int]:
        return [present(records)]

    def error(self, confidence: Number = "0.95") -> int:
        """The exact quantile of the noise."""
        return int(self.noise.error(confidence))

    def answer(self, parts: tuple[int]) -> CountAnswer:
        return CountAnswer(parts[0], self)


@frozen(eq=False)
class CountAnswer(TallyAnswer):
    """A noisy count. It is left unbiased, so it can be negative; its interval is not."""

    def interval(self, confidence: Number = "0.95") -> tuple[int, int]:
        low, high = super().interval(confidence)
        return max(0, low), max(0, high)

    def describe(self, confidence: Number = "0.95") -> str:
        low, high = self.interval(confidence)
        if low > 0:
            return f"{self.value:,} ± {self.error(confidence):,}{self.terms(confidence)}"
        return f"{self.value:,}, so between {low:,} and {high:,}{self.terms(confidence)}"
