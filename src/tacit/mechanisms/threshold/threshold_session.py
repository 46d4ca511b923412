"""An open session of questions against one noisy threshold."""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn

from tacit.errors import Failed, Refused
from tacit.noise.bits import Bits
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.slabs import slabs

if TYPE_CHECKING:
    from tacit.mechanisms.threshold.above_threshold import AboveThreshold


class ThresholdSession:
    """Holds the noisy threshold, answers questions, and closes for good after the last yes it may give.

    The threshold's noise protects one run only. So a session cannot be copied, pickled or used by a forked process,
    asks of several threads queue up, and whatever breaks while an answer is made closes it, with a constant error.
    """

    __slots__ = ("_bits", "_left", "_lock", "_mechanism", "_owner", "_threshold")

    def __init__(self, mechanism: AboveThreshold, bits: Bits) -> None:
        self._mechanism = mechanism
        self._bits = bits
        self._left = mechanism.positives
        self._lock = Lock()
        self._owner = os.getpid()
        self._threshold = mechanism.level + _draw(mechanism.threshold_noise, bits)

    @property
    def stopped(self) -> bool:
        """Whether the last yes was given."""
        return self._left == 0

    def ask(self, value: float) -> bool:
        """Whether the value is above the threshold, as far as the noise lets one know."""
        return self._reply(value, None)[0]

    def measure(self, value: float) -> int | float | None:
        """The value with fresh noise if it is above the threshold, else None."""
        noise = self._mechanism.number_noise
        if noise is None:
            raise Refused("a measurement", "No ε was set aside for it.", "a SparseVector with epsilon_numbers.")
        above, number = self._reply(value, noise)
        return self._mechanism.place(number) if above else None

    def _reply(self, value: float, noise: DiscreteLaplace | None) -> tuple[bool, int]:
        with self._lock:
            if os.getpid() != self._owner:
                raise Refused("a question in a forked process", "The session stayed with its parent.", "a new session.")
            if self.stopped:
                raise Refused("a question after the last yes", "The session is closed.", "a new session, at its price.")
            steps = self._mechanism.steps(value)
            try:
                above = steps + _draw(self._mechanism.question_noise, self._bits) >= self._threshold
                number = steps + _draw(noise, self._bits) if above and noise else 0
            except Exception:  # entropy that fails closes the session; what broke must not be told
                self._left = 0
                failed = True
            else:
                self._left -= above
                failed = False
        if failed:  # outside the handler, so that no trace of what broke goes along
            raise Failed
        return above, number

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise Refused("a copy of a session", "Two runs would share one threshold.", "a new session, at its price.")


def _draw(law: DiscreteLaplace, bits: Bits) -> int:
    """One draw, of any size."""
    return int(slabs(law).draw(1, bits)[0])
