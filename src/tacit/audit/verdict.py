"""The result of an audit: what each stage found, and the verdict over all stages.

A finding is a fault with its evidence, or no fault and the smallest fault that the stage would have found. The verdict
combines them: a grade with its evidence, the power, the worst pair, and a certificate.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from enum import Enum
from math import inf
from typing import Any

from tacit.frozen import frozen


class Outcome(Enum):
    """The outcome of a stage."""

    BROKEN = "broken"
    """The claim does not hold."""
    SUSPICIOUS = "suspicious"
    """Something beside the answers differs, which matters if an adversary can measure it."""
    PASSED = "passed"
    NOT_APPLICABLE = "not applicable"
    LEFT_OUT = "left out"


@frozen
class Finding:
    """The result of one stage.

    `alarm_rate` bounds the probability of calling a sound mechanism broken: 0 for a stage whose finding is a proof.
    `could_see` is the smallest violation that it would have found, in words with numbers.
    """

    stage: str
    outcome: Outcome
    words: str
    alarm_rate: float = 0.0
    could_see: str = ""
    epsilon: float | None = None
    """A lower bound of the true ε at `delta`, with confidence 1 − alarm_rate; inf where an output occurs once only."""
    delta: float = 0.0
    samples: int = 0
    seconds: float = 0.0
    evidence: dict[str, Any] | None = None
    pair: tuple[Any, Any] | None = None
    """The worst pair of neighbouring data sets that the stage found."""

    @property
    def is_broken(self) -> bool:
        return self.outcome is Outcome.BROKEN

    @property
    def is_fault(self) -> bool:
        """Broken or suspicious."""
        return self.outcome in (Outcome.BROKEN, Outcome.SUSPICIOUS)

    def after(self, seconds: float) -> Finding:
        """The finding with the time it took."""
        return replace(self, seconds=seconds)

    def fields(self) -> dict[str, Any]:
        """Its fields, for JSON."""
        return {
            "stage": self.stage,
            "outcome": self.outcome.value,
            "words": self.words,
            "alarm_rate": self.alarm_rate,
            "could_see": self.could_see,
            "epsilon_at_least": "infinite" if self.epsilon == math.inf else self.epsilon,
            "delta": self.delta,
            "samples": self.samples,
            "seconds": round(self.seconds, 3),
            "evidence": self.evidence or {},
            "pair": None if self.pair is None else [str(side) for side in self.pair],
        }


@frozen
class AuditVerdict:
    """All findings about one subject."""

    subject: str
    claim: str
    relation: str
    findings: tuple[Finding, ...]
    alarm_rate: float

    @property
    def is_broken(self) -> bool:
        return any(finding.is_broken for finding in self.findings)

    @property
    def fault(self) -> Finding | None:
        """The first finding that says broken, else the first that says suspicious."""
        faults = [finding for finding in self.findings if finding.is_fault]
        return min(faults, key=lambda finding: not finding.is_broken, default=None)

    @property
    def grade(self) -> str:
        return "no fault found" if self.fault is None else self.fault.outcome.value

    @property
    def worst(self) -> Finding | None:
        """The finding with the worst pair of data sets: the fault's, else the one with the highest bound of ε."""
        if self.fault is not None:
            return self.fault if self.fault.pair is not None else None
        known = [finding for finding in self.findings if finding.pair is not None]
        return max(known, key=lambda finding: finding.epsilon or 0.0, default=None)

    @property
    def headline(self) -> str:
        """The verdict in one sentence."""
        fault = self.fault
        if fault is None:
            return f"No fault found in {self.subject}, which claims {self.claim} ({self.relation})."
        end = "." if fault.is_broken else "; the answers themselves are not called broken."
        return f"{fault.outcome.value.capitalize()}: {fault.words} (stage: {fault.stage}; {fault.seconds:.1f} s){end}"

    @property
    def worst_pair(self) -> str:
        """The worst pair of data sets, and why, in one sentence; empty where no stage has one."""
        found = self.worst
        if found is None or found.pair is None:
            return ""
        if self.fault is None and not found.epsilon:
            return "No pair of data sets could be told apart."
        if found.epsilon is None:
            why = "it was found there"
        elif found.epsilon == inf:
            why = "no ε holds there: what one shows the other never does"
        else:
            at = f" at δ = {found.delta:g}" if found.delta else ""
            why = f"there ε is at least {found.epsilon:.3g}{at}, where {self.claim} is claimed"
        return f"Worst pair of data sets: {_short(found.pair[0])} and {_short(found.pair[1])}; {why}."

    def describe(self) -> str:
        """The verdict as text: the result, the worst pair, then one line per stage."""
        lines = [self.headline, *([self.worst_pair] if self.worst_pair else [])]
        for finding in self.findings:
            if finding.outcome in (Outcome.NOT_APPLICABLE, Outcome.LEFT_OUT):
                continue
            seen = f" Would have seen: {finding.could_see}." if finding.could_see and not finding.is_fault else ""
            lines.append(f"  {finding.stage:<12} {finding.outcome.value:<10} {finding.words}{seen}")
        left_out = [finding.stage for finding in self.findings if finding.outcome is Outcome.LEFT_OUT]
        if left_out:
            lines.append(f"Left out, and so not looked for: {', '.join(left_out)}.")
        lines.append(f"A sound mechanism is called broken or suspicious with probability at most {self.alarm_rate:g}.")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.describe()

    def fields(self) -> dict[str, Any]:
        worst = self.worst
        return {
            "subject": self.subject,
            "claim": self.claim,
            "relation": self.relation,
            "verdict": self.grade,
            "grade": self.grade,
            "headline": self.headline,
            "worst_pair": None if worst is None else worst.fields()["pair"],
            "alarm_rate": self.alarm_rate,
            "findings": [finding.fields() for finding in self.findings],
        }

    def certificate(self) -> str:
        """The verdict as JSON."""
        return json.dumps(self.fields(), ensure_ascii=False, indent=2)


def _short(data: Any) -> str:
    words = str(data)
    return words if len(words) <= 60 else words[:57] + "…"
