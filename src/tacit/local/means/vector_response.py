"""A mean of vectors from local reports: a vector of length at most 1 becomes a noisy one that prefers its direction.

The estimate comes with a ball that holds the true mean.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import ceil, floor, isqrt, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import Refused
from tacit.exact import Number, positive, proper, whole
from tacit.frozen import frozen
from tacit.local.means.cap import Cap
from tacit.local.randomizers.randomizer import below
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.noise.bits import ENTROPY, Bits, Integers, Rehearsal
from tacit.noise.gaussian_law import RoundedGaussian


@frozen(eq=False)
class VectorMean:
    """The average of decoded reports: each within `error` of its vector in mean square, and within `bias` in mean."""

    value: NDArray[np.float64]
    people: int
    error: float
    bias: float

    @property
    def root_mean_square(self) -> float:
        """The root of the mean square distance from the mean of the respondents' vectors, at most."""
        return sqrt(self.error / self.people) + self.bias

    def radius(self, confidence: Number = "0.95") -> float:
        """A distance within which the mean of the respondents' own vectors lies with this confidence.

        Valid for every number of reports, by Chebyshev's inequality: the reports are independent.
        """
        miss = 1 - proper(confidence, "confidence")
        return sqrt(self.error / (self.people * float(miss))) + self.bias

    def __str__(self) -> str:
        return f"a mean of {self.people:,} vectors of {self.value.size} numbers, off by {self.root_mean_square:.3g}"


_MOST = 10  # beyond it a report takes thousands of draws
_SPLIT = 14  # bits of the parts in which a whole vector is multiplied, each product within 64 bits
_AT_ONCE = 1 << 18  # coordinates drawn together


@frozen
class VectorResponse:
    """PrivUnitG (Asi, Feldman and Talwar 2022) in whole numbers: a Gaussian vector, likelier in the vector's own cap.

    Claim, for the replacement of one respondent's vector by any other: the report is ε-private. Proof: every vector
    becomes a whole direction w, by any method. Whole vectors z of exact rounded Gaussians are drawn until one lies
    within the cap of w and one outside; an exact coin chooses. So given w the report has the law that `Cap` certifies.
    The number of draws does not depend on the coin, and reveals no more about w than the probability of its cap, the
    same for all w to about one part in 10⁶.

    Claim: the decoded report has the vector itself as its mean, but for at most `bias`. A vector of length ρ < 1 is
    given its own direction with probability (1+ρ)/2 and the opposite else; a longer one is shortened to 1.
    """

    epsilon: Fraction
    dimension: int
    grain: int = 1 << 28
    radius: int = 1 << 28

    relation = Relation.REPLACE

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "dimension", whole(self.dimension, "dimension", 1))
        if not (self.epsilon <= _MOST and self.dimension <= self.radius and self.radius <= 1 << 28):
            raise Refused(
                f"vectors of {self.dimension} numbers at ε = {float(self.epsilon):g}",
                "A report would take too many draws, or its direction too fine a grid.",
                f"ε ≤ {_MOST} and dimension ≤ radius ≤ 2^28.",
            )
        self.cap  # noqa: B018  (certify it here, or refuse)

    @cached_property
    def cap(self) -> Cap:
        return Cap(self.epsilon, self.dimension, self.grain, self.radius)

    @property
    def loss(self) -> Pure:
        """The loss of one report."""
        return Pure(self.epsilon)

    @property
    def bias(self) -> float:
        """A bound of the bias of a decoded report: the cap's, and the rounding of w."""
        return self.cap.bias + 2 * (isqrt(self.dimension) + 1) / self.radius + 1e-12

    @property
    def worst_error(self) -> float:
        """The mean square distance of a decoded report from its vector, at most: that of a vector of length 0."""
        return self.cap.square

    def report(self, vectors: ArrayLike) -> Integers:
        """The report of a person with this vector, or of many (one per row), from the operating system's entropy.

        There is no seed.
        """
        try:
            is_many = np.ndim(vectors) == 2 and len(np.asarray(vectors)) > 0
        except (TypeError, ValueError):  # rows of different lengths are refused too
            is_many = False
        if is_many:
            return self._draw_many(vectors, ENTROPY)
        return self._draw(self._read(vectors), ENTROPY)

    def rehearse(self, vectors: ArrayLike, bits: Rehearsal) -> Integers:
        """A report for each of many vectors on seeded bits, for tests and simulations: not private."""
        if not isinstance(bits, Rehearsal):
            raise Refused(
                f"a rehearsal on {type(bits).__name__}",
                "A rehearsal is repeatable and must not look like a release.",
                "a Rehearsal source such as Seeded(1); or report(vector), which takes no source.",
            )
        return self._draw_many(vectors, bits)

    def _draw_many(self, vectors: ArrayLike, bits: Bits) -> Integers:
        read = [self._read(vector) for vector in np.asarray(vectors)]  # check all of them before anything is drawn
        return np.array([self._draw(vector, bits) for vector in read])

    def decode(self, reports: ArrayLike) -> NDArray[np.float64]:
        """The decoded vectors of reports."""
        return np.asarray(reports) / (self.grain * self.cap.contrast)

    def estimate(self, reports: ArrayLike) -> VectorMean:
        """The mean of the respondents' vectors."""
        array = np.asarray(reports)
        if not (array.ndim == 2 and array.shape[0] and array.shape[1] == self.dimension and array.dtype.kind in "iu"):
            raise Refused("an estimate", "There is no report, or one that is none.", "a list of reports, one a row.")
        return VectorMean(self.decode(array).mean(axis=0), array.shape[0], self.worst_error, self.bias)

    def direction(self, vector: NDArray[np.float64], bits: Bits) -> Integers:
        """A whole vector of about the length of the radius: along the vector, or sometimes against it."""
        largest = float(np.max(np.abs(vector), initial=0.0))
        if largest == 0:
            vector, length = np.eye(1, self.dimension)[0], 0.0
        else:
            scaled = vector / largest
            size = float(np.linalg.norm(scaled))
            vector, length = scaled / size, min(1.0, size * largest)
        along = below(1 << 53, bits) < floor((1 + length) * (1 << 52))
        return np.rint(vector * (self.radius if along else -self.radius)).astype(np.int64)

    def _draw(self, vector: NDArray[np.float64], bits: Bits) -> Integers:
        toward, cap = self.direction(vector, bits), self.cap
        squares = sum(int(part) ** 2 for part in toward)
        if not 4 * squares >= self.radius**2:
            raise ArithmeticError("a direction is shorter than it can be")
        bound = isqrt(floor((cap.gamma * self.grain) ** 2 * squares))
        law, size = RoundedGaussian(self.grain**2), min(ceil(2 / float(cap.chances[0])), 1 + _AT_ONCE // self.dimension)
        inside = outside = None
        while inside is None or outside is None:
            drawn = law.draw(size * self.dimension, bits).reshape(size, self.dimension)
            within = np.array([product >= bound for product in products(drawn, toward)])
            if inside is None and within.any():
                inside = drawn[int(np.argmax(within))]
            if outside is None and not within.all():
                outside = drawn[int(np.argmin(within))]
        chosen = below(cap.odds.numerator + cap.odds.denominator, bits) < cap.odds.numerator
        report: Integers = inside if chosen else outside
        return report

    def _read(self, vector: ArrayLike) -> NDArray[np.float64]:
        try:
            read = np.asarray(vector, np.float64)
        except (TypeError, ValueError):
            read = np.empty(0)
        if not (read.shape == (self.dimension,) and bool(np.all(np.isfinite(read)))):
            raise Refused("a vector that is none", "It has no report.", f"{self.dimension} finite numbers.")
        return read


def products(drawn: Integers, toward: Integers) -> list[int]:
    """⟨z, w⟩ for each row z, exactly: w in two parts of 14 bits, so that no sum leaves 64 bits."""
    if float(np.abs(drawn).sum(axis=1, dtype=np.float64).max()) < 2.0**47:
        high, low = drawn @ (toward >> _SPLIT), drawn @ (toward & ((1 << _SPLIT) - 1))
        return [(int(a) << _SPLIT) + int(b) for a, b in zip(high, low, strict=True)]
    return [sum(int(a) * int(b) for a, b in zip(row, toward, strict=True)) for row in drawn]
