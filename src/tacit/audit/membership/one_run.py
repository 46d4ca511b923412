"""Audits in one run: many canaries, each in or out by its own coin, and how many of them an attack gets right."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from tacit.audit.membership.bound import EpsilonBound
from tacit.audit.membership.played import Played
from tacit.errors import Refused
from tacit.exact import Number, probability, proper, whole
from tacit.frozen import frozen

_MOST_EPSILON = 64.0
_LOOKS = 50


@frozen
class Guesses:
    """So many canaries, guesses about some of them, and how many guesses were right."""

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
    """The highest scores are guessed in, the lowest out, none in between; how many of each is fixed beforehand."""
    played = Played.of(members, scores)
    highs, lows = whole(in_guesses, "in_guesses"), whole(out_guesses, "out_guesses")
    if not highs + lows <= played.scores.size:
        raise Refused("more guesses than canaries", "Each gets one guess at most.", "fewer guesses.")
    order = np.argsort(played.scores, kind="stable")
    ins = played.members[order[order.size - highs :]]
    outs = played.members[order[:lows]]
    return Guesses(played.scores.size, highs + lows, int(ins.sum() + (~outs).sum()))


def chance_of_guesses(guesses: Guesses, epsilon: float, delta: float) -> float:
    """The most probable that so many right guesses are, under (ε, δ) (Steinke, Nasr and Jagielski 2023).

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
    """The ε that the guesses of one run prove.

    Claim: it is above the ε of an (ε, δ)-private mechanism with probability at most 1 − confidence. Proof: the bound
    grows with the number of right guesses; let v be the first number whose bound e is above ε. The mechanism is
    (e, δ)-private too, so v or more are right with probability at most the value at e, which is at most 1 − confidence.
    """
    slack, level = float(probability(delta, "delta")), float(proper(confidence, "confidence"))
    found = largest(lambda epsilon: chance_of_guesses(guesses, epsilon, slack) <= 1 - level)
    return EpsilonBound(found, slack, level, guesses.words)


def largest(refutes: Callable[[float], bool], most: float = _MOST_EPSILON) -> float:
    """The largest parameter that is still refuted, by halving; 0 if none is. What is returned was itself refuted."""
    if not refutes(0.0):
        return 0.0
    low, high = 0.0, most
    for _ in range(_LOOKS):
        middle = (low + high) / 2
        low, high = (middle, high) if refutes(middle) else (low, middle)
    return low
