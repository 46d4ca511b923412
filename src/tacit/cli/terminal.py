"""Output of commands: text wrapped to the terminal, and a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size

import click

from tacit.printable import printable, printable_lines
from tacit.words import folded


def terminal_width() -> int:
    """The terminal's width, or 120 at most: longer lines are hard to read."""
    return min(120, get_terminal_size((120, 24)).columns)


def wrapped(text: str) -> str:
    """The text with long lines folded to the terminal, each under its own indentation."""
    width = terminal_width()
    return "\n".join(_folded(line, width) for line in text.split("\n"))


def say(text: object, *, err: bool = False) -> None:
    """Print a text in printable characters only: it may quote user input."""
    click.echo(wrapped(printable_lines(str(text))), err=err)


@contextmanager
def step_by_step(words: str) -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar for the steward; it is called with the current work, the steps done and their number."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console  # needed on long runs only
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    words = printable(words)
    what = TextColumn("{task.description}", markup=False)  # a name may contain [red], which is not markup
    columns = what, BarColumn(), TextColumn("{task.fields[step]}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(words, total=None, step="")
        yield lambda step, done, total: progress.update(task, completed=done, total=total, step=step)


def _folded(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    return folded(line.strip(), width, indent)
