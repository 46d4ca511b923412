"""Selections: which of several candidates is best, by scores that depend on the data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, positive, proper, whole
from tacit.frozen import frozen
from tacit.loss.calibration import least
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Loss, Relation
from tacit.mechanisms.answer import Answer, cost, percent
from tacit.mechanisms.inputs import in_steps
from tacit.mechanisms.mechanism import Mechanism
from tacit.noise.ball import Ball, ball, first_true, less
from tacit.noise.bits import Bits, Integers
from tacit.noise.grid import Grid, whole_steps_down

Some = TypeVar("Some", bound="Selection")


@frozen
class Selection(Mechanism[ArrayLike, "Choice"]):
    """A mechanism that names a candidate whose score is nearly the best.

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
        cls: type[Some],
        target: Loss,
        candidates: int | Sequence[Any],
        sensitivity: Number,
        relation: Relation,
        *,
        grid: Grid | None = None,
        monotonic: bool = False,
    ) -> Some:
        """The sharpest selection that costs at most `target`: a pure ε exactly, else within one part in 10⁹."""
        if isinstance(target, Approx) and target.exact_delta == 0:
            epsilon = target.exact_epsilon
        else:
            epsilon = 1 / least(lambda scale: cls.loss_of(1 / scale), target)
        bound = positive(sensitivity, "sensitivity")
        return cls(_read_candidates(candidates), bound, relation, epsilon, grid, monotonic)

    @staticmethod
    @abstractmethod
    def loss_of(epsilon: Fraction) -> Loss:
        """What a selection at this ε costs."""

    @abstractmethod
    def probabilities(self, scores: ArrayLike) -> list[Ball]:
        """The exact probability of each candidate, given the scores. It is private; only tests want it."""

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
        """What one step of score is worth: ε/2Δ for Δ in whole steps, ε/Δ where scores are monotonic."""
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
        """Who was selected, how good that is, cost."""
        behind = f"its score is within {self.error(confidence):,g} of the best, with {percent(confidence)} confidence"
        return f"{self.value}  ({behind}; cost {cost(self.loss)})"


def _read_candidates(candidates: int | Sequence[Any]) -> int | tuple[Any, ...]:
    if isinstance(candidates, Sequence) and not isinstance(candidates, (str, bytes)):
        labels = tuple(candidates)
        if not (labels and _are_distinct(labels)):
            raise Refused("labels that are missing or repeated", "Each candidate needs its own.", "distinct labels.")
        return labels
    if isinstance(candidates, (str, bytes)):
        raise Refused("one text as candidates", "Its letters are hardly meant.", "a list of labels, or their number.")
    return whole(candidates, "candidates", 1)


def _are_distinct(labels: tuple[Any, ...]) -> bool:
    try:
        return len(set(labels)) == len(labels)
    except TypeError:  # lists and the like cannot be told apart for good
        return False
