"""Which files hold the rows of a source, whatever they are called: hard links, mounts and other spellings are one file.

A file is known by its device, its inode and the moment it was born. The moment tells a file from a later one that was
given the same inode; where the system keeps none, device and inode stand alone, and a later file may be taken for the
earlier one: then two data sets share a budget, and never has one data set two.
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

_HERE: Final = -100  # AT_FDCWD: paths are seen from the working folder
_BORN: Final = 0x800  # STATX_BTIME
_FORMATS: Final = ("parquet", "csv", "duckdb")


def _pattern(source: Source) -> str:
    """The path of a source's file, or the pattern of its files; a folder means all Parquet files beneath it."""
    path = str(source.path)
    return os.path.join(path, "**", "*.parquet") if os.path.isdir(path) else path


def files_of(source: Source) -> list[str]:
    """The files of a source on this machine, as they are now; hidden ones are none of a pattern's, nor of a folder's.

    Every engine is given these by name, so that what is read is what has the account.
    """
    if source.format not in _FORMATS:
        return []
    if source.format != "parquet":
        return [str(source.path)]
    return sorted(path for path in glob(_pattern(source), recursive=True) if not os.path.isdir(path))


def file_names(source: Source) -> tuple[str, ...]:
    """A name for each file of a source, the same under whatever path it is reached; of a database, for its table."""
    table = f"#{source.table}" if source.table else ""
    found = (name for path in files_of(source) if (name := _name(path)) is not None)
    return tuple(sorted({f"{name}{table}" for name in found}))


def _name(path: str) -> str | None:
    try:
        stat = os.stat(path)
    except OSError:  # it need not be there yet
        return None
    birth: object = getattr(stat, "st_birthtime", None) or _birth(path)
    return f"file:{stat.st_dev}:{stat.st_ino}" + (f":{birth}" if birth else "")


def _birth(path: str) -> str | None:
    """When a file was born, which Linux tells by `statx` alone."""
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
    """The C library's function, where there is one."""
    return getattr(CDLL(None), "statx", None) if sys.platform == "linux" else None
