"""The mean or the sum of vectors clipped to a ball, with ℓ₂-Laplace or Gaussian noise, whichever is smaller."""

from __future__ import annotations

from fractions import Fraction
from math import floor, isqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import Refused
from tacit.exact import Number, positive, proper, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Loss, Relation
from tacit.mechanisms.additive.euclidean_laplace import EuclideanLaplace, VectorAnswer, gamma_quantile_up
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.inputs import in_steps, vectors_of
from tacit.mechanisms.mechanism import Mechanism
from tacit.noise.ball import START_BITS, ball, precision, up
from tacit.noise.bits import Bits, Integers
from tacit.noise.grid import Grid, check_grid

_FINENESS = 1 << 24  # steps per radius, where the caller names no grid
_FINEST = 1 << 30  # the square of a clipped vector's length then fits 64 bits


@frozen
class BallMean(Mechanism[ArrayLike, VectorAnswer]):
    """Clips each person's vector to the ball of a public radius, adds them up in integers and makes the sum private.

    Claim: the release costs what `noise` costs on integer vectors that differ in ℓ₂ norm by at most R, the radius in
    whole steps, under add/remove, and by at most 2R under replace. Proof: `clip` maps each row, by itself, to an
    integer vector whose length, computed in integers, is at most R; the sum is exact. Under add/remove one such
    vector is added, under replace one is exchanged for another. Dividing by a public number of `people` is
    post-processing; under add/remove that number is private, and only sums are offered.
    """

    radius: Fraction
    relation: Relation
    grid: Grid
    noise: EuclideanLaplace | Gaussian
    people: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radius", positive(self.radius, "radius"))
        if self.people is not None:
            object.__setattr__(self, "people", whole(self.people, "people", 1))
            if self.relation is not Relation.REPLACE:
                raise Refused(
                    f"a mean under {self.relation}", "How many people there are is then private.", "a sum, or replace."
                )
        grid_of_noise = self.noise.grid if isinstance(self.noise, Gaussian) else None
        reach = _reach(self.radius, self.relation, self.grid)
        if not (self.noise.relation is self.relation and self.noise.sensitivity >= reach and grid_of_noise is None):
            raise Refused(
                "noise that was made for something else",
                "It must hide integer vectors that differ by the radius in steps (twice that under replace).",
                "for_epsilon, for_loss or best, which make it.",
            )

    @classmethod
    def for_epsilon(
        cls,
        epsilon: Number,
        radius: Number,
        relation: Relation,
        *,
        dimension: int,
        people: int | None = None,
        grid: Grid | None = None,
    ) -> BallMean:
        """The least ℓ₂-Laplace noise that is ε-private."""
        bound, steps = positive(radius, "radius"), grid or Grid.below(positive(radius, "radius") / _FINENESS)
        reach = _reach(bound, relation, steps)
        noise = EuclideanLaplace.for_epsilon(epsilon, reach, relation, dimension=dimension)
        return cls(bound, relation, steps, noise, people)

    @classmethod
    def for_loss(
        cls,
        target: Loss,
        radius: Number,
        relation: Relation,
        *,
        dimension: int,
        people: int | None = None,
        grid: Grid | None = None,
    ) -> BallMean:
        """The least Gaussian noise that costs at most `target`."""
        bound, steps = positive(radius, "radius"), grid or Grid.below(positive(radius, "radius") / _FINENESS)
        noise = Gaussian.for_loss(target, _reach(bound, relation, steps), relation, dimension=dimension)
        return cls(bound, relation, steps, noise, people)

    @classmethod
    def best(
        cls,
        target: Approx,
        radius: Number,
        relation: Relation,
        *,
        dimension: int,
        people: int | None = None,
        grid: Grid | None = None,
    ) -> BallMean:
        """Whichever of the two has the smaller expected ℓ₂ error at this (ε, δ).

        ℓ₂-Laplace has dΔ/ε and always beats Laplace noise in each coordinate, which has about √2·dΔ/ε; Gaussian has
        about √d·σ and needs δ > 0.
        """
        if not isinstance(target, Approx):
            raise Refused(f"a target of type {type(target).__name__}", "Both noises must meet it.", "an Approx(ε, δ).")
        laplace = cls.for_epsilon(target.exact_epsilon, radius, relation, dimension=dimension, people=people, grid=grid)
        if target.exact_delta == 0:
            return laplace
        gaussian = cls.for_loss(target, radius, relation, dimension=dimension, people=people, grid=grid)
        return min(laplace, gaussian, key=lambda mechanism: mechanism.expected_error())

    @property
    def dimension(self) -> int:
        return self.noise.dimension

    @property
    def loss(self) -> Loss:
        return self.noise.loss

    @property
    def unit(self) -> Fraction:
        """The size of one step of the private sum, in the unit of the answer."""
        return self.grid.step / (self.people or 1)

    def clip(self, vectors: ArrayLike) -> Integers:
        """Each row as a vector of whole steps no longer than the radius; no row is refused.

        A coordinate that is not a number counts as 0; a row that is not a vector of the stated dimension, as the zero
        vector.
        """
        rows = in_steps(vectors_of(vectors, self.dimension), self.grid)
        return clip_to_ball(rows, floor(self.radius / self.grid.step))

    def privatize(self, value: ArrayLike, bits: Bits) -> NDArray[np.float64]:
        rows = self.clip(value)
        if self.people not in (None, rows.shape[0]):
            raise Refused("a table with another number of rows", "That number is public here.", f"{self.people} rows.")
        total = rows.sum(axis=0, dtype=np.int64)
        noisy: NDArray[np.float64] = np.asarray(self.noise.privatize(total, bits), np.float64) * float(self.unit)
        return noisy

    def expected_error(self) -> float:
        """The expected ℓ₂ norm of the noise (before its rounding): d·scale, or σ√2·Γ((d+1)/2)/Γ(d/2)."""
        if isinstance(self.noise, EuclideanLaplace):
            return float(self.noise.dimension * self.noise.scale * self.unit)
        half = Fraction(self.dimension, 2)
        with precision(START_BITS):
            ratio = (ball(half + Fraction(1, 2)).lgamma() - ball(half).lgamma()).exp()
            return up((2 * ball(self.noise.variance)).sqrt() * ratio * ball(self.unit))

    def error(self, confidence: Number = "0.95") -> float:
        """The radius within which the exact sum (or mean) of the clipped vectors lies: an exact gamma or χ quantile."""
        if isinstance(self.noise, EuclideanLaplace):
            steps = Fraction(self.noise.error(confidence))
            return float(steps * self.unit)
        with precision(START_BITS):
            square = gamma_quantile_up(Fraction(self.dimension, 2), proper(confidence, "confidence"))
            reach = (2 * ball(self.noise.variance * square)).sqrt() + ball(self.dimension).sqrt() / 2
            return up(reach * ball(self.unit))

    def answer(self, private: NDArray[np.float64]) -> VectorAnswer:
        return VectorAnswer(private, self)


def _reach(radius: Fraction, relation: Relation, grid: Grid) -> Fraction:
    """The largest distance of neighbours' sums, in steps."""
    check_grid(grid)
    steps = floor(radius / grid.step)
    if not 1 <= steps <= _FINEST:
        raise Refused(
            f"a ball of {steps} steps", "Clipping is exact in 64-bit integers.", f"1 to {_FINEST} steps to the radius."
        )
    return Fraction(steps if relation is Relation.ADD_REMOVE else 2 * steps)


def clip_to_ball(rows: Integers, radius: int) -> Integers:
    """Each integer row, unchanged if its length is at most `radius`, otherwise shortened towards 0 to that length.

    Lengths are compared in integers. The shortened row is computed in floats; if it is still too long, it is shortened
    in integers.
    """
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    factors = np.where(lengths > radius, radius / np.maximum(lengths, 1.0) * (1 - 2.0**-40), 1.0)
    shortened = np.trunc(rows * factors[:, None]).astype(np.int64)
    near = lengths <= 2.0 * radius  # numbers whose squares fit 64 bits
    fits = near & ((np.where(near[:, None], rows, 0) ** 2).sum(axis=1, dtype=np.int64) <= radius**2)
    clipped = np.where(fits[:, None], rows, shortened)
    for row in np.flatnonzero((clipped**2).sum(axis=1, dtype=np.int64) > radius**2):
        exact = [int(cell) for cell in rows[row]]
        above = isqrt(sum(cell * cell for cell in exact)) + 1
        clipped[row] = [(abs(cell) * radius // above) * (1 if cell > 0 else -1) for cell in exact]
    return clipped
