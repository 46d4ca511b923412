"""The audit in one run against a whole trade-off curve, not only one (ε, δ) (Mahloujifar, Melis and Chaudhuri 2024)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.audit.membership.bound import EpsilonBound
from tacit.audit.membership.one_run import Guesses, largest
from tacit.exact import Number, probability, proper
from tacit.frozen import frozen
from tacit.loss.families.gdp import Gdp

Curve = Callable[[float], float]


@frozen
class MuBound:
    """With this confidence the mechanism is not μ′-Gaussian private for any μ′ below `mu`."""

    mu: float
    confidence: float
    how: str

    def at(self, delta: Number) -> EpsilonBound:
        """The ε at δ of that Gaussian curve: a bound for mechanisms whose curve is known to be Gaussian."""
        level = probability(delta, "delta")
        epsilon = float(Gdp.from_mu(self.mu).epsilon(level)) if self.mu > 0 else 0.0
        return EpsilonBound(epsilon, float(level), self.confidence, f"{self.how}; the curve is taken to be Gaussian")

    def describe(self) -> str:
        return f"μ ≥ {self.mu:.3g} with {self.confidence:.4g} confidence ({self.how})."

    def __str__(self) -> str:
        return self.describe()


def refutes(guesses: Guesses, curve: Curve, chance: float) -> bool:
    """Whether under this trade-off curve f so many right guesses have a probability below `chance`; a yes is a proof.

    Claim: for canaries in by independent fair coins and a mechanism whose tests, one canary in or out, all lie above
    the symmetric f. Proof: let p_i be the probability of exactly i right guesses of c, of m canaries, r_i = Σ_{j≥i}
    j·p_j/m and h_i = Σ_{j≥i} (c−j)·p_j/m. For a random canary, r_i is the chance that it is guessed right and i−1 or
    more others too; h_{i−1} that it is guessed wrong and i−1 or more others right. These are one event in two worlds
    that differ in that canary's coin, so h_{i−1} ≥ f(1−r_i), f being convex. With a_i = i/(c−i), r_i − r_{i+1} =
    a_i(h_i − h_{i+1}), so that r_i = r_v + a_i·h_i + Σ_{i<j<v}(a_j − a_{j−1})·h_j − a_{v−1}·h_v: all weights of h but
    the last are positive, and lower bounds of h give lower bounds of r. If v or more are right with probability τ or
    more, r_v − a_{v−1}·h_v is least where it is exactly τ and exactly v are right: r_v = vτ/m, h_v = (c−v)τ/m. Going
    down from there, r_i + h_i must not exceed c/m: if it does, the probability is below τ.
    """
    made, right, canaries = guesses.made, guesses.right, guesses.canaries
    if right == 0:
        return False
    most_sure = right * chance / canaries
    weight_above = (right - 1) / (made - right + 1)
    surely, wrongly = most_sure, 0.0  # lower bounds of r_{i+1} and h_{i+1}
    total = most_sure - weight_above * (made - right) * chance / canaries  # r_v − a_{v−1}·h_v, then plus the sum
    for place in range(right - 1, -1, -1):
        wrongly = max(wrongly, curve(1 - surely))
        weight, below = place / (made - place), (place - 1) / (made - place + 1)
        surely = max(surely, total + weight * wrongly)
        total += (weight - below) * wrongly
        if surely + wrongly > made / canaries:
            return True
    return False


def one_run_epsilon(guesses: Guesses, delta: Number = 0, confidence: Number = "0.95") -> EpsilonBound:
    """The ε that one run proves, through the curve of (ε, δ): at δ > 0 sharper than the binomial tail."""
    slack, level = float(probability(delta, "delta")), float(proper(confidence, "confidence"))
    found = largest(lambda epsilon: refutes(guesses, approximate_curve(epsilon, slack), 1 - level))
    return EpsilonBound(found, slack, level, guesses.words)


def one_run_mu(guesses: Guesses, confidence: Number = "0.95") -> MuBound:
    """The μ that one run proves of a mechanism with a Gaussian curve."""
    level = float(proper(confidence, "confidence"))
    found = largest(lambda mu: refutes(guesses, gaussian_curve(mu), 1 - level))
    return MuBound(found, level, guesses.words)


def approximate_curve(epsilon: float, delta: float) -> Curve:
    """The trade-off curve of (ε, δ), in floats."""
    growth, shrink = float(np.exp(epsilon)), float(np.exp(-epsilon))
    return lambda alarms: max(0.0, 1 - delta - growth * alarms, shrink * (1 - delta - alarms))


def gaussian_curve(mu: float) -> Curve:
    """The trade-off curve of N(0, 1) against N(μ, 1), in floats."""
    from scipy.special import ndtr, ndtri

    return lambda alarms: float(ndtr(ndtri(1 - alarms) - mu))
