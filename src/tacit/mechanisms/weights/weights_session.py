"""An open session of online multiplicative weights. Every answer is on disk before it is returned."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Failed, Refused
from tacit.mechanisms.selection.noisy_threshold import ThresholdSession
from tacit.mechanisms.weights.hypothesis import Asked, Cells, Hypothesis, cells_asked
from tacit.mechanisms.weights.weights_file import WeightsFile
from tacit.noise.bits import Bits

if TYPE_CHECKING:
    from tacit.mechanisms.weights.online_weights import OnlineWeights


class WeightsReply(NamedTuple):
    """A number of people; whether it came from the data.

    Whether it was not compared with them, so has no known error.
    """

    number: int
    is_surprise: bool
    is_unchecked: bool

    def __str__(self) -> str:
        known = "from the data" if self.is_surprise else "as the hypothesis has it"
        return f"{self.number:,} ({'compared with nothing: no error is known' if self.is_unchecked else known})"


class WeightsSession:
    """Holds the histogram and answers questions, until it is closed; then the hypothesis answers alone.

    Claim: however the process ends, no decision is made twice, and every answer returned is stored. Proof: a question
    is synced before any entropy for it is drawn, and its answer before it is returned. An existing file is only read: a
    session that is opened from it has no histogram. So one file has one process that saw the data, and threshold and
    histogram died with it. A session is closed by its last update, by `close`, and by any exception while an answer is
    computed, which is reported as a constant failure. It cannot be copied, pickled or used by a forked process; calls
    of several threads are serialised.
    """

    __slots__ = ("_bits", "_file", "_histogram", "_hypothesis", "_left", "_lock", "_mechanism", "_owner", "_run")

    def __init__(
        self, mechanism: OnlineWeights, histogram: NDArray[np.int64], bits: Bits, file: WeightsFile | None = None
    ) -> None:
        self._mechanism, self._bits, self._file = mechanism, bits, file
        self._histogram: NDArray[np.int64] | None = histogram
        self._left, self._lock, self._owner = mechanism.updates, Lock(), os.getpid()
        self._run: ThresholdSession | None = None
        people = None
        if mechanism.people is None:
            people = self._noisy(int(histogram.sum()))
        if file is not None:
            file.began(people)
        self._hypothesis = mechanism.begun(people)

    @classmethod
    def start(cls, mechanism: OnlineWeights, histogram: NDArray[np.int64], bits: Bits, file: Path) -> WeightsSession:
        """A session with a new file; an existing file is refused."""
        made = WeightsFile.create(file, mechanism)
        try:
            return cls(mechanism, histogram, bits, made)
        except Exception:
            made.close()
        raise Failed  # outside the handler, so that no trace of what broke goes along

    @classmethod
    def reopen(cls, mechanism: OnlineWeights, file: str | Path) -> WeightsSession:
        """The session stored in a file. It is closed, so that only the hypothesis answers."""
        people, updates = WeightsFile.read(Path(file), mechanism)
        found = cls.__new__(cls)
        found._mechanism, found._file, found._histogram, found._run = mechanism, None, None, None
        found._left, found._lock, found._owner = mechanism.updates - len(updates), Lock(), os.getpid()
        found._hypothesis = mechanism.begun(people)
        for cells, answer in updates:
            found._hypothesis = found._hypothesis.corrected(cells, answer, mechanism.alarm / 2, mechanism.slack)
        return found

    @property
    def is_closed(self) -> bool:
        """Whether only the hypothesis answers."""
        return self._histogram is None

    @property
    def updates_left(self) -> int:
        """The number of answers from the data that are left; for a closed session, the number when it was closed."""
        return self._left

    @property
    def hypothesis(self) -> Hypothesis:
        """The current public estimate; reading it is free."""
        return self._hypothesis

    def ask(self, asked: Asked) -> WeightsReply:
        """The number of people in these cells: a mask, or the values that count for some attributes."""
        cells = cells_asked(asked, self._mechanism.sizes)
        with self._lock:
            if os.getpid() != self._owner:
                raise Refused("a question in a forked process", "The session stayed with its parent.", "a new session.")
            guess = self._hypothesis.count(cells)
            if self._histogram is None:
                return WeightsReply(guess, False, True)
            try:
                return self._compared(cells, guess, self._histogram)
            except BaseException as error:
                self.close()
                if not isinstance(error, Exception):
                    raise
        raise Failed  # outside the handler, so that no trace of what broke goes along

    def _compared(self, cells: Cells, guess: int, histogram: NDArray[np.int64]) -> WeightsReply:
        if self._file is not None:
            self._file.asked(cells)
        count = int(histogram[cells].sum())
        if self._run is None:
            self._run = ThresholdSession(self._mechanism.comparison, self._bits)
        is_surprise = self._run.ask(abs(count - guess))
        answer = self._noisy(count) if is_surprise else guess
        if self._file is not None:
            self._file.answered(answer, is_surprise)
        if is_surprise:
            self._run, self._left = None, self._left - 1
            self._hypothesis = self._hypothesis.corrected(
                cells, answer, self._mechanism.alarm / 2, self._mechanism.slack
            )
            if not self._left:
                self.close()
        return WeightsReply(answer, is_surprise, False)

    def _noisy(self, count: int) -> int:
        return int(self._mechanism.noise.law.add(np.array([count]), self._bits)[0])

    def close(self) -> None:
        """Drop the histogram; the hypothesis still answers."""
        self._histogram = self._run = None
        if self._file is not None:
            self._file.close()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise Refused("a copy of a session", "Two runs would share one threshold.", "a new session, at its price.")
