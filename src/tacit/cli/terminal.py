"""What commands print: text that fits the terminal, and a bar for work that is done step by step."""

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
    """Print for people, in printable characters alone: what is said may quote what others typed."""
    click.echo(wrapped(printable_lines(str(text))), err=err)


@contextmanager
def step_by_step(words: str) -> Iterator[Callable[[str, int, int], None]]:
    """A bar on the terminal, told what is done, how many steps are behind and how many there are. The steward's."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console  # needed on long runs only
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    words = printable(words)
    what = TextColumn("{task.description}", markup=False)  # a name may hold [red], which is a name and no colour
    columns = what, BarColumn(), TextColumn("{task.fields[step]}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(words, total=None, step="")
        yield lambda step, done, total: progress.update(task, completed=done, total=total, step=step)


def _folded(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    return folded(line.strip(), width, indent)
