"""Who runs what was charged: a file beside the ledger, locked during the run; the kernel frees what a dead one had."""

from __future__ import annotations

import fcntl
import os
import threading
from contextlib import suppress
from pathlib import Path


class Held:
    """The runs that this handle has. Locks only tell who is alive: what may run is decided by the ledger's entries."""

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger
        self._turn = threading.Lock()
        self._handles: dict[int, int] = {}

    def hold(self, number: int) -> bool:
        """Whether this run is ours now; not where anybody has it, be it this very handle."""
        with self._turn:
            handle = None if number in self._handles else self._locked(number, os.O_RDWR | os.O_CREAT)
            if handle is not None:
                self._handles[number] = handle
            return handle is not None

    def is_held(self, number: int) -> bool:
        """Whether anybody has it."""
        with self._turn:
            if number in self._handles:
                return True
            try:
                handle = self._locked(number, os.O_RDWR)
            except FileNotFoundError:
                return False
            if handle is None:
                return True
            os.close(handle)
            return False

    def let_go(self, number: int) -> None:
        """Leave it, if it is ours. The file goes first: who opened it meanwhile looks into the ledger again."""
        with self._turn:
            handle = self._handles.pop(number, None)
            if handle is not None:
                with suppress(OSError):
                    os.unlink(self._place(number))
                os.close(handle)

    def let_go_of_all(self) -> None:
        """Leave everything."""
        for number in [*self._handles]:
            self.let_go(number)

    def _place(self, number: int) -> Path:
        return self._ledger.with_name(f".{self._ledger.name}.run-{number}")

    def _locked(self, number: int, flags: int) -> int | None:
        handle = os.open(self._place(number), flags, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return None
        return handle
