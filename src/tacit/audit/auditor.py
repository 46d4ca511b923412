"""The auditor: all stages in order, cheap to dear, under one family-wise false-alarm rate."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from time import perf_counter

from tacit.audit.effort import Effort
from tacit.audit.finding import Finding, Outcome
from tacit.audit.subject import Subject
from tacit.audit.verdict import Verdict
from tacit.frozen import frozen


@frozen
class Stage:
    """One kind of fault to look for: whether a subject can be asked, and the asking."""

    name: str
    applies: Callable[[Subject], bool]
    look: Callable[[Subject, Effort], Finding]


def audit(
    subject: Subject,
    stages: Sequence[Stage],
    effort: Effort | None = None,
    *,
    to_the_end: bool = False,
    without: Collection[str] = (),
    watch: Callable[[str], None] = lambda _: None,
) -> Verdict:
    """Every stage that applies and is not left out, until one says broken (or to the end).

    Claim: a subject that keeps its claim is called broken with probability at most the effort's alarm rate. Proof: the
    rate is shared evenly over the stages that apply, each keeps its share, and the chances add up at most.
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
    return Verdict(subject.name, str(subject.claim), str(subject.relation), tuple(findings), tried.alarm_rate)


def _within(stage: str, watch: Callable[[str], None]) -> Callable[[str], None]:
    return lambda words: watch(f"{stage}: {words}")
