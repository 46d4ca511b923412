"""Stage (f): the claim against worlds that can be enumerated or sampled exactly."""

from __future__ import annotations

from fractions import Fraction

from tacit.audit.accounting.accounting import NAME, Accounting, check_accountant
from tacit.audit.auditor import Stage
from tacit.audit.effort import Effort
from tacit.audit.finding import Finding
from tacit.audit.subject import Subject


def look(subject: Subject, effort: Effort) -> Finding:
    """Whether the subject's loss covers the worlds that it says a pair of neighbours makes."""
    assert subject.worlds is not None

    def claimed(delta: Fraction) -> float:
        return subject.claim.epsilon(delta)

    return check_accountant(Accounting(subject.name, claimed, subject.worlds, note=subject.note), effort)


ACCOUNTANTS = Stage(NAME, lambda subject: subject.worlds is not None, look)
