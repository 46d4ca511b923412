"""The published closed forms for composition: upper bounds, for comparison and teaching.

Each is certified upwards, and none is ever below the exact optimum (`optimal_composition`). All parts share one
neighbour relation, and their parameters are fixed in advance: only the plain sum is valid for parameters chosen
adaptively.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from flint import arb

from tacit.errors import Refused
from tacit.exact import Number, probability, proper, whole
from tacit.loss.families.approx import Approx
from tacit.loss.families.curve import float_up
from tacit.loss.families.loss import demand_one_relation
from tacit.loss.families.precision import sharp
from tacit.loss.pairs.repeated_approx import RepeatedApprox, slack_of
from tacit.noise.ball import Ball, ball, fraction_down, fraction_up


def basic_bound(parts: Iterable[Approx]) -> Approx:
    """(Σε, Σδ), exactly (Dwork et al. 2006)."""
    listed = list(parts)
    delta = sum((part.exact_delta for part in listed), Fraction(0))
    epsilon = sum((part.exact_epsilon for part in listed), Fraction(0))
    return Approx(epsilon, min(Fraction(1), delta), relation=demand_one_relation(listed))


def advanced_bound(part: Approx, times: int, slack: Number) -> Approx:
    """(ε√(2k ln(1/δ̃)) + kε(e^ε−1), kδ+δ̃) for k equal parts (Dwork–Rothblum–Vadhan 2010).

    A step's privacy loss has mean at most ε(e^ε−1) and lies within ±ε, so Azuma's inequality bounds their sum.
    """
    k, spare = whole(times, "times", least=1), proper(slack, "slack")

    def total() -> Ball:
        own = ball(part.exact_epsilon)
        return own * (-2 * k * ball(spare).log()).sqrt() + k * own * own.expm1()

    delta = min(Fraction(1), k * part.exact_delta + spare)
    return Approx(fraction_up(sharp(total)), delta, relation=part.relation)


def kov_bound(parts: Iterable[Approx], slack: Number) -> Approx:
    """The least of KOV's three closed forms, at a total δ of 1−(1−δ̃)Π(1−δ_ℓ), for equal or different parts.

    With m = Σε(e^ε−1)/(e^ε+1), the mean of the coins' losses, and v = Σε²: Σε; m + √(2v ln(1/δ̃)), which is
    Hoeffding's inequality; and m + √(2v ln(e+√v/δ̃)) (Kairouz–Oh–Viswanath 2015, Theorems 3.4 and 3.5).
    """
    counted, spare = Counter(parts), proper(slack, "slack")
    plain = sum((part.exact_epsilon * k for part, k in counted.items()), Fraction(0))
    spread = sum((part.exact_epsilon**2 * k for part, k in counted.items()), Fraction(0))

    def mean() -> Ball:
        return sum((k * ball(p.exact_epsilon) * (ball(p.exact_epsilon) / 2).tanh() for p, k in counted.items()), arb(0))

    def hoeffding() -> Ball:
        return mean() + (-2 * ball(spread) * ball(spare).log()).sqrt()

    def sharper() -> Ball:
        inside = ball(1).exp() + ball(spread).sqrt() / ball(spare)
        return mean() + (2 * ball(spread) * inside.log()).sqrt()

    epsilon = min(plain, fraction_up(sharp(hoeffding)), fraction_up(sharp(sharper)))
    return Approx(epsilon, total_delta(counted.elements(), spare), relation=demand_one_relation(counted))


def total_delta(parts: Iterable[Approx], slack: Number) -> Fraction:
    """1−(1−δ̃)Π(1−δ_ℓ), rounded up."""
    deltas = Counter(part.exact_delta for part in parts)
    deltas[probability(slack, "slack")] += 1
    return min(Fraction(1), fraction_up(sharp(lambda: slack_of(deltas.items()))))


def slack_within(parts: Iterable[Approx], total: Number) -> Fraction | None:
    """The largest δ̃, rounded down, whose total 1−(1−δ̃)Π(1−δ_ℓ) stays within `total`; None if there is none > 0."""
    deltas, allowed = Counter(part.exact_delta for part in parts), probability(total, "total")
    if allowed == 1 or 1 in deltas:
        return None

    def spare() -> Ball:
        return -((ball(-allowed).log1p() - (1 - slack_of(deltas.items())).log()).expm1())

    found = fraction_down(sharp(spare))
    return found if found > 0 else None


def compare_bounds(part: Approx, times: int, total: Number) -> dict[str, float]:
    """ε of k equal parts at one total δ, by each bound and exactly; `inf` where a bound says nothing at this δ."""
    if not isinstance(part, Approx):
        raise Refused(f"bounds for a {type(part).__name__}", "They speak of (ε, δ) alone.", "an `Approx` or a `Pure`.")
    k, allowed = whole(times, "times", least=1), probability(total, "total")
    spare, rest = slack_within([part] * k, allowed), allowed - k * part.exact_delta
    return {
        "basic": _epsilon(basic_bound([part] * k) if rest >= 0 else None),
        "advanced": _epsilon(advanced_bound(part, k, rest) if 0 < rest < 1 else None),
        "KOV closed form": _epsilon(kov_bound([part] * k, spare) if spare else None),
        "exact": RepeatedApprox(part.exact_epsilon, part.exact_delta, k).epsilon(allowed),
    }


def _epsilon(bound: Approx | None) -> float:
    return math.inf if bound is None else float_up(bound.exact_epsilon)
