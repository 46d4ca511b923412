"""Plans and zCDP: the least ρ known for a plan, and ε of releases some of which are known only by their ρ.

A plan that is fixed in advance is charged its ρ to an account in zCDP. Where only ρ is known, the bracket holds for
what the description permits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from tacit.errors import Refused
from tacit.exact import Number, proper, whole
from tacit.loss.accountant.account import Account, account
from tacit.loss.accountant.truncation import Clipped, clip
from tacit.loss.families.approx import Approx
from tacit.loss.families.curve import float_down, float_up
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, demand_one_relation, in_pairs
from tacit.loss.families.precision import Bracket
from tacit.loss.families.zcdp import Zcdp

_GAP = 1e-3  # the gap in ε that the grid is made for
_FIRST = 1e-3  # the least α−1 tried
_GROWTH = 0.05
_LEVELS = (2, 10, 100, 1000, 10**4)  # δ in units of δ′, at which ε is compared from below
_HALVINGS = 40
_LEAST = 1e-12  # no smaller ρ is returned
_KEPT = Fraction(21, 20)  # the parts' own ρ, which needs no δ, is kept unless another is smaller by so much


def zcdp_of(parts: Iterable[tuple[Loss, int]], delta: Number) -> Zcdp:
    """The plan of these (loss, times) as δ-approximate ρ-zCDP, with the least ρ known; it is charged as one release.

    Claim, under the one relation of all parts: each law of two neighbours is a mixture that with probability at least
    1−δ is drawn from P₀ or Q₀, and D_α(P₀‖Q₀) and D_α(Q₀‖P₀) are at most ρα for every α > 1 (Bun–Steinke 2016,
    definition 8.1, the events being those of drawing from P₀ and Q₀). Proof. `clip` gives such P₀ and Q₀ for a pair of
    which the plan is a post-processing, and post-processing acts on both parts of a mixture; it never raises D_α. All
    orders: κ(α) = (α−1)D_α is convex and κ(1) = 0, so up to the first order tried D_α is at most its value there;
    between two orders κ lies below its chord, and the chord exceeds the convex ρα(α−1) by at most ρ(α₂−α₁)²/4 if it
    does not at its ends; from D_∞/ρ on D_α ≤ D_∞ ≤ ρα.
    """
    level, listed = proper(delta, "delta"), in_pairs(parts, "(Loss, times) pairs.")
    known = _by_parts(listed, level)
    try:
        clipped = _clipped(account(listed), level)
    except Refused:
        if known is None:
            raise
        return known
    relation = demand_one_relation(loss for loss, _ in listed)
    found = Zcdp(Fraction(_least_rho(clipped)), level, relation=relation)
    return known if known is not None and known.rho <= _KEPT * found.rho else found


def rho_between(parts: Iterable[tuple[Loss, int]], delta: Number) -> Bracket:
    """A bracket of the least ρ at which the plan is δ-approximate ρ-zCDP; its upper end is what `zcdp_of` gives.

    The lower end: δ-approximate ρ-zCDP implies an ε at every larger δ, and a ρ for which that is below the ε that the
    plan certainly has is too small.
    """
    level, listed = proper(delta, "delta"), list(parts)
    upper, whole, lower = zcdp_of(listed, level), account(listed), 0.0
    for times in _LEVELS:
        at = level * times
        if at < 1:
            lower = max(lower, _too_small(whole.epsilon(at).lower, upper.rho, level, at))
    return Bracket(min(lower, float_up(upper.rho)), float_up(upper.rho))


def _too_small(epsilon: float, known: Fraction, slack: Fraction, level: Fraction) -> float:
    """The largest ρ found, up to the known one, that with this slack implies less than the ε given at this δ."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        implied = Zcdp(known * Fraction(middle), slack).epsilon(level)
        low, high = (middle, high) if implied < epsilon else (low, middle)
    return max(0.0, float_down(known * Fraction(low)))


def _clipped(whole: Account, level: Fraction) -> Clipped:
    numeric, share = whole.numeric, float_down(level)
    if not numeric.steps:
        raise Refused("a composed law of nothing", "There is no release.", "a plan with a release in it.")
    return clip(numeric.steps, numeric.grid(share, _GAP), share)


def _least_rho(clipped: Clipped) -> float:
    """The largest D_α/α, each interval of orders bounded from its ends, rounded up."""
    farthest = clipped.largest
    before = 1 + _FIRST
    own = clipped.divergence(before)
    rho = max(own, _LEAST)
    while before * rho < farthest:
        order = 1 + (before - 1) * (1 + _GROWTH)
        value = clipped.divergence(order)
        widened = 1 + (order - before) ** 2 / (4 * before * (before - 1))
        rho, before = max(rho, max(value / order, own / before) * widened), order
        own = value
    return float(np.nextafter(rho * (1 + 1e-12), math.inf))


def _by_parts(parts: list[tuple[Loss, int]], level: Fraction) -> Zcdp | None:
    """Σρ and Σδ of the parts, where every part states them and Σδ is within the level."""
    relation = demand_one_relation(loss for loss, _ in parts)
    try:
        costs = [(loss.zcdp(), times) for loss, times in parts]
    except Refused:
        return None
    slack = sum((cost.exact_delta * times for cost, times in costs), Fraction(0))
    rho = sum((cost.rho * times for cost, times in costs), Fraction(0))
    return Zcdp(rho, slack, relation=relation) if slack <= level else None


def described(parts: Iterable[tuple[Loss, int]], delta: Number, gap: Number | None = None) -> Bracket:
    """The least ε at δ that every composition of such releases keeps, between two ends.

    Claim: with no ρ among the parts this is `account`. Otherwise the upper end adds everything up as (approximate) zCDP
    and converts once, which holds for all releases with these losses. The lower end is attained by one of them:
    Gaussian noise with μ² = 2ρ is ρ-zCDP, and with probability δ′ it may reveal everything, so no smaller bound than
    its exact composition with the other parts' pairs is valid.
    """
    listed = [(loss, whole(times, "times", least=0)) for loss, times in parts]
    demand_one_relation(loss for loss, _ in listed)
    if not any(isinstance(loss, Zcdp) for loss, _ in listed):
        return account(listed).epsilon(delta, gap)
    attained: list[tuple[Loss, int]] = []
    rho = slack = Fraction(0)
    for loss, times in listed:
        cost = loss.zcdp()
        rho, slack = rho + times * cost.rho, slack + times * cost.exact_delta
        if isinstance(loss, Zcdp):
            attained += [(Gdp(2 * loss.rho), times), (Approx(0, loss.exact_delta), times)]
        else:
            attained.append((loss, times))
    upper = Zcdp(rho, slack).epsilon(delta)
    return Bracket(min(account(attained).epsilon(delta, gap).lower, upper), upper)
