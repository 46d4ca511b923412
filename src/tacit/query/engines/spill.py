"""The folder for rows that do not fit memory: accessible to its user only, and removed with the process."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from time import time
from typing import Final
from weakref import finalize

_PREFIX: Final = "tacit-spill-"
_NEW: Final = 60  # seconds within which a new folder is locked by its process


def spill_folder(owner: object) -> str:
    """A new folder, removed with its owner or with the process. Folders of killed processes are removed first.

    The user of a folder holds a lock on it, which always ends with the process.
    """
    for place in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            _remove_if_left(place)
    made = mkdtemp(prefix=_PREFIX)
    handle = os.open(made, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    finalize(owner, _remove, made, handle)
    return made


def _remove_if_left(place: Path) -> None:
    found = place.lstat()
    if found.st_uid != os.getuid() or time() - found.st_ctime < _NEW:
        return
    handle = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        rmtree(place, ignore_errors=True)
    finally:
        os.close(handle)


def _remove(place: str, handle: int) -> None:
    rmtree(place, ignore_errors=True)
    os.close(handle)
