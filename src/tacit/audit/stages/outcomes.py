"""Answers of any kind as things that can be compared and counted."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.audit.subject import Data, Subject
from tacit.noise.bits import Bits

Floats = NDArray[np.float64]
_BATCH = 64


def key_of(answer: Any) -> Hashable:
    """The answer as a key: equal iff an observer sees the same, order and type included."""
    if isinstance(answer, float):
        return ("float", answer if answer and answer == answer else str(answer))  # NaN is NaN, -0.0 is not 0.0
    if isinstance(answer, np.ndarray):
        return (answer.shape, answer.dtype.kind, tuple(map(key_of, answer.ravel().tolist())))
    if isinstance(answer, np.generic):
        return key_of(answer.item())
    if isinstance(answer, Mapping):
        return ("mapping", tuple((key_of(name), key_of(value)) for name, value in answer.items()))
    if isinstance(answer, (list, tuple)):
        return (type(answer).__name__, tuple(map(key_of, answer)))
    if isinstance(answer, (set, frozenset)):
        return ("set", frozenset(map(key_of, answer)))
    try:
        hash(answer)
    except TypeError:
        return (type(answer).__name__, repr(answer))
    return (type(answer).__name__, answer)


def numbers_of(answers: Any) -> Floats | None:
    """The answers as rows of floats, where they are numbers and all of one length."""
    try:
        array = np.asarray(answers)
    except ValueError:
        return None
    if array.dtype.kind not in "fiu" or array.size == 0:
        return None
    return array.reshape(array.shape[0], -1).astype(np.float64)


def sample_within(subject: Subject, data: Data, count: int, seconds: float, bits: Bits) -> Any:
    """So many independent answers, or as many as the time permits, but at least 64: an array, or a list of any."""
    if subject.many is not None:
        return subject.many(data, count, bits)
    start, found = perf_counter(), list[Any]()
    while len(found) < count and (len(found) < _BATCH or perf_counter() - start < seconds):
        found.extend(subject.answers(data, min(_BATCH, count - len(found)), bits))
    return found
