"""Stage d: the bit level. Grids and ranges that occur under one of two neighbours only.

Noise in floating point leaves its low bits to the value it is added to; a private bound leaves its trace in the range;
a private number of people in the denominator. Each is an event that one neighbour has and the other has not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.audit.auditor import Stage
from tacit.audit.domain import tried_words
from tacit.audit.effort import Effort
from tacit.audit.finding import Finding, Outcome
from tacit.audit.stages.event import POWER, Counted, least_share
from tacit.audit.stages.grain import grain
from tacit.audit.stages.outcomes import Floats, numbers_of, sample_within
from tacit.audit.subject import Data, Subject
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx

NAME = "bits"
_MOST = 40_000
_KINDS = 2
_COLUMNS = 8
_GUESS = 0.1  # by which events are compared while learning; it decides nothing
Marks = NDArray[np.bool_]


@frozen
class Sign:
    """An event in words, and which answers show it."""

    words: str
    marks: Callable[[Any], Marks]


def look(subject: Subject, effort: Effort) -> Finding:
    """Half of the answers teach, of each kind, the event that tells the pair apart best; the other half holds it.

    Claim: a subject that keeps its claim is called broken with probability at most the alarm rate. Proof: the events
    held are chosen without the answers that they are held against, there are at most two for each way round of each
    pair, and each has an even share of the rate (see `Counted`).
    """
    count, miss = min(effort.samples, _MOST), effort.alarm_rate / (2 * _KINDS * len(subject.pairs))
    seconds = effort.seconds / (2 * len(subject.pairs))
    runs = count
    for place, pair in enumerate(subject.pairs):
        salts = (97 + 2 * place, 98 + 2 * place)
        one, other = (
            sample_within(subject, data, count, seconds, effort.bits(salt))
            for data, salt in zip(pair, salts, strict=True)
        )
        runs = min(runs, len(one), len(other))
        for first, second in ((one, other), (other, one)):
            for sign, found in _held(first, second, miss):
                if found.breaks(subject.claim):
                    return _fault(subject, pair if first is one else pair[::-1], sign, found, effort.alarm_rate)
    share = least_share(subject.claim, runs // 2, miss)
    seen = (
        f"a grid or range that one neighbour has in {share:.2%} of answers and the other never, with power {POWER:.0%}"
        f", on {tried_words(subject.pairs)}"
    )
    words = "No grid or range of numbers belongs to one neighbour alone."
    return Finding(
        NAME, Outcome.PASSED, words, effort.alarm_rate, seen if share < inf else "nothing at this claim", samples=runs
    )


def _fault(subject: Subject, pair: tuple[Data, Data], sign: Sign, found: Counted, alarm_rate: float) -> Finding:
    delta = float(subject.claim.exact_delta) if isinstance(subject.claim, Approx) else 0.0
    once, never = f"{found.hits:,} of {found.runs:,} fresh answers", f"{found.strays:,} of {found.others:,}"
    words = f"{sign.words}: in {once} about one data set, in {never} about its neighbour"
    evidence = {"hits": found.hits, "runs": found.runs, "strays": found.strays, "others": found.others}
    samples = 2 * (found.runs + found.others)
    bound = found.epsilon(delta)
    return Finding(NAME, Outcome.BROKEN, words, alarm_rate, "", bound, delta, samples, evidence=evidence, pair=pair)


def _held(first: Any, second: Any, miss: float) -> Iterator[tuple[Sign, Counted]]:
    """The best event of each kind, by the first halves, and how often it occurs in the second halves."""
    (taught, held), (teaches, against) = _halves(first), _halves(second)
    for signs in (_grains(taught, teaches), _ranges(taught, teaches)):
        scored = [(_counted(sign, taught, teaches, _GUESS).epsilon(0), sign) for sign in signs]
        score, sign = max(scored, key=lambda pair: pair[0], default=(0.0, None))
        if sign is not None and score > 0:
            yield sign, _counted(sign, held, against, miss)


def _counted(sign: Sign, first: Any, second: Any, miss: float) -> Counted:
    return Counted(int(sign.marks(first).sum()), len(first), int(sign.marks(second).sum()), len(second), miss)


def _halves(answers: Any) -> tuple[Any, Any]:
    return answers[: len(answers) // 2], answers[len(answers) // 2 :]


def _grains(first: Any, second: Any) -> Iterator[Sign]:
    """Low bits: answers that are no multiples of some power of two. Whole numbers have none to speak of."""
    for column, left, _ in _columns(first, second):
        for step in sorted(set(grain(left[np.isfinite(left)]).tolist())):
            if step < 0:
                yield Sign(f"Answers finer than steps of 2^{step + 1}", _finer(column, step))


def _finer(column: int, step: int) -> Callable[[Any], Marks]:
    return lambda answers: _marked(answers, column, lambda cells: grain(cells) <= step)


def _ranges(first: Any, second: Any) -> Iterator[Sign]:
    """Answers beyond all that the second has."""
    for column, _, right in _columns(first, second):
        low, high = float(right.min()), float(right.max())
        yield Sign(f"Answers above {high:g}", _beyond(column, high, 1))
        yield Sign(f"Answers below {low:g}", _beyond(column, -low, -1))


def _beyond(column: int, end: float, way: int) -> Callable[[Any], Marks]:
    return lambda answers: _marked(answers, column, lambda cells: way * cells > end)


def _columns(first: Any, second: Any) -> Iterator[tuple[int, Floats, Floats]]:
    left, right = numbers_of(first), numbers_of(second)
    if left is not None and right is not None and left.shape[1] == right.shape[1]:
        for column in range(min(left.shape[1], _COLUMNS)):
            yield column, left[:, column], right[:, column]


def _marked(answers: Any, column: int, test: Callable[[Floats], Marks]) -> Marks:
    numbers = numbers_of(answers)
    return np.zeros(len(answers), np.bool_) if numbers is None else test(numbers[:, column])


BITS = Stage(NAME, lambda subject: bool(subject.pairs), look)
