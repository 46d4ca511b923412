"""The sparse vector technique: finds the few questions of many with high values, and pays for these only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

from tacit.errors import Refused
from tacit.exact import Number, positive, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.mechanisms.selection.above_threshold import AboveThreshold
from tacit.noise.discrete_laplace import DiscreteLaplace


@frozen
class SparseVector(AboveThreshold):
    """Answers yes to at most c questions and no to any number of others; a yes may come with a noisy value.

    Claim: if neighbours under `relation` move each value by at most Δ, all answers together are (ε₁+ε₂+ε₃)-private,
    where ε₃ = `epsilon_numbers` is 0 if no values are released. Proof: yes and no as in `AboveThreshold`, with c =
    `positives`; one threshold noise serves all. The released values have noise of their own, of scale cΔ/ε₃, never
    the noise that was compared: they are c further releases at ε₃/c each, and composition adds them up.
    """

    positives: int = field(default=1, kw_only=True)
    epsilon_numbers: Fraction | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "positives", whole(self.positives, "positives", 1))
        if self.epsilon_numbers is not None:
            object.__setattr__(self, "epsilon_numbers", positive(self.epsilon_numbers, "epsilon_numbers"))

    @property
    def loss(self) -> Pure:
        return Pure(self.epsilon_threshold + self.epsilon_questions + (self.epsilon_numbers or 0))

    @cached_property
    def number_noise(self) -> DiscreteLaplace | None:
        return DiscreteLaplace(self.positives * self.shift / self.epsilon_numbers) if self.epsilon_numbers else None

    def probability(self, values: Sequence[float], answers: Sequence[Any]) -> float:
        """P(these answers); of a released number, that of its own noise too."""
        if self.number_noise is None:
            return super().probability(values, answers)
        law, pairs = self.number_noise, list(zip(values, answers, strict=False))
        noises = [int(self.steps(each) - self.steps(value)) for value, each in pairs if each is not None]
        yeses = [each is not None for each in answers]
        return super().probability(values, yeses) * prod(float(law.mass(noise)) for noise in noises)

    def number_error(self, confidence: Number = "0.95") -> float:
        """The error of all released numbers together, with this confidence."""
        if self.number_noise is None:
            raise Refused("the error of numbers", "None are released.", "a SparseVector with epsilon_numbers.")
        steps = self.number_noise.spread(confidence, self.positives)
        return steps if self.grid is None else float((steps + Fraction(1, 2)) * self.grid.step)
