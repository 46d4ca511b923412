"""What a poll found about one option of one question, whatever the design."""

from __future__ import annotations

from typing import Any, Protocol

from tacit.exact import Number
from tacit.frozen import frozen


class Estimate(Protocol):
    """A share with its interval."""

    @property
    def value(self) -> float: ...

    @property
    def standard_error(self) -> float: ...

    def interval(self, confidence: Number = "0.95") -> tuple[float, float]: ...

    def surprise(self) -> float:
        """Of a value beyond [0, 1]: how often, at most, chance goes as far on that side under the design."""

    def describe(self, confidence: Number = "0.95") -> str: ...

    def tally(self) -> dict[str, Any]:
        """How many reports were given, are missing, and counted: of each sample, where there are two."""


@frozen
class Finding:
    """The share of people whose answer is `option`."""

    option: str
    estimate: Estimate

    def describe(self, confidence: Number = "0.95") -> str:
        return f"{self.option}: {self.estimate.describe(confidence)}"
