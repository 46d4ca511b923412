"""Stage (b), replay: the same release on neighbours with the same bits, compared for what distinguishes them.

A release runs on bits that record its draws.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from math import inf
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.audit.auditor import Effort, Stage
from tacit.audit.event_counts import Counted
from tacit.audit.neighbours import tried_words
from tacit.audit.stages.exclusive_traits import form_of
from tacit.audit.subject import AuditSubject, Data
from tacit.audit.verdict import Finding, Outcome
from tacit.frozen import frozen
from tacit.noise.bits import Bits, Rehearsal


class Recording(Rehearsal):
    """Returns the bits of a source, and records the number of bytes of each draw."""

    def __init__(self, source: Bits) -> None:
        self._source = source
        self.draws: list[int] = []

    def octets(self, count: int) -> NDArray[np.uint8]:
        self.draws.append(count)
        return self._source.octets(count)


@frozen(eq=False)
class Run:
    """One release: the answer or the error, and its draws."""

    answer: Any
    error: Exception | SystemExit | None
    draws: tuple[int, ...]

    @property
    def error_text(self) -> str | None:
        """The text of an error that an observer sees."""
        return None if self.error is None else f"{type(self.error).__name__}: {self.error}"


def run(subject: AuditSubject, data: Data, bits: Bits) -> Run:
    """One release on recorded bits. An exception of the audited code is part of its output."""
    recording = Recording(bits)
    try:
        answer, error = subject.release(data, recording), None
    except (Exception, SystemExit) as raised:
        answer, error = None, raised
    return Run(answer, error, tuple(recording.draws))


NAME = "replay"
_ROUNDS = 48
_HELD = 1_000
"""Number of fresh runs on either data set that test a form which only one of them had."""


def look(subject: AuditSubject, effort: Effort) -> Finding:
    """Compare errors, infinities and NaN, types and shapes on both data sets of a pair.

    A release is total: an error, an infinity or a NaN upon one of two neighbours only, with the same bits, is a fault
    by that rule, without any probability. A type or shape is an answer like any other and is tested against the claim
    on fresh runs. So is an error of code that draws no bits here: its own randomness may cause it.
    """
    pairs, began = [*subject.pairs, *subject.ladder], perf_counter()
    miss, draws = effort.alarm_rate / max(1, 2 * len(pairs)), set[bool]()
    has_own_bits = True
    for place, (one, other) in enumerate(pairs):
        if place >= len(subject.pairs) and perf_counter() - began > effort.seconds:
            pairs = pairs[:place]
            break
        effort.watch(f"pair {place + 1} of {len(pairs)}")
        first, second = [], []
        for turn in range(_ROUNDS):
            salt = 10_000 + place * _ROUNDS + turn
            first.append(run(subject, one, effort.bits(salt)))
            second.append(run(subject, other, effort.bits(salt)))
            draws.add(first[-1].draws == second[-1].draws)
            has_own_bits = has_own_bits and not (first[-1].draws or second[-1].draws)
        differ = () if has_own_bits else _differences(first, second)
        for words in (*differ, *_forms(subject, (one, other), first, second, miss, effort.bits(9_000 + place))):
            evidence = {"errors": _texts(first + second)}
            is_proof = not has_own_bits and any(each.error for each in first + second)
            bound = inf if is_proof else None
            samples = 2 * _ROUNDS * (place + 1)
            pair, rate = (one, other), effort.alarm_rate
            return Finding(NAME, Outcome.BROKEN, words, rate, "", bound, samples=samples, evidence=evidence, pair=pair)
    words = "On the same bits both of each pair end alike: no error, no NaN, no form of one alone."
    if has_own_bits:
        words = "Of no pair tried has one always an error, NaN or form that the other never has (its bits are its own)."
    elif False in draws:
        words += " The number of random bytes differs; the time that takes is another stage's."
    seen = "" if has_own_bits else f"an error or a NaN in one of {_ROUNDS} runs on either data set"
    if Counted(_HELD, _HELD, 0, _HELD, miss).breaks(subject.claim):
        always = "an error, type or shape that every run on one data set has and none on the other"
        seen += f", or {always}" if seen else always
    seen += f", on {tried_words(pairs)}" if seen else ""
    return Finding(NAME, Outcome.PASSED, words, effort.alarm_rate, seen, samples=2 * _ROUNDS * len(pairs))


def _differences(first: list[Run], second: list[Run]) -> Iterator[str]:
    for one, other in zip(first, second, strict=True):
        if (one.error is None) != (other.error is None):
            error = one.error or other.error
            yield f"A {type(error).__name__} is raised on one data set and not on its neighbour, with the same bits"
        elif one.error_text != other.error_text:
            yield "The text of an error differs between neighbours"
        elif _is_finite(one.answer) != _is_finite(other.answer):
            yield "An infinity or a NaN is released about one data set and not about its neighbour, with the same bits"


def _forms(
    subject: AuditSubject, pair: tuple[Data, Data], first: list[Run], second: list[Run], miss: float, bits: Bits
) -> Iterator[str]:
    """Errors, types and shapes that only one data set had: the finding on fresh runs, if the claim forbids them."""
    ours, theirs = ({_end(each) for each in runs} for runs in (first, second))
    if ours & theirs:
        return
    fresh = [[run(subject, data, bits) for _ in range(_HELD)] for data in pair]
    hits, strays = (sum(_end(each) in ours for each in runs) for runs in fresh)
    if not Counted(hits, _HELD, strays, _HELD, miss).breaks(subject.claim):
        return
    errors = [sum(each.error is not None for each in runs) for runs in fresh]
    if any(errors):
        yield f"{errors[0]} of {_HELD} runs on one data set raise an error, {errors[1]} of {_HELD} on its neighbour"
    else:
        yield "Answers about one data set have types or shapes that those about its neighbour have not"


def _end(made: Run) -> Hashable:
    """The end of a run: an error, or the form of its answer."""
    return made.error_text or (form_of(made.answer), _is_finite(made.answer))


def _is_finite(answer: Any) -> bool:
    """False iff a number somewhere in the answer is infinite or NaN."""
    if isinstance(answer, dict):
        return all(_is_finite(part) for part in answer.values())
    if isinstance(answer, (list, tuple)):
        return all(_is_finite(part) for part in answer)
    if isinstance(answer, (float, np.floating)) or (isinstance(answer, np.ndarray) and answer.dtype.kind == "f"):
        return bool(np.all(np.isfinite(answer)))
    return True


def _texts(runs: Iterable[Run]) -> list[str]:
    return sorted({each.error_text for each in runs if each.error_text})[:4]


REPLAY = Stage(NAME, lambda subject: bool(subject.pairs), look)
