"""A tally: a few whole numbers counted over the records, and noise on all of them at one price."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property, lru_cache
from math import isqrt
from typing import Any, NamedTuple

from tacit.errors import Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx
from tacit.loss.loss import Loss
from tacit.loss.relation import Relation
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.answer import Answer, cost, number, percent
from tacit.mechanisms.mechanism import Mechanism, check_relation
from tacit.noise.ball import Ball, ball, fraction_up, precision
from tacit.noise.bits import Bits
from tacit.noise.slabs import slabs


class Sensitivity(NamedTuple):
    """How far one person moves the vector of whole numbers at most: the ℓ₁ norm, and the square of the ℓ₂ norm."""

    l1: int
    l2_squared: int


@frozen
class Tally(Mechanism[Any, Answer]):
    """Independent noise on every number of a tally, the least that keeps the promise `target`.

    Claim, under `relation`: if one person moves the tally by at most `sensitivity`, all its numbers together cost
    `loss`, which keeps the target. A pure ε is met by discrete Laplace noise over the ℓ₁ norm, an (ε, δ), ρ or μ by
    rounded Gaussian noise over the ℓ₂ norm: see `Laplace` and `Gaussian`, whose claims these are. Whatever is
    computed from the noisy numbers is post-processing.
    """

    target: Loss
    relation: Relation

    def __post_init__(self) -> None:
        check_terms(self.target, self.relation)
        self.noise  # noqa: B018  (a target that no noise meets is refused here, not at the release)

    @property
    @abstractmethod
    def sensitivity(self) -> Sensitivity:
        """How far one person moves the tally, under the relation."""

    @abstractmethod
    def tally(self, records: Any) -> list[int]:
        """The exact numbers. Never published."""

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
        """What stands in brackets: the confidence, notes, the cost."""
        said = [f"{percent(confidence)} interval", *notes, f"cost {price(self.mechanism.target, self.loss)}"]
        return f"  ({'; '.join(said)})"


def price(target: Loss, loss: Loss) -> str:
    """The promise as it was made, with its ε where the promise is in another currency."""
    return str(target) if isinstance(target, Approx) else f"{target}, which is {cost(loss)}"


def check_terms(target: Loss, relation: Relation) -> None:
    """Both must be named: what the release may cost, and what change it hides."""
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
