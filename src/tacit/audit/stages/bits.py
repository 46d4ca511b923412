"""Stage d: the bit level. Answers, grids and ranges that occur under one of two neighbours only.

Noise in floating point leaves its low bits to the value it is added to; a private bound leaves its trace in the range;
a private number of people in the denominator. Each is an event that one neighbour has and the other has not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.audit.auditor import Stage
from tacit.audit.effort import Effort
from tacit.audit.finding import Finding, Outcome
from tacit.audit.stages.event import Counted, least_share
from tacit.audit.stages.grain import COARSEST, grain
from tacit.audit.stages.outcomes import key_of, numbers_of, sample_within
from tacit.audit.subject import Subject
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx

NAME = "bits"
_MOST = 40_000
Marks = NDArray[np.bool_]


@frozen
class Sign:
    """An event in words, and which answers show it."""

    words: str
    marks: Callable[[Any], Marks]


def look(subject: Subject, effort: Effort) -> Finding:
    """Half of the answers teach the event that tells the pair apart best; the other half says whether it is true."""
    ways = [(place, flip) for place in range(len(subject.pairs)) for flip in (False, True)]
    count, miss = min(effort.samples, _MOST), effort.alarm_rate / len(ways)
    seconds = effort.seconds / (2 * len(subject.pairs))
    delta = float(subject.claim.exact_delta) if isinstance(subject.claim, Approx) else 0.0
    runs = count
    for place, pair in enumerate(subject.pairs):
        answers = [
            sample_within(subject, data, count, seconds, effort.bits(97 + 2 * place + n)) for n, data in enumerate(pair)
        ]
        runs = min(runs, *map(len, answers))
        for first, second in (answers, answers[::-1]):
            (taught, held), (teaches, against) = _halves(first), _halves(second)
            sign = _best(taught, teaches)
            if sign is None:
                continue
            hits, strays = int(sign.marks(held).sum()), int(sign.marks(against).sum())
            found = Counted(hits, len(held), strays, len(against), miss)
            if found.breaks(subject.claim):
                words = (
                    f"{sign.words}: in {hits} of {len(held)} answers about one data set, in {strays} of {len(against)}"
                    " about its neighbour"
                )
                evidence = {"pair": repr(pair), "hits": hits, "strays": strays, "runs": len(held)}
                bound = found.epsilon(delta)
                return Finding(
                    NAME, Outcome.BROKEN, words, effort.alarm_rate, "", bound, delta, 4 * runs, evidence=evidence
                )
    share = least_share(subject.claim, runs // 2, miss)
    seen = f"an answer, grid or range that one neighbour has in {share:.2%} of answers and the other never"
    words = "No answer, grid or range belongs to one neighbour alone."
    return Finding(
        NAME, Outcome.PASSED, words, effort.alarm_rate, seen if share < inf else "nothing at this claim", samples=runs
    )


def _halves(answers: Any) -> tuple[Any, Any]:
    return answers[: len(answers) // 2], answers[len(answers) // 2 :]


def _best(first: Any, second: Any) -> Sign | None:
    """The event that the first answers show most often of those that the second never show, or hardly ever."""
    scored = [(_score(sign, first, second), sign) for sign in _signs(first, second)]
    best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return best[1] if best[0] > 0 else None


def _score(sign: Sign, first: Any, second: Any) -> float:
    return Counted(int(sign.marks(first).sum()), len(first), int(sign.marks(second).sum()), len(second), 0.1).epsilon(0)


def _signs(first: Any, second: Any) -> Iterator[Sign]:
    yield from _own_values(first, second)
    left, right = numbers_of(first), numbers_of(second)
    if left is None or right is None or left.shape[1] != right.shape[1]:
        return
    for column in range(min(left.shape[1], 8)):
        yield from _grains(left[:, column], column)
        yield from _ranges(right[:, column], column)


def _own_values(first: Any, second: Any) -> Iterator[Sign]:
    """Values that occur twice or more under the first and never under the second."""
    ours, theirs = Counter(map(key_of, first)), set(map(key_of, second))
    own: set[Hashable] = {key for key, times in ours.items() if times > 1 and key not in theirs}
    if own:
        words = f"Answers that only one data set has ({len(own)} of them)"
        yield Sign(words, lambda answers: np.array([key_of(answer) in own for answer in answers], np.bool_))


def _grains(left: NDArray[np.float64], column: int) -> Iterator[Sign]:
    for step in sorted(set(grain(left[np.isfinite(left)]).tolist()))[:64]:
        if step < COARSEST:
            yield Sign(f"Answers finer than steps of 2^{step + 1}", _finer(column, step))


def _finer(column: int, step: int) -> Callable[[Any], Marks]:
    return lambda answers: _column(answers, column, lambda cells: grain(cells) <= step)


def _ranges(right: NDArray[np.float64], column: int) -> Iterator[Sign]:
    low, high = float(right.min()), float(right.max())
    yield Sign(f"Answers above {high:g}", lambda answers: _column(answers, column, lambda cells: cells > high))
    yield Sign(f"Answers below {low:g}", lambda answers: _column(answers, column, lambda cells: cells < low))


def _column(answers: Any, column: int, test: Callable[[NDArray[np.float64]], Marks]) -> Marks:
    numbers = numbers_of(answers)
    return np.zeros(len(answers), np.bool_) if numbers is None else test(numbers[:, column])


BITS = Stage(NAME, lambda subject: bool(subject.pairs), look)
