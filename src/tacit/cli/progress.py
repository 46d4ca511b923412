"""Progress of long runs on a terminal: a clock; for the steward a bar and the remaining time in words."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Final, Self

from tacit.curator.dataset import Dataset, open_dataset
from tacit.query.engines.protocol import Session, Watchable

_EARLY: Final = 0.05  # before that, the estimate is too uncertain
_WEIGHT: Final = 0.2  # weight of the last observation


@dataclass
class Remaining:
    """A smoothed estimate of the remaining time."""

    whole: float | None = None  # seconds, of all of it

    def after(self, elapsed: float, share: float) -> str:
        """The remaining time after this many seconds and this share of the time; empty while it is unknown."""
        if not share >= _EARLY:
            return ""
        told = elapsed / min(share, 1.0)
        self.whole = told if self.whole is None else self.whole + _WEIGHT * (told - self.whole)
        return in_words(max(0.0, self.whole - elapsed))


def in_words(seconds: float) -> str:
    """A duration in words."""
    if seconds < 10:
        return "a few seconds left"
    if seconds < 55:
        return f"about {ceil(seconds / 10) * 10} s left"
    if seconds < 55 * 60:
        return f"about {ceil(seconds / 60)} min left"
    return f"about {ceil(seconds / 3600)} h left"


_LONG: Final = 0.8  # seconds before the clock is shown
_OFTEN: Final = 0.5


class Waiting:
    """A clock on the terminal while something takes long. The progress reveals something about rows, so only the
    steward sees a bar, and an estimate from 5% on.
    """

    def __init__(self, words: str, *, is_steward: bool = False) -> None:
        self._words, self._is_steward = words, is_steward
        self._is_shown = sys.stderr.isatty()
        self._ended = Event()
        self._session: Watchable | None = None
        self._statements = 1

    def watch(self, session: Session, statements: int) -> None:
        """Show the progress of this session, which will run this many statements."""
        if self._is_shown and self._is_steward and isinstance(session, Watchable):
            session.watch()
            self._session, self._statements = session, max(1, statements)

    def share(self) -> float:
        """The share of the time that has passed; 0 if it is unknown."""
        if self._session is None:
            return 0.0
        finished, part = self._session.progress()
        return min(1.0, (finished + part) / self._statements)

    def __enter__(self) -> Self:
        self._thread = Thread(target=self._show, daemon=True)
        if self._is_shown:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._is_shown:
            self._thread.join()

    def _show(self) -> None:
        start, remaining = monotonic(), Remaining()
        if self._ended.wait(_LONG):
            return
        from rich.console import Console  # needed on long runs only
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        bar = [BarColumn(), TextColumn("{task.fields[left]}")] if self._is_steward else []
        columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), *bar, TimeElapsedColumn()
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task(self._words, total=None, left="")
            while not self._ended.wait(_OFTEN):
                share = self.share()
                if share > 0:
                    left = remaining.after(monotonic() - start, share)
                    progress.update(task, completed=share, total=1.0, left=left)


@contextmanager
def watched(
    words: str, file: Path, *, analyst: str | None, ledger: str | None, memory: str | None, threads: int | None
) -> Iterator[tuple[Dataset, Waiting]]:
    """A data set as an analyst asks it, and the clock to run while it works; the steward sees the progress."""
    waiting = Waiting(words, is_steward=analyst is None)
    with open_dataset(
        file, ledger=ledger, analyst=analyst, memory=memory, threads=threads, watcher=waiting.watch
    ) as dataset:
        yield dataset, waiting
