"""The Laplace mechanism on integers or a grid: pure privacy for values of bounded ℓ₁ sensitivity."""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from functools import cached_property

from tacit.exact import Number, positive, whole
from tacit.frozen import frozen
from tacit.loss.pairs.discrete_laplace_pair import DiscreteLaplacePair
from tacit.loss.relation import Relation
from tacit.mechanisms.additive.additive import Additive
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.grid import Grid, whole_steps_down

_FINENESS = 1024  # grid steps to a scale, where the caller names no grid


@frozen
class Laplace(Additive):
    """Adds discrete Laplace noise of the given scale to each coordinate.

    Claim: if neighbours' values differ by at most `sensitivity` in ℓ₁ norm, the release costs what discrete Laplace
    noise shifted by that many whole steps costs; in particular it is (sensitivity in steps · step / scale)-private,
    with δ = 0. Proof: the privacy loss at y is Σ(|y_j−x′_j| − |y_j−x_j|)·step/scale ≤ ‖x−x′‖₁·step/scale; and
    the noise is log-concave, so moving one coordinate after the other is no worse than moving one by the whole
    distance (see `DiscreteLaplacePair`). The law of the noise is exact, and rounding only counts in.
    """

    scale: Fraction = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "scale", positive(self.scale, "scale"))

    @classmethod
    def for_epsilon(
        cls, epsilon: Number, sensitivity: Number, relation: Relation, *, grid: Grid | None = None, dimension: int = 1
    ) -> Laplace:
        """The least noise that is ε-private: scale = sensitivity in steps / ε."""
        budget, bound = positive(epsilon, "epsilon"), positive(sensitivity, "sensitivity")
        trial = cls(bound, relation, grid, dimension, scale=bound / budget)
        return cls(bound, relation, grid, dimension, scale=trial.shift * trial.step / budget)

    @classmethod
    def for_reals(cls, epsilon: Number, sensitivity: Number, relation: Relation, *, dimension: int = 1) -> Laplace:
        """The same for real values, on a grid fine enough that rounding does not matter."""
        share = positive(sensitivity, "sensitivity") / whole(dimension, "dimension", 1)
        grid = Grid.below(min(share / positive(epsilon, "epsilon") / _FINENESS, share))
        return cls.for_epsilon(epsilon, sensitivity, relation, grid=grid, dimension=dimension)

    @property
    def shift(self) -> int:
        """The ℓ₁ sensitivity in whole steps."""
        if self.grid is None:
            return whole_steps_down(self.sensitivity)
        return self.grid.l1_steps_up(self.sensitivity, self.dimension)

    @cached_property
    def law(self) -> DiscreteLaplace:
        return DiscreteLaplace(self.scale / self.step)

    @cached_property
    def loss(self) -> DiscreteLaplacePair:
        return DiscreteLaplacePair(self.step / self.scale, self.shift)
