"""What commands print: text that fits the terminal, and a sign of life on long runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from threading import Timer
from typing import Final

import typer

from tacit.release.text import folded

_LONG: Final = 0.8  # seconds


def terminal_width() -> int:
    """The terminal's width, or 120 at most: longer lines are hard to read."""
    return min(120, get_terminal_size((120, 24)).columns)


def wrapped(text: str) -> str:
    """The text with long lines folded to the terminal, each under its own indentation."""
    width = terminal_width()
    return "\n".join(_folded(line, width) for line in text.splitlines())


def say(text: object, *, err: bool = False) -> None:
    """Print for people."""
    typer.echo(wrapped(str(text)), err=err)


@contextmanager
def waiting(words: str) -> Iterator[None]:
    """A clock on the terminal while something takes long; it says how long, never how far, which rows would tell."""
    if not sys.stderr.isatty():
        yield
        return
    clock = _Clock(words)
    timer = Timer(_LONG, clock.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        clock.stop()


class _Clock:
    def __init__(self, words: str) -> None:
        self._words = words
        self._stop: Callable[[], None] = lambda: None

    def start(self) -> None:
        from rich.console import Console  # needed on long runs only
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
        progress = Progress(*columns, console=Console(stderr=True), transient=True)
        progress.add_task(self._words, total=None)
        progress.start()
        self._stop = progress.stop

    def stop(self) -> None:
        self._stop()


def _folded(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    return folded(line.strip(), width, indent)
