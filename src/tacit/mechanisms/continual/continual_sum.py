"""Running totals of numbers that arrive: Gaussian noise correlated by the square root of the prefix matrix.

The matrix L of running totals is M·M, M the Toeplitz matrix of f_0 = 1, f_k = f_{k−1}·(2k − 1)/2k (the series of (1 −
z)^−½). The mechanism measures C·x for C = M times a power of two, rounded to whole numbers, and computes totals by
L·C⁻¹, which is Toeplitz too and exists because C is triangular with its diagonal above 0. In a session the total is
released after each number; the noise of a step is drawn once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import ceil, sqrt
from statistics import NormalDist
from threading import Lock
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Failed, Refused
from tacit.exact import Number, positive, proper, whole
from tacit.frozen import frozen
from tacit.loss.calibration import gaussian_variance
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation
from tacit.mechanisms.inputs import in_steps
from tacit.mechanisms.mechanism import Answer, Mechanism, percent
from tacit.noise.bits import ENTROPY, Bits
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.slabs import slabs
from tacit.words import number as shown

Floats = NDArray[np.float64]

_SCALE = 2**20  # of C: with this scale the effect of rounding it is negligible
_MOST_STEPS = 2**14
_ROUNDED = 1 + 2.0**-30  # more than the rounding error of a root or a quantile


@frozen
class ContinualSum(Mechanism[Sequence[int], "RunningTotals"]):
    """The running total after each of `horizon` steps of whole numbers, which is fixed in advance.

    Claim: if neighbours' numbers differ by at most `sensitivity` in all (the sum of absolute differences over all
    steps), all totals together are μ-Gaussian-private with μ² = sensitivity²·Σ f̂_k²/σ², f̂ the whole numbers of C;
    also where each number, and whether a neighbour differs in it, is chosen after seeing the totals so far. Proof:
    column s of C holds f̂_0 … f̂_{n−1−s}, none longer than the first, so ‖C u‖ ≤ ‖u‖₁·‖f̂‖. The k-th measurement is a
    whole number plus rounded Gaussian noise of its own, drawn once: post-processing of that number plus N(0, σ²). Since
    C is triangular, the k-th shift is settled before the k-th draw. So the log-likelihood ratio is a sum over steps of
    Gaussian ones with shifts c_k that the past decides, and Σ c_k² ≤ μ²σ² on every path; padded with a shift of its own
    to exactly that, it has the law of one Gaussian comparison (a martingale of fixed quadratic variation). ∎ Totals are
    read from measurements alone.
    """

    sensitivity: Fraction
    relation: Relation
    horizon: int
    variance: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "sensitivity", positive(self.sensitivity, "sensitivity"))
        object.__setattr__(self, "variance", positive(self.variance, "variance"))
        object.__setattr__(self, "horizon", whole(self.horizon, "horizon", 1))
        if not (self.sensitivity >= 1 and self.horizon <= _MOST_STEPS):
            raise Refused(
                f"{self.horizon:,} steps at a sensitivity of {self.sensitivity}",
                "Whole numbers that differ at all differ by 1, and each step reads all before it.",
                f"sensitivity ≥ 1, and at most {_MOST_STEPS:,} steps.",
            )

    @classmethod
    def for_loss(cls, target: Loss, horizon: int, relation: Relation, *, sensitivity: Number = 1) -> ContinualSum:
        """The least noise that costs at most `target`: an Approx, Zcdp or Gdp."""
        bound = positive(sensitivity, "sensitivity")
        trial = cls(bound, relation, horizon, Fraction(1))
        variance = Fraction(ceil(bound**2 * trial.squared_norm * gaussian_variance(target)))
        return cls(bound, relation, trial.horizon, variance)

    @cached_property
    def factor(self) -> tuple[int, ...]:
        """f̂: the first column of C."""
        found = [_SCALE]
        exact = Fraction(_SCALE)
        for step in range(1, self.horizon):
            exact = Fraction(round(exact * 2**64 * (2 * step - 1) / (2 * step)), 2**64)
            found.append(round(exact))
        return tuple(found)

    @property
    def squared_norm(self) -> int:
        """The exact squared norm of the longest column of C."""
        return sum(each**2 for each in self.factor)

    @cached_property
    def readings(self) -> Floats:
        """The first column of L·C⁻¹: the weight in a total of the measurement so many steps back."""
        column = np.array(self.factor, np.float64)
        inverse = np.zeros(self.horizon)
        inverse[0] = 1 / column[0]
        for step in range(1, self.horizon):
            inverse[step] = -(column[1 : step + 1] @ inverse[step - 1 :: -1][:step]) / column[0]
        return np.asarray(np.cumsum(inverse))

    @cached_property
    def law(self) -> RoundedGaussian:
        return RoundedGaussian(self.variance)

    @property
    def loss(self) -> Gdp:
        return Gdp(self.sensitivity**2 * self.squared_norm / self.variance)

    def deviations(self) -> Floats:
        """The standard deviation of the total after each step."""
        return np.asarray(sqrt(self.variance) * np.sqrt(np.cumsum(self.readings**2)))

    def error(self, confidence: Number = "0.95") -> float:
        """How far the last total, the least certain one, lies from the true one at most, with this confidence."""
        return self.error_at(self.horizon, confidence)

    def error_at(self, steps: int, confidence: Number = "0.95") -> float:
        """The error after so many steps: the quantile of the Gaussian noise plus the largest effect of rounding."""
        level = proper(confidence, "confidence")
        last = whole(steps, "steps", 1)
        if not last <= self.horizon:
            raise Refused(f"step {last:,}", "The horizon was fixed in advance.", f"at most {self.horizon:,}.")
        quantile = -NormalDist().inv_cdf(float(1 - level) / 2)
        rounding = float(np.abs(self.readings[:last]).sum()) / 2
        return (quantile * float(self.deviations()[last - 1]) + rounding) * _ROUNDED

    def start(self) -> ContinualSession:
        """A new stream, with noise from the operating system's entropy. Each one costs `loss`."""
        return ContinualSession(self, ENTROPY)

    def privatize(self, value: Sequence[int], bits: Bits) -> Any:
        numbers = np.atleast_1d(in_steps(value, None))
        if not (numbers.ndim == 1 and len(numbers) <= self.horizon):
            raise Refused(
                f"{numbers.size:,} numbers", "The horizon was fixed in advance.", f"{self.horizon:,} at most."
            )
        session = ContinualSession(self, bits)
        for number in numbers:
            session.add(int(number))
        return session.measured

    def answer(self, private: Any) -> RunningTotals:
        return RunningTotals(self.totals(private), self)

    def totals(self, measured: Sequence[int]) -> Floats:
        """All totals, computed from the measurements."""
        return np.convolve(self.readings[: len(measured)], np.array(measured, np.float64))[: len(measured)]


class RunningTotals(Answer):
    """A total after each step, each with an interval of its own."""

    mechanism: ContinualSum

    def error(self, confidence: Number = "0.95") -> Floats:
        return np.array([self.mechanism.error_at(step + 1, confidence) for step in range(len(self.value))])


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
