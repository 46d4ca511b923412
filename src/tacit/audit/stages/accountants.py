"""Stage (f), accountants: the claimed ε against worlds whose δ is known by enumeration or by exact sampling."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from tacit.audit.auditor import Effort, Stage
from tacit.audit.subject import AuditSubject
from tacit.audit.verdict import Finding, Outcome
from tacit.audit.worlds import SampledLosses, Worlds
from tacit.frozen import frozen

NAME = "accountants"
_DELTAS = tuple(Fraction(1, 10**n) for n in range(1, 13))
_FEWEST = 30  # the least number of heads for a useful sampled bound


@frozen(eq=False)
class Accounting:
    """The claimed ε at each δ, and the worlds of the claim."""

    name: str
    claimed: Callable[[Fraction], float]
    worlds: Worlds | SampledLosses
    deltas: Sequence[Fraction] = _DELTAS
    note: str = ""


def check_accountant(accounting: Accounting, effort: Effort) -> Finding:
    """Broken iff at some δ the claimed ε is too small for a δ that the worlds certainly have.

    With enumerated worlds it is a proof. Sampled ones share the alarm rate over the points asked.
    """
    worlds = accounting.worlds
    if isinstance(worlds, Worlds):
        points, rate, samples = list(accounting.deltas), 0.0, 0
        seen = "any δ above the claim by more than a rounding, at the δ listed"
    else:
        points = [delta for delta in accounting.deltas if delta * effort.samples >= _FEWEST]
        rate, samples = effort.alarm_rate, effort.samples
        least = 1 + 4 / math.sqrt(_FEWEST)
        seen = f"a δ about {least:.2g} times the claimed one or more, where that is at least {_FEWEST / samples:.1g}"
    for at, delta in enumerate(points):
        epsilon = accounting.claimed(delta)
        if not epsilon < math.inf:
            continue
        if isinstance(worlds, Worlds):
            truth = worlds.delta_at_least(Fraction(epsilon))
        else:
            share = effort.alarm_rate / len(points)
            truth = worlds.delta_at_least(Fraction(epsilon), samples, share, effort.bits(100 + at))
        if truth > delta:
            words = f"At ε = {epsilon:.6g} it says δ = {float(delta):.3g}; the true δ is at least {truth:.3g}"
            evidence = {"epsilon": epsilon, "claimed delta": float(delta), "delta at least": truth}
            return Finding(NAME, Outcome.BROKEN, words, rate, seen, epsilon, truth, samples, evidence=evidence)
    words = f"At none of {len(points)} values of δ does the claim lie below the truth."
    return Finding(NAME, Outcome.PASSED, words, rate, seen, samples=samples)


def look(subject: AuditSubject, effort: Effort) -> Finding:
    """Whether the subject's loss covers the worlds that it states for a pair of neighbours."""
    assert subject.worlds is not None

    def claimed(delta: Fraction) -> float:
        return subject.claim.epsilon(delta)

    return check_accountant(Accounting(subject.name, claimed, subject.worlds, note=subject.note), effort)


ACCOUNTANTS = Stage(NAME, lambda subject: subject.worlds is not None, look)
