"""The end of an audit: broken, with the evidence, or not, with what it could have seen; and its certificate."""

from __future__ import annotations

import json
from typing import Any

from tacit.audit.finding import Finding, Outcome
from tacit.frozen import frozen


@frozen
class Verdict:
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
        """The first finding that says broken."""
        return next((finding for finding in self.findings if finding.is_broken), None)

    def describe(self) -> str:
        """The verdict as a person reads it: first the end, then a line a stage."""
        fault = self.fault
        if fault is not None:
            head = f"Broken. {fault.words} (stage: {fault.stage}; {fault.seconds:.1f} s)."
        else:
            head = f"No fault found in {self.subject}, which claims {self.claim} ({self.relation})."
        lines = [head]
        for finding in self.findings:
            if finding.outcome is Outcome.NOT_APPLICABLE:
                continue
            seen = f" Would have seen: {finding.could_see}." if finding.could_see and not finding.is_broken else ""
            lines.append(f"  {finding.stage:<12} {finding.outcome.value:<7} {finding.words}{seen}")
        lines.append(f"A sound mechanism is called broken with probability at most {self.alarm_rate:g}.")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.describe()

    def fields(self) -> dict[str, Any]:
        return {
            "subject": self.subject,
            "claim": self.claim,
            "relation": self.relation,
            "verdict": "broken" if self.is_broken else "no fault found",
            "alarm_rate": self.alarm_rate,
            "findings": [finding.fields() for finding in self.findings],
        }

    def certificate(self) -> str:
        """The verdict as JSON."""
        return json.dumps(self.fields(), ensure_ascii=False, indent=2)
