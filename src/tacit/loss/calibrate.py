"""The least noise that keeps a promise."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, positive, whole
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.loss import Loss, a_loss
from tacit.loss.order import fits
from tacit.loss.pairs.discrete_gaussian_pair import DiscreteGaussianPair

_CLOSE = Fraction(10**9 + 1, 10**9)  # how near to the least parameter the search comes
_FARTHEST = 2.0**512


def meets(loss: Loss, target: Loss) -> bool:
    """Whether the loss keeps the promise: for (ε, δ) certified by its own curve, else in the target's currency."""
    a_loss(loss)
    if isinstance(target, Approx):
        return Fraction(loss.delta(target.exact_epsilon)) <= target.exact_delta
    if isinstance(target, Zcdp):
        return fits(loss.zcdp(), target)
    return fits(loss.gdp() if isinstance(target, Gdp) else loss, target)


def least(loss_of: Callable[[Fraction], Loss], target: Loss) -> Fraction:
    """The least parameter whose loss meets the target, within one part in 10⁹ above it.

    The loss must fall as the parameter grows (as with any noise scale). The parameter returned was
    itself checked, so a loss that does not fall makes it needlessly large, never too small.
    """
    demand_function(loss_of)
    high = 1.0
    while not meets(loss_of(Fraction(high)), target):
        high *= 2
        if not high <= _FARTHEST:
            raise Refused(f"noise for ({target})", "No amount of this noise meets it.", "a weaker target.")
    low = high / 2
    while meets(loss_of(Fraction(low)), target):
        high, low = low, low / 2
        if not low >= 1 / _FARTHEST:
            raise Refused(f"noise for ({target})", "It needs no noise at all.", "a stronger target.")
    while Fraction(high) > Fraction(low) * _CLOSE:
        middle = (low + high) / 2
        low, high = (low, middle) if meets(loss_of(Fraction(middle)), target) else (middle, high)
    return Fraction(high)


def demand_function(value: object) -> None:
    """Refuse what cannot be called with a parameter."""
    if not callable(value):
        raise Refused(f"a plan of type {type(value).__name__}", "It is no function.", "a function of the parameter.")


def laplace_scale(target: Pure, sensitivity: Number = 1) -> Fraction:
    """The Laplace scale b = Δ₁/ε, exactly: with ℓ₁ sensitivity Δ₁ it is ε-private, and no smaller b is."""
    _demand(isinstance(target, Approx) and target.exact_epsilon > 0, target, "a Pure(ε) with ε > 0.")
    return positive(sensitivity, "sensitivity") / target.exact_epsilon


def gaussian_variance(target: Loss, sensitivity: Number = 1) -> Fraction:
    """The least σ² of (real or rounded) Gaussian noise for ℓ₂ sensitivity Δ₂.

    For ρ it is Δ²/2ρ and for μ it is Δ²/μ², both exact; for (ε, δ) the exact Gaussian curve decides, and
    σ² is within one part in 10⁹ above the least.
    """
    squared = positive(sensitivity, "sensitivity") ** 2
    if isinstance(target, Zcdp):
        _demand(target.rho > 0, target, "ρ > 0.")
        return squared / (2 * target.rho)
    if isinstance(target, Gdp):
        _demand(target.mu_squared > 0, target, "μ > 0.")
        return squared / target.mu_squared
    _demand(isinstance(target, Approx) and 0 < target.exact_delta < 1, target, _GAUSSIAN_TARGETS)
    return squared * least(lambda ratio: Gdp(1 / ratio), target)


def discrete_gaussian_variance(target: Loss, shift: int = 1) -> Fraction:
    """The least σ² of discrete Gaussian noise on one integer that neighbours move by at most `shift` steps.

    For ρ it is shift²/2ρ, exactly (and holds for a vector with ℓ₂ sensitivity `shift`); for (ε, δ) the
    pair's own exact curve decides.
    """
    steps = whole(shift, "shift", least=1)
    if isinstance(target, Zcdp):
        _demand(target.rho > 0, target, "ρ > 0.")
        return Fraction(steps * steps) / (2 * target.rho)
    _demand(isinstance(target, Approx) and 0 < target.exact_delta < 1, target, "ρ > 0, or an (ε, δ) with 0 < δ < 1.")
    return least(lambda variance: DiscreteGaussianPair(variance, steps), target)


_GAUSSIAN_TARGETS = "ρ > 0, μ > 0, or an (ε, δ) with 0 < δ < 1; for a pure ε use Laplace noise."


def _demand(holds: bool, target: Loss, accepted: str) -> None:
    if not holds:
        raise Refused(f"noise for ({target})", "This noise cannot be calibrated to it.", accepted)
