"""Bits that note what is asked of them, and a release as an observer inside sees it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.audit.subject import Data, Subject
from tacit.frozen import frozen
from tacit.noise.bits import Bits, Rehearsal


class Recording(Rehearsal):
    """Hands out the bits of a source, and keeps how many bytes were asked for, each time."""

    def __init__(self, source: Bits) -> None:
        self._source = source
        self.draws: list[int] = []

    def octets(self, count: int) -> NDArray[np.uint8]:
        self.draws.append(count)
        return self._source.octets(count)


@frozen(eq=False)
class Run:
    """One release: the answer, or the error in its place, and the draws that it made."""

    answer: Any
    error: Exception | SystemExit | None
    draws: tuple[int, ...]

    @property
    def error_text(self) -> str | None:
        """What an observer reads of an error."""
        return None if self.error is None else f"{type(self.error).__name__}: {self.error}"


def run(subject: Subject, data: Data, bits: Bits) -> Run:
    """One release on recorded bits. Whatever the audited code raises is part of what it shows."""
    recording = Recording(bits)
    try:
        answer, error = subject.release(data, recording), None
    except (Exception, SystemExit) as raised:
        answer, error = None, raised
    return Run(answer, error, tuple(recording.draws))
