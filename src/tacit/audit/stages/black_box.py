"""Stage (g), black box: a bound of ε from samples alone, after a search for bad neighbours, with a learned rule.

It also states the smallest violation that it would have found, on the answers that the learned rule selects.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.special import bdtr, betaincinv

from tacit.audit.auditor import Effort, Stage
from tacit.audit.black_box.epsilon_bounds import QUICK, GuessCounts, epsilon_at_least, pure_epsilon_at_least
from tacit.audit.black_box.epsilon_estimate import Estimate, estimate
from tacit.audit.event_counts import POWER
from tacit.audit.subject import AuditSubject
from tacit.audit.verdict import Finding, Outcome


def least_seen(counts: GuessCounts, as_first: bool, delta: float, claimed: float, alarm_rate: float) -> float:
    """The least ε on the selected answers that contradicts the claim 95 times in 100; inf where none does.

    At δ = 0 each guess is right with probability e^ε/(1+e^ε), and enough of so many must be right. With a δ there are
    two counts: strays stay below a line, and hits reach what then contradicts the claim, each but for half of 5%.
    """
    if delta == 0:
        guesses = counts.guesses
        needed = _least(lambda right: _pure(right, guesses, alarm_rate) > claimed, guesses)
        share = _chance(needed, guesses, POWER)
        return math.log(share / (1 - share)) if share < 1 else math.inf
    strays, trials, others = counts.part(as_first)[2], counts.part(as_first)[1], counts.part(as_first)[3]
    if not (trials and others):
        return math.inf
    stray = min(1.0, (strays + 1) / others)
    line = _least(lambda count: float(bdtr(count, others, stray)) >= (1 + POWER) / 2, others)

    def bound(hits: int) -> float:
        ends = (hits, line, 0, 0, trials, others) if as_first else (0, 0, line, hits, others, trials)
        return epsilon_at_least(GuessCounts(*ends), as_first, delta, alarm_rate, QUICK)

    hit = _chance(_least(lambda hits: bound(hits) > claimed, trials), trials, (1 + POWER) / 2)
    return math.log((hit - delta) / stray) if delta < hit < 1 else math.inf


def seen_at_least(found: Estimate) -> str:
    """The power in words; empty where no violation would have been found."""
    counts, rule = found.counts, found.rule
    fresh, claimed = counts.firsts + counts.seconds, rule.claimed
    epsilon = least_seen(counts, rule.as_first, claimed.delta, claimed.epsilon, found.look_rate)
    if epsilon == math.inf:
        return "nothing on the answers that its rule picks out"
    at = f" at δ = {claimed.delta:g}" if claimed.delta else ""
    return (
        f"an ε{at} of {epsilon:.3g} on the answers that its rule picks out, {counts.guesses:,} of {fresh:,} fresh, "
        f"with power {POWER:.0%}; of other answers it says nothing"
    )


def _pure(right: int, guesses: int, alarm_rate: float) -> float:
    return pure_epsilon_at_least(GuessCounts(first_as_first=right, second_as_first=guesses - right), alarm_rate, QUICK)


def _chance(needed: int, trials: int, power: float) -> float:
    """The success rate at which so many of the trials succeed with this probability; 1 where there is none."""
    return float(betaincinv(needed, trials - needed + 1, power)) if needed <= trials else 1.0


def _least(holds: Callable[[int], bool], most: int) -> int:
    """The least count for which it holds, or one more than the most, for a monotone predicate."""
    low, high = -1, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


_NAME = "black box"


def _look(subject: AuditSubject, effort: Effort) -> Finding:
    found = estimate(subject, effort)
    claimed = found.rule.claimed
    at = f" at δ = {claimed.delta:g}" if claimed.delta else ""
    if found.is_violation:
        words = f"ε is at least {found.epsilon:.3g}{at}, claimed was {claimed.epsilon:.3g}"
    else:
        words = (
            f"ε is at least {found.epsilon:.3g}{at} on the worst pair found, within the {claimed.epsilon:.3g} claimed."
            f"{effort.shortfall(found.samples)}"
        )
    return Finding(
        _NAME,
        Outcome.BROKEN if found.is_violation else Outcome.PASSED,
        words,
        effort.alarm_rate,
        seen_at_least(found),
        found.epsilon,
        claimed.delta,
        found.samples,
        evidence=found.evidence(),
        pair=found.pair,
    )


BLACK_BOX = Stage(_NAME, lambda subject: bool(subject.pairs), _look)
