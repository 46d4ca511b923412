"""Counts with noise: several whole numbers counted over the records, at one price.

`Tally` is the base of every statistic of this package. `Count` is the number of people, or of those with some property.
The number of people is public under replace only.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property, lru_cache
from math import isqrt
from typing import Any, NamedTuple

from tacit.errors import Refused
from tacit.exact import Number, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss, Relation
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.inputs import column, present
from tacit.mechanisms.mechanism import Answer, Mechanism, check_relation, cost, percent
from tacit.noise.ball import Ball, ball, fraction_up, precision
from tacit.noise.bits import Bits
from tacit.noise.slabs import slabs
from tacit.words import number


class Sensitivity(NamedTuple):
    """The sensitivity of the vector of whole numbers: the ℓ₁ norm, and the square of the ℓ₂ norm."""

    l1: int
    l2_squared: int


@frozen
class Tally(Mechanism[Any, Answer]):
    """Independent noise on every number of a tally, the least that keeps the promise `target`.

    Claim, under `relation`: if one person moves the tally by at most `sensitivity`, all its numbers together cost
    `loss`, which keeps the target. A pure ε is met by discrete Laplace noise over the ℓ₁ norm, an (ε, δ), ρ or μ by
    rounded Gaussian noise over the ℓ₂ norm: see `Laplace` and `Gaussian`, whose claims these are. All computation on
    the noisy numbers is post-processing.
    """

    target: Loss
    relation: Relation

    def __post_init__(self) -> None:
        check_terms(self.target, self.relation)
        self.noise  # noqa: B018  (refuse here, not at the release, a target that no noise meets)

    @property
    @abstractmethod
    def sensitivity(self) -> Sensitivity:
        """The sensitivity of the tally, under the relation."""

    @abstractmethod
    def tally(self, records: Any) -> list[int]:
        """The exact numbers, which are never published."""

    @cached_property
    def noise(self) -> Laplace | Gaussian:
        return calibrated(self.target, self.sensitivity, self.relation)

    @property
    def loss(self) -> Loss:
        return self.noise.loss

    def privatize(self, value: Any, bits: Bits) -> Any:
        """The noisy numbers, from which `answer` computes. They are Python integers: nothing overflows or saturates."""
        numbers = self.tally(value)
        draws = slabs(self.noise.law).draw(len(numbers), bits)
        return tuple(true + int(draw) for true, draw in zip(numbers, draws, strict=True))

    def probability(self, records: Any, output: Sequence[int]) -> Ball:
        """The exact probability that the noisy numbers are `output`."""
        chance = ball(1)
        for true, noisy in zip(self.tally(records), output, strict=True):
            chance *= self.noise.law.mass(noisy - true)
        return chance


@frozen(eq=False)
class TallyAnswer(Answer):
    """An answer that names the promise it was calibrated to."""

    mechanism: Tally

    def describe(self, confidence: Number = "0.95") -> str:
        half = self.error(confidence)
        return f"{number(self.value, half)} ± {number(half, half)}{self.terms(confidence)}"

    def terms(self, confidence: Number, *notes: str) -> str:
        """The text in brackets: confidence, notes, cost."""
        said = [f"{percent(confidence)} interval", *notes, f"cost {price(self.mechanism.target, self.loss)}"]
        return f"  ({'; '.join(said)})"


def price(target: Loss, loss: Loss) -> str:
    """The promise as it was made, with its ε where the promise is in another currency."""
    return str(target) if isinstance(target, Approx) else f"{target}, which is {cost(loss)}"


def check_terms(target: Loss, relation: Relation) -> None:
    """Refuse a missing target or relation."""
    if not isinstance(target, Loss):
        raise Refused(f"a target of type {type(target).__name__}", "It is not a loss.", "Pure(1), Approx(1, 1e-6), …")
    check_relation(relation)


@lru_cache(maxsize=256)
def calibrated(target: Loss, sensitivity: Sensitivity, relation: Relation) -> Laplace | Gaussian:
    """The least noise on whole numbers that keeps the target: Laplace for a pure ε, Gaussian for all else."""
    if isinstance(target, Approx) and target.exact_delta == 0:
        return Laplace.for_epsilon(target.exact_epsilon, sensitivity.l1, relation)
    root = isqrt(sensitivity.l2_squared)
    if root**2 == sensitivity.l2_squared:
        return Gaussian.for_loss(target, root, relation)
    with precision(256):
        return Gaussian.for_loss(target, fraction_up(ball(sensitivity.l2_squared).sqrt()), relation)


@frozen
class Count(Tally):
    """Counts the records that are neither missing (None, NaN) nor False, one record per person.

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
    """A noisy count. It is unbiased, so it can be negative; its interval cannot."""

    def interval(self, confidence: Number = "0.95") -> tuple[int, int]:
        low, high = super().interval(confidence)
        return max(0, low), max(0, high)

    def describe(self, confidence: Number = "0.95") -> str:
        low, high = self.interval(confidence)
        if low > 0:
            return f"{self.value:,} ± {self.error(confidence):,}{self.terms(confidence)}"
        return f"{self.value:,}, so between {low:,} and {high:,}{self.terms(confidence)}"


def check_people(people: int | None, relation: Relation) -> None:
    """Under replace n must be given; under add/remove it is private and must not be given."""
    if relation is Relation.REPLACE and people is None:
        raise Refused(
            "an answer under replace without the number of people",
            "There their number is public, and the answer divides by it.",
            "people=n, the number of records.",
        )
    if relation is Relation.ADD_REMOVE and people is not None:
        raise Refused(
            "a number of people under add/remove",
            "There their number is private: it must not be known beforehand.",
            "no `people`; or Relation.REPLACE, if the number of records is public.",
        )
    if people is not None:
        whole(people, "people", 1)


def check_size(records: Any, people: int) -> None:
    """Under replace the number of records is public, and must be what was declared."""
    if len(column(records)) != people:
        raise Refused("another number of records than `people`", "It is public under replace.", f"{people} records.")


def unknown_people() -> Refused:
    """The refusal to state an error in advance where n is private."""
    return Refused(
        "the error over an unknown number of people",
        "It falls as their number grows, and that is private.",
        "error(confidence, people=about how many you expect), or the interval of the answer.",
    )
