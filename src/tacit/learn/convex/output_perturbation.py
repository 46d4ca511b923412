"""Output perturbation: the minimiser of a regularised objective, plus Gaussian noise on the grid of its coefficients.

Claim. Let F(w) = Σ_p f_p(w) + λ‖w‖²/2 over persons p, each f_p convex with ‖∇f_p‖ ≤ L. Then the minimisers for two data
sets that differ by the presence of one person are at most L/λ apart, and 2L/λ if one person is replaced.

Proof. Let w minimise F and v minimise F + f. Then ∇F(v) = −∇f(v), and ∇F(w) = 0. F is λ-strongly convex:
λ‖v − w‖² ≤ ⟨∇F(v) − ∇F(w), v − w⟩ = ⟨−∇f(v), v − w⟩ ≤ L‖v − w‖. A replacement is a removal and an addition; both data
sets are neighbours of the one without either person.

What is computed is within τ/λ of the minimiser, as certified in each world, and is a whole number of steps itself, so
integers differ by at most (worlds·L + 2τ)/λ in norm. Rounded Gaussian noise on them is post-processing of the Gaussian
mechanism. λ is absolute. It is chosen from a noisy number of people, which is a release of its own.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, isqrt
from typing import Final

from tacit.frozen import frozen
from tacit.learn.convex.design import FINEST
from tacit.learn.convex.newton import TOLERANCE
from tacit.loss.families.loss import Relation
from tacit.noise.gaussian_law import RoundedGaussian

COUNT_SHARE: Final = Fraction(1, 50)  # of the price, for the noisy number of people
LEAST_RIDGE: Final = 2.0**-4
_PROPORTION: Final = 0.2  # near the best on generated data


@frozen(eq=False)
class OutputNoise:
    """The noise on coefficients for one ridge λ: `steepest_squared` is L² of one row, of which a person has some."""

    ridge: float
    steepest_squared: int
    rows_each: int
    relation: Relation

    @property
    def sensitivity(self) -> Fraction:
        """By how much computed coefficients of neighbours differ at most, in norm."""
        worlds = 2 if self.relation is Relation.REPLACE else 1
        steepest = root_up(self.steepest_squared) * self.rows_each
        return (worlds * steepest + 2 * Fraction(TOLERANCE)) / Fraction(self.ridge)

    def law(self, strength: Fraction) -> RoundedGaussian:
        """The noise on each whole step, at a cost of μ² = `strength`."""
        return RoundedGaussian(Fraction(ceil((self.sensitivity * 2**FINEST) ** 2 / strength)))


def count_law(strength: Fraction) -> RoundedGaussian:
    """The noise on the number of people, which one person changes by 1 at most."""
    return RoundedGaussian(Fraction(ceil(1 / strength)))


def ridge_for(people: int, strength: float) -> float:
    """λ from the noisy number of people: it grows with the cube root of their number over μ².

    The noise on a score has the variance (L/λμ)², which costs about people/λ²μ², and the ridge costs λ: their sum is
    least at a λ of that order. Post-processing, so that it may be changed without touching a claim.
    """
    return max(LEAST_RIDGE, float(_PROPORTION * (max(people, 1) / strength) ** (1 / 3)))


def root_up(number: int) -> Fraction:
    """A fraction just above the root of a whole number; the root itself where that is whole."""
    scale = 2**32
    root = isqrt(number * scale**2)
    return Fraction(root if root**2 == number * scale**2 else root + 1, scale)
