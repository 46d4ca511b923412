"""A private vector, with its distance from the true one."""

from __future__ import annotations

from tacit.exact import Number
from tacit.loss.words import cost
from tacit.mechanisms.answer import Answer, percent


class VectorAnswer(Answer):
    """A private vector: the error is its distance from the true one. `interval` is the box around that ball."""

    def describe(self, confidence: Number = "0.95") -> str:
        cells = ", ".join(f"{cell:,.6g}" for cell in self.value)
        sure = f"({percent(confidence)} sure; cost {cost(self.loss)})"
        return f"({cells}) within {self.error(confidence):,.4g} in length  {sure}"
