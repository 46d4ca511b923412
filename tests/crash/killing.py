"""Killing a process at its k-th step, where a step is a call that changes something on disk, about to be made.

Between two steps nothing on disk changes, so being killed after one is being killed before the next. Work of a server
on behalf of the process counts as the process's.
"""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg

CALLS = ("fsync", "fdatasync", "pwrite", "link", "unlink", "mkdir", "write")
READS = ("SELECT", "PRAGMA")


class Steps:
    """Counts steps, and ends the process by SIGKILL at the chosen one."""

    def __init__(self, last: int) -> None:
        self._left = last

    def step(self) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def before(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **named: Any) -> Any:
            self.step()
            return call(*arguments, **named)

        return counted


def install(steps: Steps) -> None:
    """Puts a step before each of those calls, in this process."""

    class Counted(sqlite3.Connection):
        def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
            if not statement.startswith(READS):
                steps.step()
            return super().execute(statement, *values)

        executemany = steps.before(sqlite3.Connection.executemany)
        executescript = steps.before(sqlite3.Connection.executescript)
        close = steps.before(sqlite3.Connection.close)

    count_statements(steps.step)
    connect = sqlite3.connect
    sqlite3.connect = lambda *given, **named: connect(*given, **named, factory=Counted)
    for name in CALLS:
        setattr(os, name, steps.before(getattr(os, name)))


def count_statements(step: Callable[[], None]) -> None:
    """Puts a step before each statement that PostgreSQL is sent to change something, in this process."""
    execute = psycopg.Connection.execute

    def counted(self: psycopg.Connection[Any], statement: Any, *values: Any, **named: Any) -> Any:
        if not str(statement).startswith(READS):
            step()
        return execute(self, statement, *values, **named)

    psycopg.Connection.execute = counted


def run_until(
    step: int, door: Callable[[Path, Callable[[bytes], None]], None], folder: Path
) -> tuple[bool, list[bytes]]:
    """(whether it was killed, what it had output by then): the door, in a child that dies at this step.

    At 0 it lives.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(read)
            say = os.write
            if step:
                install(Steps(step))
            door(folder, lambda answer: say(write, answer + b"\n") and None)
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().split(b"\n")[:-1]
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL), "the door itself failed"
    return status != 0, said
