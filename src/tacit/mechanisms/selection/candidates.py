"""Selection mechanisms: they choose the best of several candidates by scores that depend on the data.

The odds of the exponential mechanism grow exponentially with the score. Report noisy max takes the largest score after
exponential noise. Permute-and-flip has the same law, by coins instead of noise.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, positive, proper, whole
from tacit.frozen import frozen
from tacit.loss.calibration import least
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.pairs.bounded_range import BoundedRange
from tacit.mechanisms.inputs import in_steps
from tacit.mechanisms.mechanism import Answer, Mechanism, cost, percent
from tacit.noise.ball import Ball, ball, first_true, less
from tacit.noise.bits import Bits, Integers
from tacit.noise.grid import Grid, whole_steps_down
from tacit.noise.selection_draws import choice_law, choose, noisy_max, noisy_max_law, permute_and_flip


@frozen
class Selection(Mechanism[ArrayLike, "Choice"]):
    """A mechanism that selects a candidate with nearly the best score.

    `candidates` is how many there are, or their labels: public either way. `sensitivity` bounds how far neighbours
    move any one score; `monotonic` says that they never move one score up and another down (as when a person is added
    to counts), which allows twice the rate. Without a grid scores are integers; with one they are rounded to it, and
    the sensitivity in steps accounts for that. Rounding keeps the order, so monotonic scores stay monotonic.
    """

    candidates: int | tuple[Any, ...]
    sensitivity: Fraction
    relation: Relation
    epsilon: Fraction
    grid: Grid | None = None
    monotonic: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "candidates", _read_candidates(self.candidates))
        object.__setattr__(self, "sensitivity", positive(self.sensitivity, "sensitivity"))
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        if not isinstance(self.monotonic, bool):
            raise Refused("monotonic that is not a bool", "It is a claim: it holds or not.", "True or False.")
        if self.monotonic and self.relation is Relation.REPLACE:
            raise Refused(
                "monotonic scores under replace",
                "A person who is replaced leaves one count and enters another, so one rises and one falls.",
                "monotonic=False; or add/remove, where a person only adds.",
            )
        if self.grid is None and not self.sensitivity >= 1:
            raise Refused(
                f"a sensitivity of {self.sensitivity} for integer scores",
                "Integers that differ at all differ by at least 1.",
                "sensitivity ≥ 1; or a grid, for real scores.",
            )

    @classmethod
    def for_loss(
        cls,
        target: Loss,
        candidates: int | Sequence[Any],
        sensitivity: Number,
        relation: Relation,
        *,
        grid: Grid | None = None,
        monotonic: bool = False,
    ) -> Self:
        """The most accurate selection that costs at most `target`: a pure ε exactly, else within one part in 10⁹."""
        if isinstance(target, Approx) and target.exact_delta == 0:
            epsilon = target.exact_epsilon
        else:
            epsilon = 1 / least(lambda scale: cls.loss_of(1 / scale), target)
        bound = positive(sensitivity, "sensitivity")
        return cls(_read_candidates(candidates), bound, relation, epsilon, grid, monotonic)

    @staticmethod
    @abstractmethod
    def loss_of(epsilon: Fraction) -> Loss:
        """The loss of a selection at this ε."""

    @abstractmethod
    def probabilities(self, scores: ArrayLike) -> list[Ball]:
        """The exact probability of each candidate, given the scores. It is private and used by tests only."""

    @abstractmethod
    def select(self, steps: Integers, bits: Bits) -> int:
        """The index of the selected candidate."""

    @abstractmethod
    def failure(self, lag: int) -> Ball:
        """The worst probability, over all scores, that the selected one is `lag` ≥ 1 steps or more behind the best."""

    @property
    def loss(self) -> Loss:
        return self.loss_of(self.epsilon)

    @property
    def size(self) -> int:
        """How many candidates there are."""
        return self.candidates if isinstance(self.candidates, int) else len(self.candidates)

    @property
    def rate(self) -> Fraction:
        """The exponent per step of score: ε/2Δ for Δ in whole steps, ε/Δ where scores are monotonic."""
        whole_steps = self.grid.l1_steps_up(self.sensitivity, 1) if self.grid else whole_steps_down(self.sensitivity)
        return self.epsilon / (whole_steps if self.monotonic else 2 * whole_steps)

    def error(self, confidence: Number = "0.95") -> float:
        """How far the selected score may be behind the best: the least bound that holds for all scores.

        Only the number of candidates is used. Rounding two scores to a grid adds at most one step.
        """
        miss = 1 - proper(confidence, "confidence")
        lag = first_true(lambda t: less(lambda: self.failure(t + 1), lambda: ball(miss)))
        return lag if self.grid is None else float((lag + 1) * self.grid.step)

    def privatize(self, value: ArrayLike, bits: Bits) -> Any:
        chosen = self.select(self.steps(value), bits)
        return chosen if isinstance(self.candidates, int) else self.candidates[chosen]

    def steps(self, scores: ArrayLike) -> Integers:
        """The scores in whole steps."""
        steps = in_steps(scores, self.grid)
        if steps.shape != (self.size,):
            shape = f"scores of shape {steps.shape}"
            raise Refused(shape, "There must be one for each candidate.", f"a list of {self.size} scores.")
        return steps

    def answer(self, private: Any) -> Choice:
        return Choice(private, self)


class Choice(Answer):
    """The selected candidate: its label, or its index where there are no labels."""

    def interval(self, confidence: Number = "0.95") -> tuple[Any, Any]:
        raise Refused("an interval around a selection", "A candidate is not a number.", "error(confidence).")

    def describe(self, confidence: Number = "0.95") -> str:
        """The candidate selected, its error, and the cost."""
        behind = f"its score is within {self.error(confidence):,g} of the best, with {percent(confidence)} confidence"
        return f"{self.value}  ({behind}; cost {cost(self.loss)})"


def _read_candidates(candidates: int | Sequence[Any]) -> int | tuple[Any, ...]:
    if isinstance(candidates, Sequence) and not isinstance(candidates, (str, bytes)):
        labels = tuple(candidates)
        try:
            are_distinct = 0 < len(labels) == len(set(labels))
        except TypeError:  # mutable labels such as lists cannot be compared reliably
            are_distinct = False
        if not are_distinct:
            raise Refused("labels that are missing or repeated", "Each candidate needs its own.", "distinct labels.")
        return labels
    if isinstance(candidates, (str, bytes)):
        raise Refused("one text as candidates", "Its letters are hardly meant.", "a list of labels, or their number.")
    return whole(candidates, "candidates", 1)


@frozen
class Exponential(Selection):
    """Selects candidate o with probability ∝ exp(ε·q(o)/2Δ); with exp(ε·q(o)/Δ) if scores are monotonic.

    Claim (McSherry and Talwar 2007): if neighbours under `relation` move each score by at most Δ, the privacy loss of
    all outputs lies in one interval of width ε (bounded range), so the release is ε-private and ε²/8-zCDP. Proof:
    the logarithm of each weight moves by at most ε/2 either way, or if monotonic by at most ε one way; that of their
    sum moves alike for all outputs. Between two outputs the losses thus differ by at most ε.
    """

    @staticmethod
    def loss_of(epsilon: Fraction) -> BoundedRange:
        return BoundedRange(epsilon)

    def probabilities(self, scores: ArrayLike) -> list[Ball]:
        steps = self.steps(scores)
        return choice_law(np.ones_like(steps), steps.max() - steps, self.rate)

    def select(self, steps: Integers, bits: Bits) -> int:
        return choose(np.ones_like(steps), steps.max() - steps, self.rate, bits)

    def failure(self, lag: int) -> Ball:
        """m·e^(−lag·rate)/(1 + m·e^(−lag·rate)) for m others.

        Proof: of the weights, relative to the best one's, those that far behind add up to at most m·e^(−lag·rate),
        the rest to at least 1. All others exactly that far behind attain it.
        """
        weight = (self.size - 1) * (-ball(lag * self.rate)).exp()
        return weight / (1 + weight)


@frozen
class NoisyMax(Selection):
    """Adds exponential noise of rate ε/2Δ to each score (ε/Δ if monotonic) and selects the largest.

    Claim: if neighbours under `relation` move each score by at most Δ, the release is ε-private. Proof: fix the noise
    of all others; candidate i wins iff its own exceeds some s, and on a neighbour iff it exceeds some s′ ≤ s + 2Δ
    (s + Δ if all scores move one way). Since P(E > s + x) ≥ e^(−rate·x)·P(E > s), i wins with at least e^−ε of its
    former probability. As zCDP this is ρ = ε·tanh(ε/2), by `Pure`: the range of the loss is *not* bounded by ε, so
    the exponential mechanism's ε²/8 does not hold.

    At equal ε it is never worse than the exponential mechanism (McKenna and Sheldon 2020); at equal ρ it may be.
    """

    @staticmethod
    def loss_of(epsilon: Fraction) -> Pure:
        return Pure(epsilon)

    def probabilities(self, scores: ArrayLike) -> list[Ball]:
        return noisy_max_law(self.steps(scores), self.rate)

    def select(self, steps: Integers, bits: Bits) -> int:
        return noisy_max(steps, self.rate, bits)

    def failure(self, lag: int) -> Ball:
        """1 − (1 − (1−x)ⁿ)/nx with x = e^(−lag·rate), for n candidates.

        Proof: call those that far behind the laggards. Moving a laggard up to exactly that lag, or moving another
        (but the best) down to it, only raises the best noisy score of the laggards and lowers that of the rest. So at
        worst all but the best are exactly that far behind, and the best wins with probability ∫₀¹ (1−xz)^(n−1) dz.
        The integrand is at least 1 − (n−1)xz, which gives the second bound: narrow where the first cancels.
        """
        x = (-ball(lag * self.rate)).exp()
        exact = 1 - (1 - (1 - x) ** self.size) / (self.size * x)
        return exact.min((self.size - 1) * x / 2)


@frozen
class PermuteAndFlip(NoisyMax):
    """Visits the candidates in random order and takes the first whose coin of bias e^(−rate·(best − score)) falls on 1.

    Claim: ε-private if neighbours under `relation` move each score by at most Δ; the rate is ε/2Δ, or ε/Δ if
    monotonic. Proof: it selects each candidate with the same probability as `NoisyMax` (Ding, Kifer, Steinke, Wang,
    Xiao and Zhang 2021), whose claims and error are therefore its own.
    """

    def select(self, steps: Integers, bits: Bits) -> int:
        return permute_and_flip(steps, self.rate, bits)
