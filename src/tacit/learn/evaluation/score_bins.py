"""Bins of a classifier's score, all public: where they begin, and the probability that stands for each.

Bins begin at round probabilities and between them, at equal steps of the logit. Bins that no row can reach are left
out: the least and the largest score of a model are known from the model.
"""

from __future__ import annotations

from collections.abc import Mapping
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

_ENDS: Final = (0.0005, 0.9995)  # beyond which rows share a bin
_STEP: Final = 0.15  # of the logit, between two bins; in the tails more
_TAIL_STEP: Final = 0.5
_FARTHEST: Final = 32.0  # a score beyond which a probability does not change
_ROUNDS: Final = 60  # halvings
_WITHIN: Final = (1e-9, 1 - 1e-9)
_OUTSIDE: Final = 0.5  # what stands for an outer bin, as a part of the probability at its edge


@frozen
class ScorePiece:
    """`parts` bins of equal width, below a knot of the score: from `start` on, in steps."""

    start: int
    width: int
    parts: int

    @property
    def begins(self) -> tuple[int, ...]:
        """Where bins begin; the last is the knot, from which on all of its bins are passed."""
        return tuple(self.start + self.width * part for part in range(1, self.parts + 1))

    def passed_sql(self, score: str) -> str:
        """The number of these bins that a score has passed."""
        return f"(least(greatest({score}, {self.start}), {self.begins[-1]}) - {self.start}) // {self.width}"


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
    """Bin i has the scores from `begins[i − 1]` on, in steps, below `begins[i]`.

    `least` and `most` are the least and the largest score of any row, `edges` the probabilities where bins begin.
    Between knots, which are at round probabilities, bins have equal widths: so the number of a bin is computed from the
    score by a few divisions. A comparison for each bin would repeat the score, a long expression, as often.
    """

    first: tuple[int, ...]  # the first knot, if rows may lie below it
    pieces: tuple[ScorePiece, ...]
    known: Mapping[int, float]  # the knots at round probabilities
    least: int
    most: int
    edges: tuple[float, ...]
    lone: float  # what stands for all rows where there is one bin

    @classmethod
    def of(cls, model: ScoredModel) -> ScoreBins:
        """The bins that rows can be in."""
        least, most = model.score_range
        begin_of = {edge: _first_above(model, edge) for edge in (*SHOWN, *_ENDS)}
        inner = {begin_of[edge]: edge for edge in SHOWN if least < begin_of[edge] <= most}
        low = min(max(least, begin_of[_ENDS[0]]), most)
        knots = sorted({low, *inner, max(min(most + 1, begin_of[_ENDS[1]]), low)})
        pieces = tuple(_piece(model, first, last) for first, last in pairwise(knots))
        first = (low,) if least < low else ()
        at_begins = model.chance(np.array([(begin - 0.5) / SCORE for begin in _begins(first, pieces, most)]))
        lone = float(model.chance(np.array([least / SCORE]))[0])
        edges = tuple(np.clip(at_begins, *_WITHIN).tolist())
        return cls(first, pieces, inner, least, most, edges, lone)

    @cached_property
    def begins(self) -> tuple[int, ...]:
        return _begins(self.first, self.pieces, self.most)

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
        places = [place for place, begin in enumerate(self.begins, 1) if begin in self.known]
        texts = [0.0, *(self.known[self.begins[place - 1]] for place in places), 1.0]
        numbers = np.arange(self.count)
        return [
            (f"{low:g} to {high:g}", (numbers >= begin) & (numbers < end))
            for (low, high), (begin, end) in zip(pairwise(texts), pairwise([0, *places, self.count]), strict=True)
        ]

    def bin_sql(self, score: str) -> str:
        """The number of the bin of a score."""
        parts = [f"CASE WHEN {score} < {begin} THEN 0 ELSE 1 END" for begin in self.first]
        return " + ".join([*parts, *(piece.passed_sql(score) for piece in self.pieces)]) or "0"


def _begins(first: tuple[int, ...], pieces: tuple[ScorePiece, ...], most: int) -> tuple[int, ...]:
    """Where bins begin that rows can be in."""
    return tuple(begin for begin in (*first, *(each for piece in pieces for each in piece.begins)) if begin <= most)


def _piece(model: ScoredModel, low: int, high: int) -> ScorePiece:
    """The bins between two knots: about equal steps of the logit."""
    ends = np.clip(model.chance(np.array([low, high]) / SCORE), *_WITHIN)
    is_tail = not (_logit(SHOWN[0]) <= _logit(float(ends.mean())) <= _logit(SHOWN[-1]))
    wide = _logit(float(ends[1])) - _logit(float(ends[0]))
    parts = min(max(1, ceil(wide / (_TAIL_STEP if is_tail else _STEP) - 1e-6)), high - low)
    width = (high - low) // parts
    return ScorePiece(high - parts * width, width, parts)


@runtime_checkable
class OneScoreModel(Protocol):
    """A model that may be one of one score."""

    def one_score(self) -> ScoredModel | None:
        """The same model with one score, if it has one."""
        ...


def scored(model: ModelData) -> ScoredModel | None:
    """A model of two classes with one score; None for others."""
    found = model.one_score() if isinstance(model, OneScoreModel) else model
    return found if isinstance(found, ScoredModel) and len(found.target.values or ()) == 2 else None


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
