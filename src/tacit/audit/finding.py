"""What one stage of an audit found: a fault with its evidence, or none and how small a one it would have seen."""

from __future__ import annotations

import math
from dataclasses import replace
from enum import Enum
from typing import Any

from tacit.frozen import frozen


class Outcome(Enum):
    """How a stage ended."""

    BROKEN = "broken"
    """What is claimed does not hold."""
    SUSPICIOUS = "suspicious"
    """Something beside the answers differs, which may matter where somebody can measure it."""
    PASSED = "passed"
    NOT_APPLICABLE = "not applicable"
    LEFT_OUT = "left out"


@frozen
class Finding:
    """The end of one stage.

    `alarm_rate` is the probability with which it says broken of a sound mechanism, at most: 0 for a stage that proves
    what it says. `could_see` is the smallest violation that it would have found, in words with numbers.
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
    """The neighbouring data sets that it speaks of: the worst that the stage knows."""

    @property
    def is_broken(self) -> bool:
        return self.outcome is Outcome.BROKEN

    @property
    def is_fault(self) -> bool:
        """Broken or suspicious."""
        return self.outcome in (Outcome.BROKEN, Outcome.SUSPICIOUS)

    def after(self, seconds: float) -> Finding:
        """The same, with the time it took."""
        return replace(self, seconds=seconds)

    def fields(self) -> dict[str, Any]:
        """As JSON knows it."""
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
