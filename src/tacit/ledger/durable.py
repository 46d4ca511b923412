"""Durable files: written whole, readable by their owner only, and synced with their folder."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def make_folder(folder: Path) -> None:
    """The folder; a missing one is created, accessible to its owner only."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)


def create_file(path: Path, content: bytes) -> None:
    """Create a file with this content atomically; an existing file stays."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        put_in_place(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def put_in_place(draft: Path, path: Path) -> None:
    """Give a finished file its name, durably, unless the name is taken."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
