"""Stage (d), bits: grids and ranges that occur under one of two neighbours only.

With floating-point noise the low bits depend on the value; a private bound shows in the range, a private number of
people in the denominator. Each is an event under one neighbour only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from tacit.audit.auditor import Effort, Stage
from tacit.audit.event_counts import POWER, Counted, Floats, least_share, numbers_of, sample_within
from tacit.audit.neighbours import tried_words
from tacit.audit.subject import AuditSubject, Data
from tacit.audit.verdict import Finding, Outcome
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx

COARSEST = 1_100
"""The grain of zero, infinities and NaN: coarser than any number's."""


def grain(numbers: Floats) -> NDArray[np.int64]:
    """For each number the largest k such that it is a whole multiple of 2^k."""
    mantissa, exponent = np.frexp(np.where(np.isfinite(numbers), numbers, 0.0))
    whole = np.abs(mantissa * 2.0**53).astype(np.int64)
    lowest = (whole & -whole).astype(np.float64)
    trailing = np.where(whole > 0, np.log2(np.maximum(lowest, 1)), 0).astype(np.int64)
    found: NDArray[np.int64] = np.where(whole > 0, exponent.astype(np.int64) - 53 + trailing, COARSEST)
    return found


NAME = "bits"
_MOST = 40_000
_KINDS = 2
_COLUMNS = 64
_GUESS = 0.1  # used to compare events while learning only
Marks = NDArray[np.bool_]


@frozen(eq=False)
class DistinguishingEvent:
    """An event in words, the numbers of a column that show it, and its score."""

    words: str
    column: int
    marks: Callable[[Floats], Marks]
    promise: float

    def count(self, first: Floats, second: Floats, miss: float) -> Counted:
        hits, strays = (int(self.marks(side[:, self.column]).sum()) for side in (first, second))
        return Counted(hits, len(first), strays, len(second), miss)


def look(subject: AuditSubject, effort: Effort) -> Finding:
    """Half of the answers select, of each kind, the event that distinguishes the pair best; the other half tests it.

    Claim: a subject that keeps its claim is called broken with probability at most the alarm rate. Proof: the events
    are chosen without the answers that test them, there are at most two for each order of each pair, and each has an
    even share of the rate (see `Counted`).
    """
    count, miss = min(effort.samples, _MOST), effort.alarm_rate / (2 * _KINDS * len(subject.pairs))
    seconds = effort.seconds / (2 * len(subject.pairs))
    runs, widest, read = count, 0, []
    for place, pair in enumerate(subject.pairs):
        effort.watch(f"pair {place + 1} of {len(subject.pairs)}")
        salts = (97 + 2 * place, 98 + 2 * place)
        one, other = (
            numbers_of(sample_within(subject, data, count, seconds, effort.bits(salt)))
            for data, salt in zip(pair, salts, strict=True)
        )
        if one is None or other is None or one.shape[1] != other.shape[1]:
            continue
        read.append(pair)
        runs, widest = min(runs, len(one), len(other)), max(widest, one.shape[1])
        for first, second in ((one, other), (other, one)):
            for sign, found in _held(first, second, miss):
                if found.breaks(subject.claim):
                    return _fault(subject, pair if first is one else pair[::-1], sign, found, effort.alarm_rate)
    words = "No grid or range of numbers belongs to one neighbour alone." + effort.shortfall(runs, count)
    words += f" Only the first {_COLUMNS} numbers of an answer were looked at." if widest > _COLUMNS else ""
    if not read:
        words = "Its answers are no numbers, or not always equally many: nothing was looked at."
    seen = _could_see(least_share(subject.claim, runs // 2, miss), read)
    return Finding(NAME, Outcome.PASSED, words, effort.alarm_rate, seen, samples=runs if read else 0)


def _could_see(share: float, read: Sequence[tuple[Data, Data]]) -> str:
    if share == inf or not read:
        return "nothing at this claim" if read else "nothing"
    return (
        f"a grid or range that one neighbour has in {share:.2%} of answers and the other never, with power {POWER:.0%}"
        f", on {tried_words(read)}"
    )


def _fault(
    subject: AuditSubject, pair: tuple[Data, Data], sign: DistinguishingEvent, found: Counted, alarm_rate: float
) -> Finding:
    delta = float(subject.claim.exact_delta) if isinstance(subject.claim, Approx) else 0.0
    once, never = f"{found.hits:,} of {found.runs:,} fresh answers", f"{found.strays:,} of {found.others:,}"
    words = f"{sign.words}: in {once} about one data set, in {never} about its neighbour"
    evidence = {"hits": found.hits, "runs": found.runs, "strays": found.strays, "others": found.others}
    samples = 2 * (found.runs + found.others)
    bound = found.epsilon(delta)
    return Finding(NAME, Outcome.BROKEN, words, alarm_rate, "", bound, delta, samples, evidence=evidence, pair=pair)


def _held(first: Floats, second: Floats, miss: float) -> Iterator[tuple[DistinguishingEvent, Counted]]:
    """The best event of each kind, by the first halves, and its counts in the second halves."""
    (taught, held), (teaches, against) = _halves(first), _halves(second)
    columns = range(min(first.shape[1], _COLUMNS))
    for signs in (_grains, _ranges):
        found = (sign for column in columns for sign in signs(column, taught[:, column], teaches[:, column]))
        best = max(found, key=lambda sign: sign.promise, default=None)
        if best is not None and best.promise > 0:
            yield best, best.count(held, against, miss)


def _halves(answers: Floats) -> tuple[Floats, Floats]:
    return answers[: len(answers) // 2], answers[len(answers) // 2 :]


def _grains(column: int, ours: Floats, theirs: Floats) -> Iterator[DistinguishingEvent]:
    """Low bits: answers that are not multiples of some power of two; whole numbers are skipped."""
    fine, others = np.sort(grain(ours)), np.sort(grain(theirs))
    for step in np.unique(fine[fine < 0]).tolist():
        hits, strays = (int(np.searchsorted(side, step, "right")) for side in (fine, others))
        words = f"Answers finer than steps of 2^{step + 1} (floating-point noise: use a grid)"
        promise = Counted(hits, len(fine), strays, len(others), _GUESS).epsilon(0)
        yield DistinguishingEvent(words, column, _finer(step), promise)


def _finer(step: int) -> Callable[[Floats], Marks]:
    return lambda cells: grain(cells) <= step


def _ranges(column: int, ours: Floats, theirs: Floats) -> Iterator[DistinguishingEvent]:
    """Answers beyond the range of the second data set."""
    for words, end, way in (("above", float(theirs.max()), 1), ("below", float(theirs.min()), -1)):
        marks = _beyond(end, way)
        promise = Counted(int(marks(ours).sum()), len(ours), 0, len(theirs), _GUESS).epsilon(0)
        yield DistinguishingEvent(f"Answers {words} {end:g}", column, marks, promise)


def _beyond(end: float, way: int) -> Callable[[Floats], Marks]:
    return lambda cells: way * cells > way * end


BITS = Stage(NAME, lambda subject: bool(subject.pairs), look)
