"""Answers of any kind as things that can be compared and counted."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.audit.stages.inside import attributes_of, is_compared_by_identity, is_whole, text_of
from tacit.audit.subject import Data, Subject
from tacit.noise.bits import Bits

Floats = NDArray[np.float64]
_BATCH = 64
_COMMON = (int, str, bool, bytes, type(None))
DEEPEST = 8
"""How deep nested answers are read: an answer may hold itself."""


def key_of(answer: Any, depth: int = 0) -> Hashable:
    """The answer as a key: equal iff an observer sees the same, order and type included.

    An object that only equals itself is read by its attributes; what lies deeper than the deepest is its type.
    """
    if isinstance(answer, float):
        return ("float", answer if answer and answer == answer else str(answer))  # NaN is NaN, -0.0 is not 0.0
    if type(answer) in _COMMON:
        return (type(answer).__name__, answer)
    if depth > DEEPEST:
        return type(answer).__name__
    if isinstance(answer, np.ndarray):
        return (answer.shape, answer.dtype.kind, tuple(key_of(each, depth + 1) for each in answer.ravel().tolist()))
    if isinstance(answer, np.generic) and not isinstance(plain := answer.item(), np.generic):
        return key_of(plain, depth)
    if isinstance(answer, Mapping):
        named = ((key_of(name, depth + 1), key_of(value, depth + 1)) for name, value in answer.items())
        return ("mapping", tuple(named))
    if isinstance(answer, (list, tuple)):
        return (type(answer).__name__, tuple(key_of(each, depth + 1) for each in answer))
    if isinstance(answer, (set, frozenset)):
        return ("set", frozenset(key_of(each, depth + 1) for each in answer))
    if is_compared_by_identity(answer) and not is_whole(answer):
        named = ((name, key_of(value, depth + 1)) for name, value in attributes_of(answer))
        return (type(answer).__name__, tuple(named) or text_of(answer))
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
