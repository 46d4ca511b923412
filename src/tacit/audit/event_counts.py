"""Events under two neighbours: comparable answers, their counts, and tests of a claim by counts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import inf, log
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from tacit.audit.answer_parts import attributes_of, is_compared_by_identity, is_whole, text_of
from tacit.audit.subject import AuditSubject, Data
from tacit.frozen import frozen
from tacit.loss.families.loss import Loss
from tacit.noise.bits import Bits

Floats = NDArray[np.float64]
_BATCH = 64
_COMMON = (int, str, bool, bytes, type(None))
DEEPEST = 8
"""The largest depth to which nested answers are read, since an answer may contain itself."""


def key_of(answer: Any, depth: int = 0) -> Hashable:
    """The answer as a key: keys are equal iff an observer sees the same, including order and types.

    An object that only equals itself is read by its attributes; below the maximum depth, only by its type.
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


def sample_within(subject: AuditSubject, data: Data, count: int, seconds: float, bits: Bits) -> Any:
    """So many independent answers, or as many as the time permits, but at least 64: an array or a list."""
    if subject.many is not None:
        return subject.many(data, count, bits)
    start, found = perf_counter(), list[Any]()
    while len(found) < count and (len(found) < _BATCH or perf_counter() - start < seconds):
        found.extend(subject.answers(data, min(_BATCH, count - len(found)), bits))
    return found


POWER = 0.95
"""The probability with which a stage finds a fault of its stated power."""


@frozen
class Counted:
    """An event that occurred in `hits` of `runs` under one data set and in `strays` of `others` under a neighbour.

    Claim: if the claimed loss holds, `breaks` is true with probability at most `miss`, provided the event was chosen
    without looking at these runs. Proof: with probability 1 − miss both probabilities lie within their exact (Clopper
    and Pearson) ends; then the test that says "the first" upon the event has at most `stray` false alarms, and misses
    at most 1 − `hit`, which the claim's trade-off curve forbids.
    """

    hits: int
    runs: int
    strays: int
    others: int
    miss: float

    @property
    def hit(self) -> float:
        """A lower bound of the probability under the first."""
        return float(betaincinv(self.hits, self.runs - self.hits + 1, self.miss / 2)) if self.hits else 0.0

    @property
    def stray(self) -> float:
        """An upper bound of the probability under the second."""
        if self.strays == self.others:
            return 1.0
        return 1 - float(betaincinv(self.others - self.strays, self.strays + 1, self.miss / 2))

    def breaks(self, claim: Loss) -> bool:
        return 1 - self.hit < claim.tradeoff(self.stray)

    def epsilon(self, delta: float) -> float:
        """A lower bound of ε at δ, from the event or from its opposite, whichever is sharper."""
        shares = (self.hit - delta, self.stray), (1 - self.stray - delta, 1 - self.hit)
        return max(log(often / seldom) if often > 0 else -inf for often, seldom in shares)


def least_share(claim: Loss, runs: int, miss: float) -> float:
    """The least probability of an event, absent under the other data set, that breaks the claim 95 times in 100."""
    low, high = 0, runs
    if not Counted(runs, runs, 0, runs, miss).breaks(claim):
        return inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if Counted(middle, runs, 0, runs, miss).breaks(claim) else (middle, high)
    return float(betaincinv(high, runs - high + 1, POWER))
