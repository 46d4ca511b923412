"""The identity of the files of a source: hard links, mounts and other spellings of a path are one file.

A file is identified by its device, its inode and the time of its creation. The time distinguishes a file from a later
one with the same inode. Where the system does not store it, a later file may be taken for the earlier one: then two
data sets share one budget, but one data set never has two.
"""

from __future__ import annotations

import os
import struct
import sys
from ctypes import CDLL, create_string_buffer
from functools import cache
from glob import glob
from pathlib import Path
from typing import Any, Final

from tacit.schema.description import Source

_HERE: Final = -100  # AT_FDCWD: paths are relative to the working folder
_BORN: Final = 0x800  # STATX_BTIME
_FORMATS: Final = ("parquet", "csv", "duckdb")


def _pattern(source: Source) -> str:
    """The path of a source's file, or the pattern of its files; a folder means all Parquet files beneath it."""
    path = str(source.path)
    return os.path.join(path, "**", "*.parquet") if os.path.isdir(path) else path


def files_of(source: Source) -> list[str]:
    """The files of a source on this machine, as they are now; patterns and folders do not include hidden ones.

    Every engine gets these file names, so that it reads exactly the files that the account is for.
    """
    if source.format not in _FORMATS:
        return []
    if source.format != "parquet":
        return [str(source.path)]
    return sorted(path for path in glob(_pattern(source), recursive=True) if not os.path.isdir(path))


def file_names(source: Source) -> tuple[str, ...]:
    """A name for each file of a source, the same for every path that leads to it.

    For a database, a name for its table.
    """
    table = f"#{source.table}" if source.table else ""
    found = (name for path in files_of(source) if (name := _name(path)) is not None)
    return tuple(sorted({f"{name}{table}" for name in found}))


def _name(path: str) -> str | None:
    try:
        stat = os.stat(path)
    except OSError:  # the file need not exist yet
        return None
    birth: object = getattr(stat, "st_birthtime", None) or _birth(path)
    return f"file:{stat.st_dev}:{stat.st_ino}" + (f":{birth}" if birth else "")


def _birth(path: str) -> str | None:
    """The creation time of a file, which Linux gives by `statx` only."""
    statx = _statx()
    if statx is None:
        return None
    told = create_string_buffer(256)
    if statx(_HERE, os.fsencode(Path(path).absolute()), 0, _BORN, told) != 0:
        return None
    (mask,) = struct.unpack_from("=I", told, 0)
    seconds, parts = struct.unpack_from("=qI", told, 80)
    return f"{seconds}.{parts:09}" if mask & _BORN and (seconds or parts) else None


@cache
def _statx() -> Any:
    """The C library's function, where it exists."""
    return getattr(CDLL(None), "statx", None) if sys.platform == "linux" else None
