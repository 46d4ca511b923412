"""The ℓ₂-Laplace mechanism (the K-norm mechanism of the Euclidean ball): pure privacy for vectors of bounded length.

Its answer is a private vector, with its distance from the true one.
"""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, positive, proper, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.loss.interpretation import cost
from tacit.mechanisms.inputs import in_steps
from tacit.mechanisms.mechanism import Answer, Mechanism, percent
from tacit.noise.ball import START_BITS, Ball, ball, first_true, less, precision, up
from tacit.noise.bits import Bits, Integers
from tacit.noise.grid import saturated
from tacit.noise.real_noise import euclidean_laplace_noise


class VectorAnswer(Answer):
    """A private vector: the error is its distance from the true one. `interval` is the box around that ball."""

    def describe(self, confidence: Number = "0.95") -> str:
        cells = ", ".join(f"{cell:,.6g}" for cell in self.value)
        sure = f"({percent(confidence)} sure; cost {cost(self.loss)})"
        return f"({cells}) within {self.error(confidence):,.4g} in length  {sure}"


_FINENESS = 1 << 20  # precision of quantiles, as a share of the scale


@frozen
class EuclideanLaplace(Mechanism[ArrayLike, VectorAnswer]):
    """Adds noise with density ∝ e^{−‖x‖₂/scale} to a vector of integers, and rounds it to integers.

    Claim: if neighbours' vectors differ by at most `sensitivity` in ℓ₂ norm, the release is
    (sensitivity/scale)-private with δ = 0 (Hardt and Talwar 2010, for the Euclidean ball). Proof: by the triangle
    inequality the density's logarithm changes by at most ‖v−v′‖₂/scale. The noise is a real vector, drawn exactly (a
    gamma radius in a uniform direction), and the released integers are the exact rounding of the exact sum:
    post-processing.
    """

    sensitivity: Fraction
    relation: Relation
    dimension: int
    scale: Fraction = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "sensitivity", positive(self.sensitivity, "sensitivity"))
        object.__setattr__(self, "dimension", whole(self.dimension, "dimension", 1))
        object.__setattr__(self, "scale", positive(self.scale, "scale"))

    @classmethod
    def for_epsilon(
        cls, epsilon: Number, sensitivity: Number, relation: Relation, *, dimension: int
    ) -> EuclideanLaplace:
        """The least noise that is ε-private: scale = sensitivity/ε."""
        bound = positive(sensitivity, "sensitivity")
        return cls(bound, relation, dimension, scale=bound / positive(epsilon, "epsilon"))

    @property
    def loss(self) -> Pure:
        return Pure(self.sensitivity / self.scale)

    def answer(self, private: Integers) -> VectorAnswer:
        return VectorAnswer(private, self)

    def privatize(self, value: ArrayLike, bits: Bits) -> Integers:
        vector = in_steps(value, None)
        if vector.shape != (self.dimension,):
            shape = f"values of shape {vector.shape}"
            raise Refused(shape, "The mechanism was made for one vector.", f"{self.dimension} integers.")
        noisy = euclidean_laplace_noise(self.dimension).add([int(cell) for cell in vector], self.scale, bits)
        return saturated(np.array(noisy, object))

    def expected_error(self) -> float:
        """The expected ℓ₂ norm of the real noise, d·scale."""
        return float(self.dimension * self.scale)

    def error(self, confidence: Number = "0.95") -> float:
        """The exact quantile of the ℓ₂ norm: a gamma quantile times the scale; rounding adds at most √d/2."""
        with precision(START_BITS):
            reach = ball(gamma_quantile_up(Fraction(self.dimension), proper(confidence, "confidence")) * self.scale)
            return up(reach + ball(self.dimension).sqrt() / 2)


@lru_cache(maxsize=256)
def gamma_quantile_up(shape: Fraction, share: Fraction) -> Fraction:
    """The least multiple of 2^-20 at or above this quantile of the gamma law of this shape."""

    def tail(steps: int) -> Ball:
        return ball(Fraction(steps, _FINENESS)).gamma_upper(ball(shape), regularized=1)

    return Fraction(first_true(lambda t: t > 0 and less(lambda: tail(t), lambda: ball(1 - share))), _FINENESS)
