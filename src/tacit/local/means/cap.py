"""The cap of a vector report: the half-space that the report prefers, its distance, and the odds."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import erfc, exp, isqrt, pi, sqrt

from flint import arb

from tacit.errors import Refused
from tacit.exact import positive, whole
from tacit.frozen import frozen
from tacit.loss.families.precision import sharp
from tacit.noise.ball import Ball, ball, fraction_down, precision, up

_GAMMA_STEP = 1 << 10  # the error is flat near its minimum, so finer steps have no use
_ODDS_BITS = 52


@frozen
class Cap:
    """{z : ⟨z, w⟩ ≥ T(w)} for whole vectors z of rounded Gaussians and w of length at least radius/2.

    T(w) = ⌊γ·grain·‖w‖⌋, and the coordinates of z are round(grain·G) of independent standard normals G. A report lies
    in the cap with probability p = odds/(1+odds), and else outside; within each it has the law of z.

    Claim: for all such w the ratio of a report's probabilities is at most e^ε. Proof: rounding moves ⟨z, w⟩ by at most
    ‖w‖₁/2 ≤ √d·‖w‖/2, and ⟨grain·G, w⟩/(grain·‖w‖) is a standard normal. So P(cap of w) lies within Q(γ ± s),
    s = (√d/2 + 2/radius)/grain, Q the upper tail of the normal law. With (low, high) for these ends the ratio is one
    of: in one cap only, odds·(1−low)/low or high/((1−high)·odds); in both, high/low; in neither, (1−low)/(1−high).
    All four are checked against e^ε in certified arithmetic.
    """

    epsilon: Fraction
    dimension: int
    grain: int
    radius: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        for name in ("dimension", "grain", "radius"):
            object.__setattr__(self, name, whole(getattr(self, name), name, 1))
        low, high = self.chances
        with precision(128):
            odds, limit = ball(self.odds), ball(self.epsilon).exp()
            ratios = odds * (1 - low) / low, high / ((1 - high) * odds), high / low, (1 - low) / (1 - high)
            if not all(ratio <= limit for ratio in ratios):
                raise Refused(
                    f"a vector of {self.dimension} numbers at ε = {float(self.epsilon):g} in steps of 1/{self.grain}",
                    "The steps are too coarse for the cap's probability to be known.",
                    "a larger grain.",
                )

    @cached_property
    def gamma(self) -> Fraction:
        """The distance of the cap in standard deviations, chosen for the least error, in floats."""
        from scipy.optimize import minimize_scalar

        odds, dimension = exp(float(self.epsilon)), self.dimension
        found = minimize_scalar(lambda gamma: _square(gamma, odds, dimension), bounds=(0, 7), method="bounded")
        return Fraction(max(1, round(float(found.x) * _GAMMA_STEP)), _GAMMA_STEP)

    @cached_property
    def slack(self) -> Fraction:
        """s, rounded up."""
        root = Fraction(isqrt(self.dimension << 40) + 1, 1 << 20)
        return (root / 2 + Fraction(2, self.radius)) / self.grain

    @cached_property
    def chances(self) -> tuple[Ball, Ball]:
        """Bounds of the cap's probability for every w."""
        return sharp(lambda: _upper_tail(self.gamma + self.slack)), sharp(lambda: _upper_tail(self.gamma - self.slack))

    @cached_property
    def odds(self) -> Fraction:
        """p/(1−p): e^ε times the odds of the least likely cap, rounded down."""
        with precision(128):
            low = self.chances[0]
            return fraction_down(ball(self.epsilon).exp() * low / (1 - low), _ODDS_BITS)

    @cached_property
    def contrast(self) -> float:
        """The mean of ⟨z, w⟩/(grain·‖w‖) without the rounding, by which a report is divided."""
        return float(sharp(lambda: _density(self.gamma) * self._tilt(_upper_tail(self.gamma))))

    @cached_property
    def square(self) -> float:
        """The mean square length of a decoded report."""
        return _square(float(self.gamma), exp(float(self.epsilon)), self.dimension)

    @cached_property
    def bias(self) -> float:
        """The largest distance of the mean of a decoded report from the direction of w, rounded up.

        E z = (E z·1)·k with 1 that of the cap and k = p/P(cap) − (1−p)/(1−P(cap)), since z is symmetric. E z·1 differs
        from grain·φ(γ)·w/‖w‖ by the rounding, at most √d/2 long, and by what lies within s of the cap's edge: it has
        probability at most 2s·φ(0), and there z has a mean of at most grain·(γ + s + 1) along any direction.
        """

        def bound() -> Ball:
            tilt = self._tilt(_upper_tail(self.gamma))
            strayed = (self._tilt(self.chances[0]) / tilt).max(1 / (self._tilt(self.chances[1]) / tilt))
            edge = 2 * ball(self.slack) * _density(Fraction(0)) * ball(self.gamma + self.slack + 1)
            rounding = ball(Fraction(isqrt(self.dimension) + 1, 2 * self.grain))
            return strayed - 1 + strayed * (edge + rounding) / _density(self.gamma)

        return up(sharp(bound))

    def _tilt(self, chance: Ball) -> Ball:
        truth = ball(self.odds / (1 + self.odds))
        return truth / chance - (1 - truth) / (1 - chance)


def _upper_tail(at: Fraction) -> Ball:
    return (ball(at) / arb(2).sqrt()).erfc() / 2


def _density(at: Fraction) -> Ball:
    return (-(ball(at) ** 2) / 2).exp() / (2 * arb.pi()).sqrt()


def _square(gamma: float, odds: float, dimension: int) -> float:
    """The mean square length of a decoded report: (d − 1 + mean square along w)/contrast²."""
    chance, density = erfc(gamma / sqrt(2)) / 2, exp(-(gamma**2) / 2) / sqrt(2 * pi)
    truth = odds * chance / (1 - chance + odds * chance)
    tilt = truth / chance - (1 - truth) / (1 - chance)
    return (dimension + gamma * density * tilt) / (density * tilt) ** 2
