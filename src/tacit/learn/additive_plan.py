"""A plan of training: how many steps, what share of the price each takes, and the noise that it has. Data-free."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from math import ceil, floor
from typing import Final

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.coded_rows import RESIDUAL, CodedRows
from tacit.learn.training_text import Task, Training
from tacit.loss.families.loss import Relation
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.plans.price import Price
from tacit.words import shown

WEIGHTS_SHARE: Final = Fraction(1, 30)  # of the price, for the numbers of rows by level
MOST_STEPS: Final = 64
MOST_ROWS: Final = 1_000  # that one person may count for
LEAST_CLIP: Final = Fraction(1, 2)  # of a classification: below, a half-sure class has no gradient of its own


@frozen(eq=False)
class AdditivePlan:
    """One release of numbers of rows by level, then `steps` of sums of residuals, each seeing those before.

    Claim: all together cost μ² = `price.strength`, whatever each step makes of the ones before. Proof: each is a
    Gaussian mechanism, rounded, of norm √n·most (times the clip for residuals) by `CodedRows`, twice under replace, and
    variance at least norm²/(share·μ²); so it is Gaussian differentially private with μ² times its share, adaptive
    composition adds squares up, and shares add up to 1. The number of steps is fixed before the first.
    """

    training: Training
    relation: Relation
    unit: str
    rows_each: int
    steps: int
    clip: Fraction  # of a residual, which lies between −1 and 1

    def __post_init__(self) -> None:
        if not 1 <= self.steps <= MOST_STEPS:
            raise Refused(f"{self.steps} steps", "All are paid for together.", f"1 to {MOST_STEPS} steps.")
        if not 1 <= self.rows_each <= MOST_ROWS:
            raise Refused(f"{self.rows_each} rows of one person", "Noise grows with them.", f"1 to {MOST_ROWS:,} rows.")
        least = LEAST_CLIP if self.training.target.task is Task.CLASSIFICATION else Fraction(1, RESIDUAL)
        if not least <= self.clip <= 1:
            why = "Residuals lie between -1 and 1, and smaller ones would not say which class is likelier."
            raise Refused(f"residuals cut at {shown(self.clip)}", why, f"from {shown(least)} to 1.")

    @property
    def coded(self) -> CodedRows:
        return CodedRows(self.training, self.rows_each, self.clip_steps)

    @property
    def clip_steps(self) -> int:
        """The clip in steps of a residual."""
        return floor(self.clip * RESIDUAL)

    @property
    def squared_norm(self) -> int:
        """Of what one change of the data moves weights by."""
        worlds = 2 if self.relation is Relation.REPLACE else 1
        return (worlds * self.coded.most) ** 2 * len(self.training.features)

    def weights_law(self, price: Price) -> RoundedGaussian:
        """The noise on sums of weights."""
        return RoundedGaussian(Fraction(ceil(self.squared_norm / (price.strength * WEIGHTS_SHARE))))

    def residuals_law(self, price: Price) -> RoundedGaussian:
        """The noise on sums of residuals, in each step."""
        share = (1 - WEIGHTS_SHARE) / self.steps
        return RoundedGaussian(Fraction(ceil(self.squared_norm * self.clip_steps**2 / (price.strength * share))))

    @property
    def digest(self) -> str:
        said = f"additive {self.training.digest} {self.relation} {self.unit} {self.rows_each} {self.steps} {self.clip}"
        return hashlib.sha256(said.encode()).hexdigest()
