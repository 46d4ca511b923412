"""The auditor: runs all stages in order, cheap to expensive, under one family-wise false-alarm rate.

An effort gives the number of samples, the time and the false-alarm rate of an audit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import field, replace
from time import perf_counter

from tacit.audit.subject import AuditSubject
from tacit.audit.verdict import AuditVerdict, Finding, Outcome
from tacit.errors import Refused
from tacit.exact import whole
from tacit.frozen import frozen
from tacit.noise.bits import Rehearsal, Seeded


@frozen
class Effort:
    """The resources of a stage. The seed makes an audit repeatable; mechanisms with their own entropy stay random."""

    alarm_rate: float = 1e-4
    samples: int = 1_000_000
    seconds: float = 60.0
    """The time limit: a stage reports where it prevents the use of all samples."""
    seed: int = 1
    watch: Callable[[str], None] = field(default=lambda _: None, compare=False, repr=False)
    """Called with the current work."""

    def __post_init__(self) -> None:
        if not 0 < self.alarm_rate < 1:
            raise Refused(
                f"an alarm rate of {self.alarm_rate}", "It is no share of runs.", "a number between 0 and 1, as 0.0001."
            )
        whole(self.samples, "samples", 1)
        if not 0 < self.seconds < math.inf:
            raise Refused(f"{self.seconds} seconds", "Nothing can be looked at in that time.", "a time, as 60.")

    def bits(self, salt: int = 0) -> Rehearsal:
        """Fresh repeatable bits; different salts give different bits."""
        return Seeded(self.seed * 1_000_003 + salt)

    def share(self, parts: int) -> Effort:
        """The effort of one of so many parts: an equal share of alarm rate and time (Bonferroni)."""
        return replace(self, alarm_rate=self.alarm_rate / parts, seconds=self.seconds / parts)

    def shortfall(self, used: int, wanted: int | None = None) -> str:
        """The remark where the time limit kept a stage from all of its answers; otherwise empty."""
        meant = self.samples if wanted is None else wanted
        return "" if used >= meant else f" The time limit left {used:,} of {meant:,} answers (--seconds lifts it)."


@frozen
class Stage:
    """One kind of fault to look for: whether it applies to a subject, and the search."""

    name: str
    applies: Callable[[AuditSubject], bool]
    look: Callable[[AuditSubject, Effort], Finding]


def audit(
    subject: AuditSubject,
    stages: Sequence[Stage],
    effort: Effort | None = None,
    *,
    to_the_end: bool = False,
    without: Collection[str] = (),
    watch: Callable[[str], None] = lambda _: None,
) -> AuditVerdict:
    """Run every stage that applies and is not left out, until one finds the subject broken (or to the end).

    Claim: a subject that keeps its claim is called broken with probability at most the effort's alarm rate. Proof: the
    rate is shared evenly over the stages that apply, each keeps its share, and the probabilities add up (union bound).
    """
    tried = effort or Effort()
    applicable = [stage for stage in stages if stage.name not in without and stage.applies(subject)]
    findings: list[Finding] = []
    for stage in stages:
        if stage.name in without:
            findings.append(Finding(stage.name, Outcome.LEFT_OUT, "It was not asked for."))
            continue
        if stage not in applicable:
            findings.append(Finding(stage.name, Outcome.NOT_APPLICABLE, "It says nothing of its inside."))
            continue
        watch(stage.name)
        start = perf_counter()
        found = stage.look(subject, replace(tried.share(len(applicable)), watch=_within(stage.name, watch)))
        findings.append(found.after(perf_counter() - start))
        if found.is_broken and not to_the_end:
            break
    return AuditVerdict(subject.name, str(subject.claim), str(subject.relation), tuple(findings), tried.alarm_rate)


def _within(stage: str, watch: Callable[[str], None]) -> Callable[[str], None]:
    return lambda words: watch(f"{stage}: {words}")
