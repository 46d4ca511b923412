"""An open session of questions against one noisy threshold, and the law of its comparisons.

The threshold and every question have discrete Laplace noise. The law is computed in floats, each probability from its
smaller tail, without differences of large numbers: relative errors stay below 10⁻¹¹. The threshold's noise is summed
over all but a share of its law that is below 10⁻³⁰.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction
from math import ceil, exp, expm1, log
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Failed, Refused
from tacit.frozen import frozen
from tacit.noise.ball import first_true
from tacit.noise.bits import Bits
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.slabs import slabs

if TYPE_CHECKING:
    from tacit.mechanisms.selection.above_threshold import AboveThreshold


class ThresholdSession:
    """Holds the noisy threshold, answers questions, and closes after the last yes allowed.

    The threshold's noise protects one run only. So a session cannot be copied, pickled or used by a forked process,
    calls of several threads are serialised, and any exception while an answer is computed closes it, with a constant
    error.
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
        """Whether the noisy value is above the noisy threshold."""
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
            # a failure, of the entropy source or another, closes the session; its cause must not be revealed
            except Exception:
                self._left = 0
                failed = True
            else:
                self._left -= above
                failed = False
        if failed:  # outside the handler, so that the error has no traceback of its cause
            raise Failed
        return above, number

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise Refused("a copy of a session", "Two runs would share one threshold.", "a new session, at its price.")


def _draw(law: DiscreteLaplace, bits: Bits) -> int:
    """One draw, of any size."""
    return int(slabs(law).draw(1, bits)[0])


_FAR = 80.0  # scales of the threshold's noise
_BLOCKS = 1 << 15
_ROUND_OFF = 1e-9


@frozen
class ThresholdLaw:
    """Two noise scales, in steps: the threshold's, drawn once, and the questions', drawn for each."""

    threshold_scale: Fraction
    question_scale: Fraction

    def probability(self, distances: Sequence[int], answers: Sequence[bool]) -> float:
        """P(these answers) to questions whose values lie so many steps above the threshold.

        Given the threshold's noise z the answers are independent: yes iff distance + noise ≥ z. So sum over z.
        """
        scale = float(self.threshold_scale)
        reach = ceil(_FAR * scale)
        z = np.arange(-reach, reach + 1, dtype=np.float64)
        mass = np.exp(-np.abs(z) / scale) * -expm1(-1 / scale) / (1 + exp(-1 / scale))
        for distance, answer in zip(distances, answers, strict=True):
            mass *= self._at_least(z - distance if answer else distance - z + 1)
        return float(mass.sum())

    def spread(self, miss: Fraction, questions: int) -> int:
        """The least t within which all answers are right (up to round-off and 1/400 of a large threshold scale).

        An answer is right within t if it is right for a threshold moved by at most t: not yes at t+1 steps below, not
        no at t+1 steps above. For any questions, all are unless some question's noise differs from the threshold's by
        more than t upwards or t+1 downwards; this is the probability held below `miss`.
        """
        scale = float(self.threshold_scale)
        reach = scale * (35 - log(miss))
        width = float(max(1, ceil(reach / _BLOCKS)))
        # number of blocks of z > 0, each bounded by its worst value
        ends = np.arange(1.0, reach + width + 1, width) + width - 1
        mass = np.exp((width - 1 - ends) / scale) * -expm1(-width / scale) / (1 + exp(-1 / scale))
        centre = -expm1(-1 / scale) / (1 + exp(-1 / scale))
        beyond = exp(-float(ends[-1]) / scale)

        def fails(t: int) -> float:
            blocks = mass * (self._any_off(ends, t, questions) + self._any_off(-ends, t, questions))
            return float(blocks.sum() + centre * self._any_off(np.zeros(1), t, questions)[0]) + beyond

        return first_true(lambda t: fails(t) * (1 + _ROUND_OFF) <= miss)

    def _any_off(self, z: NDArray[np.float64], t: int, questions: int) -> NDArray[np.float64]:
        """The probability that any of the questions' noises leaves z−t−1 … z+t."""
        off = np.minimum(1.0, self._at_least(float(t + 2) - z) + self._at_least(z + float(t + 1)))
        with np.errstate(divide="ignore"):  # the probability may be 1: ln 0
            return np.asarray(-np.expm1(questions * np.log1p(-off)))

    def _at_least(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """P(noise of a question ≥ x)."""
        scale = float(self.question_scale)
        tail = np.exp(-np.maximum(x, 1 - x) / scale) / (1 + exp(-1 / scale))
        return np.where(x >= 1, tail, 1 - tail)
