"""The discrete Gaussian mechanism: concentrated privacy with integer noise of least variance."""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from functools import cached_property

from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.loss.calibrate import discrete_gaussian_variance
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.relation import Relation
from tacit.mechanisms.additive.spherical import Spherical
from tacit.noise import gaussian_law as noise
from tacit.noise.grid import Grid


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
