"""ε of releases of which some are known only by their ρ: a bracket of what the description permits."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from tacit.exact import Number, whole
from tacit.loss.accountant.account import account
from tacit.loss.accountant.bracket import Bracket
from tacit.loss.families.approx import Approx
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.loss import Loss
from tacit.loss.one_relation import demand_one_relation


def described(parts: Iterable[tuple[Loss, int]], delta: Number, gap: Number | None = None) -> Bracket:
    """The least ε at δ that every composition of such releases keeps, between two ends.

    Claim: with no ρ among the parts this is `account`. Otherwise the upper end adds everything up as (approximate) zCDP
    and converts once, which holds for all releases with these losses. The lower end is attained by one of them:
    Gaussian noise with μ² = 2ρ is ρ-zCDP, and with probability δ′ it may give everything away, so nobody can
    promise less than its exact composition with the other parts' pairs.
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
