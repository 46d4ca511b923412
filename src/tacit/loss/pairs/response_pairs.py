"""Randomized responses as pairs: what the report of one person's answer costs.

Each claim is local: the neighbours are two true answers of one person (replace). The pair is the law of the report
given the one answer against its law given the other.
"""

from __future__ import annotations

from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, probability, whole
from tacit.loss.pairs.finite_pair import Atom, FinitePair

ZERO, ONE = Fraction(0), Fraction(1)


def warner_response(truth: Number) -> FinitePair:
    """The true answer with probability p, else the opposite (Warner 1965): ε = |ln(p/(1−p))|, ∞ at p = 0 or 1."""
    p = probability(truth, "truth")
    return FinitePair((Atom(p, ZERO, 1 - p, ZERO), Atom(1 - p, ZERO, p, ZERO)))


def binary_response(epsilon: Number) -> FinitePair:
    """The true answer with probability e^ε/(1+e^ε): every ε-private coin is a post-processing of it."""
    return kary_response(epsilon, 2)


def forced_response(truth: Number, yes: Number, no: Number) -> FinitePair:
    """A yes or no where a die decides: tell the truth (p), say yes (p₁) or say no (p₀).

    ε = max{ln((p+p₁)/p₁), ln((p+p₀)/p₀)}. With p₁ = 0 only a true yes says yes, so ε = ∞; likewise with p₀ = 0.
    """
    p, p1, p0 = probability(truth, "truth"), probability(yes, "yes"), probability(no, "no")
    if p + p1 + p0 != 1:
        raise Refused(
            f"truth = {p}, yes = {p1}, no = {p0}", "They do not add up to 1.", "three probabilities that add up to 1."
        )
    return FinitePair((Atom(p + p1, ZERO, p1, ZERO), Atom(p0, ZERO, p + p0, ZERO)))


def kary_response(epsilon: Number, options: int) -> FinitePair:
    """One of K options: the true one with probability e^ε/(e^ε+K−1), each other with 1/(e^ε+K−1).

    The K−2 options that are true in neither world have the same mass in both, so they are one output of the pair.
    """
    own, k = nonnegative(epsilon, "epsilon"), whole(options, "options", 2)
    neither = Fraction(k - 2)
    return FinitePair((Atom(ONE, own, ONE, ZERO), Atom(ONE, ZERO, ONE, own), Atom(neither, ZERO, neither, ZERO)))


def optimal_response(epsilon: Number, delta: Number) -> FinitePair:
    """The response that reveals the answer with probability δ and is otherwise the ε-private coin.

    Every (ε, δ)-private release between two neighbours is a post-processing of it (Kairouz–Oh–Viswanath 2015). All
    masses are over 1+e^ε, so each revealing output is split into two, δ/(1+e^ε) and δe^ε/(1+e^ε), both of infinite
    loss.
    """
    own, slack = nonnegative(epsilon, "epsilon"), probability(delta, "delta")
    coin = 1 - slack
    return FinitePair(
        (
            Atom(slack, ZERO, ZERO, ZERO),
            Atom(slack, own, ZERO, ZERO),
            Atom(coin, own, coin, ZERO),
            Atom(coin, ZERO, coin, own),
            Atom(ZERO, ZERO, slack, ZERO),
            Atom(ZERO, ZERO, slack, own),
        )
    )
