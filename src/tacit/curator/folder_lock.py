"""A folder in which one process works at a time: whoever dies lets go of it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Wait until nobody else is in the folder, and keep others out meanwhile; the kernel frees what a kill left."""
    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
