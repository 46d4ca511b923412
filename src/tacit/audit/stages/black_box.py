"""Stage (g): a black box. What samples alone say of ε, after a search for bad neighbours, with a learned rule."""

from __future__ import annotations

from tacit.audit.auditor import Stage
from tacit.audit.black_box.estimate import estimate
from tacit.audit.black_box.power import seen_at_least
from tacit.audit.effort import Effort
from tacit.audit.finding import Finding, Outcome
from tacit.audit.subject import Subject

_NAME = "black box"


def _look(subject: Subject, effort: Effort) -> Finding:
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
