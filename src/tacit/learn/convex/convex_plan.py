"""A plan of convex training: the loss, which of the three ways, and the noise of each part of the price. Data-free."""

from __future__ import annotations

import hashlib
from enum import Enum
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Final

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.coded_rows import RESIDUAL
from tacit.learn.convex.design import MOST_NUMBERS
from tacit.learn.convex.gradient_steps import GradientSums
from tacit.learn.convex.losses import LossKind
from tacit.learn.convex.number_scores import longest
from tacit.learn.convex.row_matrix import RowReading
from tacit.learn.number_columns import NUMBER_STEPS
from tacit.learn.training_text import Task, Training
from tacit.loss.families.loss import Relation
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.plans.price import Price
from tacit.query.sql.rows import Ownership
from tacit.words import shown

MOST_CLASSES: Final = 16
WEIGHTS_SHARE: Final = Fraction(1, 30)  # of the price of descent, for the numbers of rows by level
_MOST_STEPS: Final = 200
_MOST_READ: Final = 1_024  # rows of one person
_MOST_ROWS_EACH: Final = 1_000
_RIDGES: Final = (2.0**-4, 2.0**40)


class Way(Enum):
    """Where the noise is: on the minimiser, in the objective, or on each gradient."""

    OUTPUT = "output"
    OBJECTIVE = "objective"
    GRADIENT = "gradient"


@frozen(eq=False)
class ConvexPlan:
    """What is trained, and how.

    Claim: the stages of each way cost μ² = `price.strength` together. Proof: output perturbation is a noisy number of
    people and noisy coefficients, whose shares add up to 1; objective perturbation is `ObjectiveNoise`; descent is
    noisy weights and `steps` noisy sums, each a Gaussian mechanism of variance at least norm²/(share·μ²), twice the
    norm under replace. Adaptive composition adds squares up, and the number of steps is fixed before the first.
    """

    training: Training
    loss: LossKind
    way: Way
    relation: Relation
    unit: str
    rows_each: int
    steps: int
    clip: Fraction
    ridge: float | None  # None: chosen by the way
    norm: Fraction = Fraction(0)  # where rows of numbers are cut: 0 where there are none

    def __post_init__(self) -> None:
        asked = f"{self.loss.value} by {self.way.value}"
        if self.training.target.task is not Task.CLASSIFICATION:
            raise Refused(f"{asked} of a number", "It tells classes.", "a target with few declared values.")
        if self.way is Way.OBJECTIVE and not self.loss.is_monotone:
            why = "Its price is proven where a row pulls in one direction, which rows of several classes do not."
            raise Refused(asked, why, "output or gradient; logistic and hinge by objective.")
        if self.way is Way.OBJECTIVE and (self.rows_each != 1 or self.ridge is not None):
            why = "Each person is one example, and the ridge follows from the price."
            raise Refused(f"{asked} with rows or a ridge of your own", why, "neither of the two.")
        if self.way is not Way.GRADIENT and self.clip != 1:
            raise Refused(f"{asked} with a clip", "Its loss bounds gradients already.", "--by gradient, or no clip.")
        if not 1 <= self.steps <= _MOST_STEPS:
            raise Refused(f"{self.steps} steps", "All are paid for together.", f"1 to {_MOST_STEPS} steps.")
        if not 1 <= self.rows_each <= _MOST_ROWS_EACH:
            raise Refused(f"{self.rows_each} rows of one person", "Noise grows with them.", "1 to 1,000 rows.")
        if not Fraction(1, 2) <= self.clip <= 1:
            raise Refused(f"residuals cut at {shown(self.clip)}", "Smaller ones would not tell classes.", "0.5 to 1.")
        if self.ridge is not None and not _RIDGES[0] <= self.ridge <= _RIDGES[1]:
            raise Refused(f"a ridge of {self.ridge:g}", "Coefficients need one.", "from 1/16 on; more with fewer rows.")
        if self.way is not Way.GRADIENT and not self.numbers <= MOST_NUMBERS:
            why = "Their second derivatives would have its square."
            raise Refused(
                f"{self.numbers:,} coefficients",
                why,
                f"at most {MOST_NUMBERS:,}: fewer columns, or --by gradient.",
            )

    @property
    def classes(self) -> int:
        return len(self.training.target.values or ())

    @property
    def levels(self) -> int:
        """Of all features."""
        return sum(feature.levels for feature in self.training.features)

    @property
    def shape(self) -> tuple[int, int]:
        """Levels of all features and columns of numbers, and scores of an example."""
        return self.levels + len(self.training.numbers), self.loss.scores(self.classes)

    @property
    def longest(self) -> int:
        """Σx² of a row's numbers, at most, in steps."""
        return longest(self.norm)

    @property
    def length_squared(self) -> Fraction:
        """Of a whole row, at most: 1 for each feature, and the square of the norm."""
        return len(self.training.features) + self.norm**2

    @property
    def numbers(self) -> int:
        levels, scores = self.shape
        return levels * scores

    @property
    def is_weighted(self) -> bool:
        """Whether a person may have several rows."""
        return self.training.rows.ownership is Ownership.MANY

    @property
    def reading(self) -> RowReading:
        """What is read: of a person with very many rows a part, so that nobody decides whether rows fit memory."""
        return RowReading(self.training, _MOST_READ)

    @cached_property
    def sums(self) -> GradientSums:
        return GradientSums(self.loss, self.classes, floor(self.clip * RESIDUAL), self.rows_each)

    def weights_law(self, price: Price) -> RoundedGaussian:
        """The noise on weights by level, where the way is descent."""
        squared = self._most_squared * len(self.training.features)
        return RoundedGaussian(Fraction(ceil(squared / (price.strength * WEIGHTS_SHARE))))

    def residuals_law(self, price: Price) -> RoundedGaussian:
        """The noise on sums of residuals, in each step."""
        share = (1 - WEIGHTS_SHARE) / self.steps
        squared = self._most_squared * self.length_squared * self.residual_unit**2 * self.sums.residual_squared
        return RoundedGaussian(Fraction(ceil(squared / (price.strength * share))))

    @property
    def residual_unit(self) -> int:
        """Steps of a residual of a level, where numbers have steps of their own."""
        return NUMBER_STEPS if self.training.numbers else 1

    @property
    def _most_squared(self) -> int:
        worlds = 2 if self.relation is Relation.REPLACE else 1
        return (worlds * self.sums.most) ** 2

    @property
    def digest(self) -> str:
        own = f"{self.loss.value} {self.way.value} {self.rows_each} {self.steps} {self.clip} {self.ridge}"
        if self.training.numbers:
            own += f" {self.norm}"
        return hashlib.sha256(f"{own} {self.training.digest} {self.relation} {self.unit}".encode()).hexdigest()
