"""A stream whose running total is released after each number; the noise of a step is drawn once."""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn

from tacit.errors import Failed, Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.mechanisms.answer import percent
from tacit.mechanisms.inputs import in_steps
from tacit.noise.bits import Bits
from tacit.noise.slabs import slabs
from tacit.words import number as shown

if TYPE_CHECKING:
    from tacit.mechanisms.continual.continual_sum import ContinualSum


@frozen
class TotalSoFar:
    """The running total after a step, with its interval."""

    value: float
    step: int
    mechanism: ContinualSum

    def error(self, confidence: Number = "0.95") -> float:
        return self.mechanism.error_at(self.step, confidence)

    def __str__(self) -> str:
        half = self.error()
        return f"{shown(self.value, half)} ± {shown(half, half)}  ({percent('0.95')} interval; step {self.step})"


class ContinualSession:
    """Takes one number after another and releases the total so far. It closes after the last step.

    Each step's noise protects one run only. So a session cannot be copied, pickled or used by a forked process, calls
    of several threads are serialised, and any exception while a total is computed closes it, with a constant error.
    """

    __slots__ = ("_bits", "_is_broken", "_lock", "_measured", "_mechanism", "_numbers", "_owner")

    def __init__(self, mechanism: ContinualSum, bits: Bits) -> None:
        self._mechanism, self._bits = mechanism, bits
        self._numbers: list[int] = []
        self._measured: list[int] = []
        self._lock, self._owner, self._is_broken = Lock(), os.getpid(), False

    @property
    def measured(self) -> tuple[int, ...]:
        """The noisy measurements so far: already private."""
        return tuple(self._measured)

    def add(self, value: int) -> TotalSoFar:
        """The total of all numbers so far, this one included."""
        mechanism = self._mechanism
        with self._lock:
            if os.getpid() != self._owner:
                raise Refused("a number in a forked process", "The session stayed with its parent.", "a new session.")
            if self._is_broken or len(self._measured) == mechanism.horizon:
                why = "The session is closed."
                raise Refused("a number after the last step", why, "a new session, at its price.")
            number = int(in_steps(value, None))
            try:
                self._numbers.append(number)
                exact = sum(a * b for a, b in zip(mechanism.factor, reversed(self._numbers), strict=False))
                self._measured.append(exact + int(slabs(mechanism.law).draw(1, self._bits)[0]))
                total = sum(float(a) * b for a, b in zip(mechanism.readings, reversed(self._measured), strict=False))
                failed = False
            # a failure, of the entropy source or another, closes the session; its cause must not be revealed
            except BaseException as error:
                self._is_broken = failed = True
                # after Ctrl-C between a number and its noise, their indices would differ
                if not isinstance(error, Exception):
                    raise
        if failed:
            raise Failed from None
        return TotalSoFar(total, len(self._measured), mechanism)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise Refused("a copy of a session", "Its noise would be used twice.", "a new session, at its price.")
