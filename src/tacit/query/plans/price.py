"""The price of one release: the meaning of `--epsilon e`, the charge to the account, and the noise of each share.

The noise of one block of a plan is a law of a round size, and the norm within which one person may move the block.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import erfc, exp, isqrt, log2, sqrt

from tacit.errors import Refused
from tacit.exact import Number, positive, proper
from tacit.frozen import frozen
from tacit.loss.calibration import gaussian_variance
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.words import shown

_CLOSE = Fraction(1, 10**9)
_STEEP = 700.0  # beyond it e^ε overflows a float
_PART = Fraction(1, 100)  # share of the budget's δ for one release
_LEAST = Fraction(1, 10**9)  # the least ε: below it noise exceeds the counts, and then the range of floats
_FALLBACK = Fraction(1, 10**6)  # the δ at which ε is read where the budget is a bare ρ


@frozen
class Price:
    """The cost of one release: all its noise together, and the δ of choosing private keys.

    Under a pure account `strength` is ε, shared out over Laplace noise; else it is μ², shared out over Gaussian noise.
    Claim: the release alone is `alone`, and `charge` is the same in the account's currency. For Gaussian noise of μ²
    outside an event of probability `keys_delta` in each world, (ε, keys_delta + (1 − keys_delta)·δ(ε)) holds with the
    exact Gaussian curve δ(ε); and it is approximate zCDP with ρ = μ²/2.
    """

    strength: Fraction
    is_pure: bool
    alone: Approx
    charge: Loss
    keys_delta: Fraction = Fraction(0)


def price_of(budget: Loss, promise: Loss, epsilon: Number, delta: Number | None, has_private_keys: bool) -> Price:
    """The price at which this release alone is (ε, δ)-private; δ is one hundredth of the budget's if not given."""
    level = positive(epsilon, "epsilon")
    if level < _LEAST:
        raise Refused(
            f"a release at ε = {shown(level)}",
            "Its noise would be larger than any number that can be counted.",
            f"ε of at least {shown(_LEAST)}.",
        )
    if isinstance(budget, Pure):
        if has_private_keys:
            raise Refused(
                "private keys in a pure account",
                "That a key appears at all can give its only holder away, which needs a δ above 0.",
                "keys declared for the column, or a budget with a δ.",
            )
        if delta is not None:
            raise Refused("δ in a pure account", "Its budget has none.", "--epsilon alone.")
        return Price(level, True, Pure(level), Pure(level))
    whole = release_delta(budget, promise) if delta is None else proper(delta, "delta")
    keys_delta = whole / 2 if has_private_keys else Fraction(0)
    if isinstance(budget, Zcdp) and has_private_keys and not budget.exact_delta > 0:
        raise Refused(
            "private keys in an account of ρ alone",
            "That a key appears at all can give its only holder away, which needs a δ above 0.",
            "keys declared for the column, or a budget { rho = …, delta = … }.",
        )
    strength = gaussian_strength(level, (whole - keys_delta) / (1 - keys_delta))
    return _gaussian_price(budget, strength, Approx(level, whole), keys_delta)


def price_of_strength(budget: Loss, promise: Loss, strength: Fraction, has_private_keys: bool) -> Price:
    """The price of noise of a given strength, or of the least possible strength: for a target error."""
    if isinstance(budget, Pure):
        return price_of(budget, promise, max(strength, _LEAST), None, has_private_keys)
    strength = max(strength, _LEAST**2)
    whole = release_delta(budget, promise)
    keys_delta = whole / 2 if has_private_keys else Fraction(0)
    epsilon = Fraction(Gdp(strength).epsilon((whole - keys_delta) / (1 - keys_delta)))
    return _gaussian_price(budget, strength, Approx(epsilon, whole), keys_delta)


def _gaussian_price(budget: Loss, strength: Fraction, alone: Approx, keys_delta: Fraction) -> Price:
    charge = Zcdp(strength / 2, keys_delta) if isinstance(budget, Zcdp) else alone
    return Price(strength, False, alone, charge, keys_delta)


def release_delta(budget: Loss, promise: Loss) -> Fraction:
    """The default δ of one release."""
    if isinstance(promise, Approx) and promise.exact_delta > 0:
        return promise.exact_delta * _PART
    if isinstance(budget, Zcdp) and budget.exact_delta > 0:
        return budget.exact_delta * _PART
    return _FALLBACK


@lru_cache(maxsize=1024)
def gaussian_strength(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest μ², to about one part in 10⁹ below, whose exact curve is (ε, δ)-private.

    It is found in floating point, which is fast, and then certified on the exact curve; if that fails, the certified
    search decides.
    """
    guess = Fraction(_near(float(epsilon), float(delta)) ** 2)
    for back in (_CLOSE, 100 * _CLOSE):
        strength = guess * (1 - back)
        if strength > 0 and Fraction(Gdp(strength).delta(epsilon)) <= delta:
            return strength
    return 1 / gaussian_variance(Approx(epsilon, delta))


def _near(epsilon: float, delta: float) -> float:
    """The μ at which Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) is approximately δ."""
    low, high = -60.0, 24.0  # powers of two
    while high - low > 1e-13 * max(1.0, abs(low)):
        middle = (low + high) / 2
        mu = 2.0**middle
        centre, shift = epsilon / mu, mu / 2
        first = erfc((centre - shift) / sqrt(2)) / 2
        second = exp(epsilon) * erfc((centre + shift) / sqrt(2)) / 2 if epsilon < _STEEP else 0.0
        low, high = (middle, high) if first - second <= delta else (low, middle)
    return float(2.0**low)


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
        """The radius for each of several coordinates."""
        return isqrt(self.radius**2 // ways) if self.is_gaussian else self.radius // ways


def noise_share(price: Price, share: Fraction, relation: Relation) -> NoiseShare:
    """The noise for this share of the price: the law depends on the whole price only, so all shares have one law."""
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
