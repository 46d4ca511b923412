"""The folder of materialized forms: beside the ledger; the file names give the account and the version of the data.

One process works in it at a time; the lock of a dead process is free.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shutil import rmtree

from tacit.ledger.durable import make_folder
from tacit.ledger.registry import AccountName


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold the exclusive lock of the folder, after waiting for it; the kernel frees the lock of a killed process."""
    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@dataclass(frozen=True, eq=False)
class FormFolder:
    """The forms of one account's data. A file name has three parts: account, version of the data, grids."""

    beside: Path  # the ledger
    account: AccountName

    def place(self, data: str, grids: str) -> Path:
        """The path of the form of these data, with norms on these grids, whether it exists or not."""
        return self._folder / f"{self._named(data)}-{_short(grids, 16)}.duckdb"

    def form_of(self, data: str) -> Path | None:
        """The form of these data, with norms on any grids."""
        return next((path for path in self.files() if path.name.startswith(f"{self._named(data)}-")), None)

    def files(self) -> list[Path]:
        """Every finished form of the account."""
        return list(self._folder.glob(f"{self._owner}-*.duckdb"))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the folder, and remove files left by killed processes."""
        make_folder(self._folder)
        with alone_in(self._folder):
            for draft in self._folder.glob(f".{self._owner}-*"):
                rmtree(draft, ignore_errors=True)
            yield

    def drop(self) -> int:
        """Remove every form, including unfinished ones; return the number of finished ones."""
        if not self._folder.is_dir():
            return 0
        with self.alone():
            return self.clear(None)

    def clear(self, spared: Path | None) -> int:
        """Remove every finished form except this one; return their number."""
        others = set(self.files()) - {spared}
        for path in others:
            path.unlink(missing_ok=True)
        return len(others)

    @property
    def _folder(self) -> Path:
        return self.beside.parent / "prepared"

    @cached_property
    def _owner(self) -> str:
        named = repr((self.beside.name, self.account.sources, self.account.unit))  # ledgers may share a folder
        return _short(named, 16)

    def _named(self, data: str) -> str:
        return f"{self._owner}-{_short(data, 24)}"


def _short(text: str, letters: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:letters]
