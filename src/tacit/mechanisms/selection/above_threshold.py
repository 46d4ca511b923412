"""Above threshold: which of a stream of questions is the first whose value is high, at the price of one.

The sparse vector technique repeats it: it finds the few questions of many with high values, and pays for these only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, prod
from typing import Any, TypeVar

import numpy as np

from tacit.errors import Refused
from tacit.exact import Number, exact, positive, proper, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.inputs import in_steps
from tacit.mechanisms.mechanism import Answer, Mechanism, cost, percent
from tacit.mechanisms.selection.noisy_threshold import ThresholdLaw, ThresholdSession
from tacit.noise.bits import ENTROPY, Bits
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.grid import Grid, whole_steps_down

Some = TypeVar("Some", bound="AboveThreshold")
_SPLITS = 1 << 20


@frozen
class AboveThreshold(Mechanism[Sequence[float], "Crossings"]):
    """Compares each value plus its own noise with one noisy threshold, and stops after the first yes.

    Claim: if neighbours under `relation` move each value by at most Δ, all answers together are (ε₁+ε₂)-private,
    however many there are and however each question was chosen after the answers before it (Dwork and Roth 2014; Lyu,
    Su and Li 2017, algorithm 1). Proof: the threshold has Laplace noise of scale Δ/ε₁, drawn once; each question has
    fresh noise of scale 2cΔ/ε₂, for c yeses in all (here 1). Move the threshold's noise by Δ, at a factor e^ε₁: then
    every no is at least as likely on the neighbour as it was. A yes asks its own noise to make up for at most 2Δ, at
    a factor e^(ε₂/c), and there are at most c. If all values move one way (`monotonic`), Δ is enough: scale cΔ/ε₂.
    Answers carry no noisy value. The noise is discrete, the values integers or rounded to a grid, and Δ is in whole
    steps, so the same moves are exact.
    """

    threshold: Fraction
    sensitivity: Fraction
    relation: Relation
    epsilon_threshold: Fraction
    epsilon_questions: Fraction
    grid: Grid | None = None
    monotonic: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "threshold", exact(self.threshold, "threshold"))
        for name in ("sensitivity", "epsilon_threshold", "epsilon_questions"):
            object.__setattr__(self, name, positive(getattr(self, name), name))
        if not isinstance(self.monotonic, bool):
            raise Refused("monotonic that is not a bool", "It is a claim: it holds or not.", "True or False.")
        if self.monotonic and self.relation is Relation.REPLACE:
            raise Refused(
                "monotonic values under replace",
                "A person who is replaced leaves one count and enters another, so one rises and one falls.",
                "monotonic=False; or add/remove, where a person only adds.",
            )
        if self.grid is None and not self.sensitivity >= 1:
            raise Refused(
                f"a sensitivity of {self.sensitivity} for integers",
                "Integers that differ at all differ by at least 1.",
                "sensitivity ≥ 1; or a grid, for real values.",
            )

    @classmethod
    def for_epsilon(
        cls: type[Some],
        epsilon: Number,
        threshold: Number,
        sensitivity: Number,
        relation: Relation,
        *,
        grid: Grid | None = None,
        monotonic: bool = False,
        **more: Any,
    ) -> Some:
        """ε split so that value minus threshold has the least variance: ε₁ : ε₂ = 1 : (2c)^⅔ (c^⅔ if monotonic)."""
        total = positive(epsilon, "epsilon")
        yeses = whole(more.get("positives", 1), "positives", 1)
        share = Fraction(max(1, round(_SPLITS / (1 + ((1 if monotonic else 2) * yeses) ** (2 / 3)))), _SPLITS)
        level, bound = exact(threshold, "threshold"), positive(sensitivity, "sensitivity")
        return cls(level, bound, relation, total * share, total * (1 - share), grid, monotonic, **more)

    @property
    def positives(self) -> int:
        """The number of yeses after which a session closes."""
        return 1

    @property
    def loss(self) -> Pure:
        return Pure(self.epsilon_threshold + self.epsilon_questions)

    @property
    def shift(self) -> int:
        """How many whole steps neighbours move a value at most."""
        return self.grid.l1_steps_up(self.sensitivity, 1) if self.grid else whole_steps_down(self.sensitivity)

    @property
    def level(self) -> int:
        """The threshold in whole steps: between integers the next one up, on a grid the nearest."""
        return floor(self.threshold / self.grid.step + Fraction(1, 2)) if self.grid else ceil(self.threshold)

    @cached_property
    def threshold_noise(self) -> DiscreteLaplace:
        return DiscreteLaplace(self.shift / self.epsilon_threshold)

    @cached_property
    def question_noise(self) -> DiscreteLaplace:
        return DiscreteLaplace((1 if self.monotonic else 2) * self.positives * self.shift / self.epsilon_questions)

    @property
    def number_noise(self) -> DiscreteLaplace | None:
        """The noise of released numbers, where there are any."""
        return None

    def start(self) -> ThresholdSession:
        """A new session, with noise from the operating system's entropy. Each one costs `loss`."""
        return ThresholdSession(self, ENTROPY)

    def steps(self, value: float) -> int:
        """One value in whole steps."""
        if np.ndim(value):
            raise Refused("several values in one question", "Each is a question of its own.", "one number.")
        return int(in_steps(value, self.grid))

    def place(self, steps: int) -> int | float:
        """The number at this step."""
        return self.grid.place_one(steps) if self.grid else steps

    @cached_property
    def law(self) -> ThresholdLaw:
        return ThresholdLaw(self.threshold_noise.scale, self.question_noise.scale)

    def probability(self, values: Sequence[float], answers: Sequence[bool]) -> float:
        """P(these answers) to these values, asked until the session closes. It is private and used by tests only."""
        return self.law.probability([self.steps(value) - self.level for value in values[: len(answers)]], answers)

    def error(self, confidence: Number = "0.95", questions: int = 1) -> float:
        """The least distance to move the threshold, up or down, so that all of this many answers are right.

        It is the quantile of the noise, so it holds for any questions. A grid adds a step, for two roundings.
        """
        steps = self.law.spread(1 - proper(confidence, "confidence"), whole(questions, "questions", 1))
        return steps if self.grid is None else float((steps + 1) * self.grid.step)

    def privatize(self, value: Sequence[float], bits: Bits) -> Any:
        if not np.iterable(value):
            raise Refused("one value", "Questions come in a list.", "a list of numbers.")
        questions = list(value)
        for each in questions:
            self.steps(each)  # refuse invalid values first, wherever the session would close
        session, answers = ThresholdSession(self, bits), []
        for each in questions:
            if session.stopped:
                break
            answers.append(session.measure(each) if self.number_noise else session.ask(each))
        return tuple(answers)

    def answer(self, private: Any) -> Crossings:
        return Crossings(private, self)


class Crossings(Answer):
    """The answers to a list of questions, up to the last yes allowed."""

    mechanism: AboveThreshold

    def error(self, confidence: Number = "0.95") -> float:
        return self.mechanism.error(confidence, max(1, len(self.value)))

    def interval(self, confidence: Number = "0.95") -> tuple[Any, Any]:
        raise Refused("an interval around yes and no", "They are not numbers.", "error(confidence), of the threshold.")

    def describe(self, confidence: Number = "0.95") -> str:
        """The answers, the error of the threshold, and the cost."""
        words = [_word(each) for each in self.value]
        sharp = f"all right for a threshold within ± {self.error(confidence):,g}, with {percent(confidence)} confidence"
        return f"{', '.join(words) or 'no question'}  ({sharp}; cost {cost(self.loss)})"


def _word(answer: bool | float | None) -> str:
    if answer is None or isinstance(answer, bool):
        return "yes" if answer else "no"
    return f"{answer:,}"


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
