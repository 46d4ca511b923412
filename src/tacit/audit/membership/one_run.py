"""Audits in one run: many canaries, each in or out by its own coin, and the number that an attack guesses right.

The count is tested against one (ε, δ), or against a whole trade-off curve (Mahloujifar, Melis and Chaudhuri 2024).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from tacit.audit.membership.rounds import EpsilonBound, Played
from tacit.errors import Refused
from tacit.exact import Number, probability, proper, whole
from tacit.frozen import frozen
from tacit.loss.families.gdp import Gdp

_MOST_EPSILON = 64.0
_LOOKS = 50


@frozen
class Guesses:
    """The number of canaries, of guesses about them, and of right guesses."""

    canaries: int
    made: int
    right: int

    def __post_init__(self) -> None:
        for name in ("canaries", "made", "right"):
            object.__setattr__(self, name, whole(getattr(self, name), name))
        if not self.right <= self.made <= self.canaries:
            raise Refused("guesses", "There are more than there can be.", "right ≤ made ≤ canaries.")

    @property
    def words(self) -> str:
        return f"{self.right:,} of {self.made:,} guesses right, about {self.canaries:,} canaries in one run"


def guess_extremes(members: ArrayLike, scores: ArrayLike, in_guesses: int, out_guesses: int) -> Guesses:
    """The highest scores are guessed in, the lowest out, none in between; the number of each is fixed beforehand."""
    played = Played.of(members, scores)
    highs, lows = whole(in_guesses, "in_guesses"), whole(out_guesses, "out_guesses")
    if not highs + lows <= played.scores.size:
        raise Refused("more guesses than canaries", "Each gets one guess at most.", "fewer guesses.")
    order = np.argsort(played.scores, kind="stable")
    ins = played.members[order[order.size - highs :]]
    outs = played.members[order[:lows]]
    return Guesses(played.scores.size, highs + lows, int(ins.sum() + (~outs).sum()))


def chance_of_guesses(guesses: Guesses, epsilon: float, delta: float) -> float:
    """The largest probability of so many right guesses under (ε, δ) (Steinke, Nasr and Jagielski 2023).

    For a mechanism that is (ε, δ)-private when one canary is put in or left out, and canaries in by independent fair
    coins, P(right ≥ v) ≤ P(W ≥ v) + 2mδ·max over i of P(v−i ≤ W < v)/i, where W is binomial of the guesses made, each
    right with probability e^ε/(1+e^ε). For δ = 0 because, given all other coins, the odds of a coin change by at most
    e^ε on seeing the output: each guess is right with at most that chance, whatever happened to the earlier ones.
    """
    from scipy.stats import binom

    sure = 1 / (1 + np.exp(-epsilon))
    tail = float(binom.sf(guesses.right - 1, guesses.made, sure))
    if not (delta > 0 and guesses.right > 0):
        return tail
    below = np.cumsum(binom.pmf(np.arange(guesses.right - 1, -1, -1), guesses.made, sure))
    steepest = float(np.max(below / np.arange(1, guesses.right + 1)))
    return min(1.0, tail + 2 * guesses.canaries * delta * steepest)


def one_run(guesses: Guesses, delta: Number = 0, confidence: Number = "0.95") -> EpsilonBound:
    """The lower bound of ε from the guesses of one run.

    Claim: it is above the ε of an (ε, δ)-private mechanism with probability at most 1 − confidence. Proof: the bound
    grows with the number of right guesses; let v be the first number whose bound e is above ε. The mechanism is
    (e, δ)-private too, so v or more are right with probability at most the value at e, which is at most 1 − confidence.
    """
    slack, level = float(probability(delta, "delta")), float(proper(confidence, "confidence"))
    found = largest(lambda epsilon: chance_of_guesses(guesses, epsilon, slack) <= 1 - level)
    return EpsilonBound(found, slack, level, guesses.words)


def largest(refutes: Callable[[float], bool], most: float = _MOST_EPSILON) -> float:
    """The largest parameter that is refuted, by bisection; 0 if none is. The value returned was itself refuted."""
    if not refutes(0.0):
        return 0.0
    low, high = 0.0, most
    for _ in range(_LOOKS):
        middle = (low + high) / 2
        low, high = (middle, high) if refutes(middle) else (low, middle)
    return low


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
