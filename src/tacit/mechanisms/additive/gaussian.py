"""The Gaussian mechanism by rounding: approximate privacy for values of bounded ℓ₂ sensitivity."""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from functools import cached_property

from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.loss.calibrate import gaussian_variance
from tacit.loss.families.gdp import Gdp
from tacit.loss.loss import Loss
from tacit.loss.relation import Relation
from tacit.mechanisms.additive.spherical import Spherical
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.grid import Grid


@frozen
class Gaussian(Spherical):
    """Adds round(N(0, σ²)), in steps, to each coordinate.

    Claim: if neighbours' values differ by at most `sensitivity` in ℓ₂ norm, the release is μ-Gaussian-private with
    μ = sensitivity in steps · step / σ, hence (ε, δ)-private on the exact curve of Balle and Wang (2018) at every ε.
    Proof: the value is a whole number of steps, so value + round(noise) = round(value + noise), which is
    post-processing of the real Gaussian mechanism.
    """

    variance: Fraction = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "variance", positive(self.variance, "variance"))

    @classmethod
    def for_loss(
        cls, target: Loss, sensitivity: Number, relation: Relation, *, grid: Grid | None = None, dimension: int = 1
    ) -> Gaussian:
        """The least noise that costs at most `target`: an Approx (by the exact curve, for any ε), Zcdp or Gdp."""
        bound = positive(sensitivity, "sensitivity")
        trial = cls(bound, relation, grid, dimension, variance=Fraction(1))
        variance = trial.reach_squared * gaussian_variance(target)
        return cls(bound, relation, grid, dimension, variance=variance)

    @cached_property
    def law(self) -> RoundedGaussian:
        return RoundedGaussian(self.variance / self.step**2)

    @cached_property
    def loss(self) -> Gdp:
        return Gdp(self.reach_squared / self.variance)
