"""How long a run still takes, in words, from what part of its time is over."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Final

_EARLY: Final = 0.05  # before, there is too little to judge by
_WEIGHT: Final = 0.2  # of what was told last


@dataclass
class Remaining:
    """An estimate that follows what it is told, smoothly."""

    whole: float | None = None  # seconds, of all of it

    def after(self, elapsed: float, share: float) -> str:
        """What is left after so many seconds, when such a share of the time is over; empty while it cannot be said."""
        if not share >= _EARLY:
            return ""
        told = elapsed / min(share, 1.0)
        self.whole = told if self.whole is None else self.whole + _WEIGHT * (told - self.whole)
        return in_words(max(0.0, self.whole - elapsed))


def in_words(seconds: float) -> str:
    """A time as one says it."""
    if seconds < 10:
        return "a few seconds left"
    if seconds < 55:
        return f"about {ceil(seconds / 10) * 10} s left"
    if seconds < 55 * 60:
        return f"about {ceil(seconds / 60)} min left"
    return f"about {ceil(seconds / 3600)} h left"
