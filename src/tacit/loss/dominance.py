"""Comparison of losses: `fits` for budgets, `dominates` for what an adversary can learn."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from tacit.errors import Refused
from tacit.loss.families.approx import Approx
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, a_loss, demand_one_relation
from tacit.loss.families.precision import sharp
from tacit.loss.families.rdp import Rdp
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.pairs.pair import Pair
from tacit.noise.ball import START_BITS, Ball, ball, less, precision

_FAR = Fraction(32)  # the largest ε searched for a counterexample where the loss is unbounded
_PRECISIONS = (START_BITS, 4 * START_BITS, 16 * START_BITS)
_DEEPEST = 12  # halvings of an interval before a comparison of curves is called open


def fits(cost: Loss, budget: Loss) -> bool:
    """Whether every component of the cost is within the budget's, exactly; in one currency and under one relation."""
    demand_one_relation([a_loss(cost), a_loss(budget)])
    if isinstance(cost, Approx) and isinstance(budget, Approx):
        return cost.exact_epsilon <= budget.exact_epsilon and cost.exact_delta <= budget.exact_delta
    if isinstance(cost, Zcdp) and isinstance(budget, Zcdp):
        return cost.rho <= budget.rho and cost.exact_delta <= budget.exact_delta
    if isinstance(cost, Gdp) and isinstance(budget, Gdp):
        return cost.mu_squared <= budget.mu_squared
    if isinstance(cost, Rdp) and isinstance(budget, Rdp):
        return all((bound := cost.bound(order)) is not None and bound <= value for order, value in budget.points)
    raise Refused(
        f"whether ({cost}) fits into ({budget})",
        "A cost and a budget are compared only in one currency.",
        "the cost converted first: `cost.approx(delta)`, `cost.zcdp()` or `cost.gdp()`.",
    )


def dominates(above: Loss, below: Loss) -> bool:
    """Whether every test is at least as telling against `above` as against `below` (Blackwell's order).

    That is δ_above(ε) ≥ δ_below(ε) for all ε, under one relation; for a family known by its bound, that every release
    within `below` is within `above`. The answer is proven, or the question is refused as open.
    """
    demand_one_relation([a_loss(above), a_loss(below)])
    if above == below:
        return True
    if isinstance(above, Gdp) and isinstance(below, Gdp):
        return fits(below, above)
    if isinstance(above, Approx) and isinstance(below, Approx):
        return _approx_dominates(above, below)
    if isinstance(above, Zcdp) and isinstance(below, Zcdp):
        return _zcdp_dominates(above, below)
    if isinstance(above, Rdp) and isinstance(below, Rdp) and fits(below, above):
        return True
    if isinstance(above, Approx):
        return _meets(above, below)
    lower, upper = _curve(below), _curve(above)
    if lower is None or upper is None:
        raise _open(above, below)
    if isinstance(below, Approx):
        return _covers(upper, above, below)
    return _compare(upper, lower, above, below)


def _approx_dominates(above: Approx, below: Approx) -> bool:
    """With ε at least as great, δ decides; with a smaller ε, whether δ_below there is within δ.

    The last comparison never ties: (1−δ)(1+e^ε′) = (1−δ′)(1+e^ε) has no rational solution with ε ≠ ε′ and
    δ < 1 (Lindemann–Weierstrass), so raising the precision settles it.
    """
    if above.exact_epsilon >= below.exact_epsilon or above.exact_delta == 1 or below.exact_delta == 1:
        return above.exact_delta >= below.exact_delta
    return less(lambda: below.delta_ball(above.exact_epsilon), lambda: ball(above.exact_delta))


def _zcdp_dominates(above: Zcdp, below: Zcdp) -> bool:
    """By components; a greater ρ against a δ in (0, 1) is undecided, because δ might compensate for it."""
    if fits(below, above) or above.exact_delta == 1:
        return True
    if below.exact_delta > above.exact_delta or above.exact_delta == 0:
        return False  # one that reveals all with its δ, or the Gaussian of its ρ, is the witness
    raise _open(above, below)


def _meets(above: Approx, below: Loss) -> bool:
    """(ε, δ) dominates what is (ε, δ)-private: that is its definition, at the one point ε."""
    if (curve := _curve(below)) is not None:
        return _at_most(lambda: curve(above.exact_epsilon), lambda: ball(above.exact_delta), above, below)
    if below.delta(above.exact_epsilon) <= above.exact_delta:
        return True
    raise _open(above, below)


def _covers(upper: Callable[[Fraction], Ball], above: Loss, below: Approx) -> bool:
    """A symmetric convex curve lies below two straight lines iff it does at their ends and their corner.

    The ends are δ(∞) ≥ δ, the corner is δ(0) ≥ δ₀; a pair other than an `Approx` answers the ends only for δ = 0.
    """
    if below.exact_delta > 0:
        raise _open(above, below)
    if below.exact_epsilon == 0:
        return True
    return _at_most(lambda: below.delta_ball(Fraction(0)), lambda: upper(Fraction(0)), above, below)


def _compare(upper: Callable[[Fraction], Ball], lower: Callable[[Fraction], Ball], above: Loss, below: Loss) -> bool:
    """Both curves fall, so a value at the far end of an interval bounds one and at the near end the other."""
    last = below.epsilon(0)  # beyond it δ is 0
    undecided = not last < math.inf
    intervals = [(Fraction(0), _FAR if undecided else Fraction(last), 0)]
    while intervals:
        near, far, depth = intervals.pop()
        least, most = sharp(partial(upper, far)), sharp(partial(lower, near))
        if sharp(partial(lower, far)) > least or most > sharp(partial(upper, near)):
            return False
        if most <= least:
            continue
        if depth == _DEEPEST:
            undecided = True
            continue
        middle = (near + far) / 2
        intervals += [(near, middle, depth + 1), (middle, far, depth + 1)]
    if undecided:
        raise _open(above, below)
    return True


def _at_most(left: Callable[[], Ball], right: Callable[[], Ball], above: Loss, below: Loss) -> bool:
    for bits in _PRECISIONS:
        with precision(bits):
            smaller, larger = left(), right()
        if smaller <= larger:
            return True
        if smaller > larger:
            return False
    raise _open(above, below)


def _curve(loss: Loss) -> Callable[[Fraction], Ball] | None:
    """The exact δ-curve, of a family that attains it."""
    return loss.delta_ball if isinstance(loss, (Approx, Gdp, Pair)) else None


def _open(above: Loss, below: Loss) -> Refused:
    return Refused(
        f"whether ({above}) dominates ({below})",
        "Neither a proof nor a counterexample was found.",
        "two losses of one family, two exact pairs, or a comparison at the δ of interest by `epsilon(delta)`.",
    )
