"""Gaussian mechanisms, rounded and discrete: the cost depends on the ℓ₂ sensitivity.

The rounded Gaussian gives approximate privacy for values of bounded ℓ₂ sensitivity. The discrete Gaussian gives
concentrated privacy with integer noise of least variance.
"""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from functools import cached_property

from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.loss.calibration import discrete_gaussian_variance, gaussian_variance
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.additive.additive_mechanism import Additive
from tacit.noise import gaussian_law as noise
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.grid import Grid


@frozen
class Spherical(Additive):
    """Gaussian-like noise: `sensitivity` is an ℓ₂ bound."""

    @property
    def reach_squared(self) -> Fraction:
        """The squared ℓ₂ sensitivity, in the value's own unit, after rounding to the grid."""
        if self.grid is None:
            return self.sensitivity**2
        return (self.grid.l2_steps_up(self.sensitivity, self.dimension) * self.step) ** 2


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


@frozen
class DiscreteGaussian(Spherical):
    """Adds discrete Gaussian noise, with mass ∝ e^{−x²/2σ²} on the steps, to each coordinate.

    Claim: if neighbours' values differ by at most `sensitivity` in ℓ₂ norm, the release is ρ-zCDP with
    ρ = (sensitivity in steps · step)² / 2σ² (Canonne, Kamath and Steinke 2020, coordinate by coordinate and summed).
    It is *not* (Δ/σ)-Gaussian-private: no claim goes beyond ρ.
    """

    sigma_squared: Fraction = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "sigma_squared", positive(self.sigma_squared, "sigma_squared"))

    @classmethod
    def for_loss(
        cls, target: Zcdp, sensitivity: Number, relation: Relation, *, grid: Grid | None = None, dimension: int = 1
    ) -> DiscreteGaussian:
        """The least noise that is ρ-zCDP: σ² = Δ²/2ρ."""
        bound = positive(sensitivity, "sensitivity")
        trial = cls(bound, relation, grid, dimension, sigma_squared=Fraction(1))
        variance = trial.reach_squared * discrete_gaussian_variance(target)
        return cls(bound, relation, grid, dimension, sigma_squared=variance)

    @cached_property
    def law(self) -> noise.DiscreteGaussianLaw:
        return noise.DiscreteGaussianLaw(self.sigma_squared / self.step**2)

    @cached_property
    def loss(self) -> Zcdp:
        return Zcdp(self.reach_squared / (2 * self.sigma_squared))
