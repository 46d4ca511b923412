"""The noise of one block of a plan: a law of a round size, and how far one person may move the block under it."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt, log2

from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.plans.price import Price

_RADIUS_BITS = 29  # squares of the largest coordinates fit 58 bits, sums of sixteen of them a signed word


@frozen
class NoiseShare:
    """Noise of a fixed law, and the norm that one person's vector of integers must keep within.

    Claim: if the emitted SQL keeps every person's vector within `radius` (ℓ₂ for Gaussian noise, ℓ₁ for Laplace),
    adding independent draws of the law to the sums over all people costs `share` of the price. The question is
    scaled to the noise, not the noise to the question: its size is a power of two, so few laws are ever needed.
    """

    law: RoundedGaussian | DiscreteLaplace
    radius: int

    @property
    def is_gaussian(self) -> bool:
        return isinstance(self.law, RoundedGaussian)

    def split(self, ways: int) -> int:
        """The radius that each of several coordinates may fill."""
        return isqrt(self.radius**2 // ways) if self.is_gaussian else self.radius // ways


def noise_share(price: Price, share: Fraction, relation: Relation) -> NoiseShare:
    """The noise for this share of the price: the law is that of the whole price, so all shares of it have one law."""
    return noise_of(price.strength, price.is_pure, relation, share)


def noise_of(strength: Fraction, is_pure: bool, relation: Relation, share: Fraction = Fraction(1)) -> NoiseShare:
    """The noise of a share of a strength (ε, or μ²); under replace one person leaves and another comes: twice the norm.

    The law's size is chosen for the whole strength, where the radius has about 29 bits.
    """
    worlds = 2 if relation is Relation.REPLACE else 1
    if is_pure:
        bits = _RADIUS_BITS - _log2_floor(strength)
        return NoiseShare(DiscreteLaplace(Fraction(2) ** bits), int(strength * share / worlds * Fraction(2) ** bits))
    bits = _RADIUS_BITS - -(-_log2_floor(strength) // 2)
    squared = strength * share / worlds**2
    return NoiseShare(RoundedGaussian(Fraction(4) ** bits), isqrt(int(squared * Fraction(4) ** bits)))


def _log2_floor(number: Fraction) -> int:
    """The whole part of the binary logarithm, or one less: only the size of the law depends on it."""
    return int(log2(number.numerator) - log2(number.denominator) + 4096) - 4096
