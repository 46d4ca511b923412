"""Bins of a classifier's score, all public: where they begin, and the probability that stands for each.

Bins begin at round probabilities and between them, at equal steps of the logit. Bins that no row can reach are left
out: the least and the largest score of a model are known from the model.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from math import ceil, exp, log
from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.learn.coded_rows import SCORE
from tacit.learn.model_kind import ModelData
from tacit.learn.training_text import TrainingTarget

Floats = NDArray[np.float64]

SHOWN: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
"""The predicted probabilities between which calibration is shown."""

_TAIL: Final = (0.0005, 0.001, 0.002, 0.003, 0.005, 0.007)
_STEP: Final = 0.15  # of the logit, between two edges
_FARTHEST: Final = 32.0  # a score beyond which a probability does not change
_ROUNDS: Final = 60  # halvings
_OUTSIDE: Final = 0.5  # what stands for the bin below the first edge, as a part of that


@runtime_checkable
class ScoredModel(Protocol):
    """A model that says by one score which of two values is likelier: the second where the score is above 0."""

    @property
    def target(self) -> TrainingTarget: ...

    @property
    def score_range(self) -> tuple[int, int]:
        """The least and the largest score of any row, in steps of 1/`SCORE`."""
        ...

    def score_sql(self) -> str:
        """The score as SQL over the columns of the training rows: a whole number of steps."""
        ...

    def chance(self, scores: Floats) -> Floats:
        """The probability of the second value by the score; it never falls."""
        ...


@frozen(eq=False)
class ScoreBins:
    """Bin i has the scores from `begins[i − 1]` on, in steps, below `begins[i]`; `edges` are their probabilities.

    `lone` stands for all rows where there is one bin; `least` is the least score of any row.
    """

    begins: tuple[int, ...]
    edges: tuple[float, ...]
    least: int
    lone: float

    @classmethod
    def of(cls, model: ScoredModel) -> ScoreBins:
        """The bins that rows can be in."""
        least, most = model.score_range
        begins: dict[int, float] = {}
        for edge in _edges():
            begin = _first_above(model, edge)
            if least < begin <= most:
                begins[begin] = edge
        lone = float(model.chance(np.array([least / SCORE]))[0])
        return cls(tuple(begins), tuple(begins.values()), least, lone)

    @property
    def count(self) -> int:
        return len(self.begins) + 1

    @cached_property
    def chances(self) -> Floats:
        """The probability that stands for each bin: the middle of its logits; at the ends, half of what is left."""
        if not self.edges:
            return np.array([self.lone])
        logits = [_logit(edge) for edge in self.edges]
        inner = [_logistic((low + high) / 2) for low, high in pairwise(logits)]
        first, last = _OUTSIDE * self.edges[0], 1 - _OUTSIDE * (1 - self.edges[-1])
        return np.array([first, *inner, last])

    @property
    def is_high(self) -> NDArray[np.bool_]:
        """Whether the second value is predicted in each bin: where the score is above 0, which a bin begins with."""
        return np.array([begin > 0 for begin in (self.least, *self.begins)])

    def shown(self) -> list[tuple[str, NDArray[np.bool_]]]:
        """The bins of a calibration: what is predicted, in words, and which bins these are."""
        known = [edge for edge in self.edges if edge in SHOWN]
        lows, highs = np.array([0.0, *self.edges]), np.array([*self.edges, 1.0])
        ends = list(zip([0.0, *known], [*known, 1.0], strict=True))
        return [(f"{low:g} to {high:g}", (lows >= low) & (highs <= high)) for low, high in ends]

    def bin_sql(self, score: str) -> str:
        """The number of the bin of a score."""
        runs = " ".join(f"WHEN {score} < {begin} THEN {place}" for place, begin in enumerate(self.begins))
        return f"CASE {runs} ELSE {len(self.begins)} END" if runs else "0"


def bins_of(model: ModelData) -> ScoreBins | None:
    """The bins of a model of two classes with one score; None for others."""
    if isinstance(model, ScoredModel) and len(model.target.values or ()) == 2:
        return ScoreBins.of(model)
    return None


def _edges() -> list[float]:
    """The probabilities at which bins begin, rising."""
    found = [*_TAIL]
    for low, high in pairwise(SHOWN):
        first, last = _logit(low), _logit(high)
        parts = ceil((last - first) / _STEP - 1e-9)
        found += [low, *(_logistic(first + (last - first) * part / parts) for part in range(1, parts))]
    return [*found, SHOWN[-1], *(1 - edge for edge in reversed(_TAIL))]


def _first_above(model: ScoredModel, edge: float) -> int:
    """The first step of the score at which the probability is above an edge; at one half, above score 0."""
    if edge == 0.5:
        return 1
    low, high = -_FARTHEST, _FARTHEST
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        low, high = (middle, high) if float(model.chance(np.array([middle]))[0]) <= edge else (low, middle)
    return int(low * SCORE // 1) + 1


def _logit(share: float) -> float:
    return log(share / (1 - share))


def _logistic(logit: float) -> float:
    return 1 / (1 + exp(-logit))
