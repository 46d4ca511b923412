"""The witness: the ledger's head in a second place, so that a ledger restored to an earlier state is detected."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.durable import create_file, make_folder
from tacit.ledger.link import Head, read_canonical, write_canonical
from tacit.ledger.sqlite_database import available

_SLOT = 4096  # a slot is a disk block of its own: writing one cannot tear the other
_sync = getattr(os, "fdatasync", os.fsync)


@frozen
class Witness:
    """A small file, written after every entry and before the result of that entry is handed out.

    It has two slots, each a line of JSON with its own checksum. A new head goes into the slot of the older one and is
    synced, so a crash while writing leaves the other. Writers hold the ledger's lock; readers take the newest valid
    slot.
    """

    path: Path

    def read(self) -> Head | None:
        """The head last written; None where there is no file; refused where neither slot is valid."""
        with available(self.path):
            try:
                content = self.path.read_bytes()
            except FileNotFoundError:
                return None
        heads = [head for head in _slots(content) if head is not None]
        if not heads:
            raise Refused(
                f"the witness at {self.path}",
                "It does not say how far the ledger had come.",
                "the file as it was; or, after the steward has moved it away, "
                "`tacit verify --ledger … --accept-witness`.",
            )
        return max(heads, key=lambda head: head.entries)

    def refuse_unless_writable(self) -> None:
        """Check before a charge: a charge must be witnessed before it runs."""
        with available(self.path):
            os.close(os.open(self.path, os.O_WRONLY))

    def write(self, head: Head) -> None:
        """Write the head into the older slot and sync it; a missing file is created."""
        with available(self.path):
            make_folder(self.path.parent)
            if not self.path.exists():
                create_file(self.path, _slot(head) * 2)
                return
            first, second = _slots(self.path.read_bytes())
            is_first = first is None or (second is not None and first.entries <= second.entries)
            handle = os.open(self.path, os.O_WRONLY)
            try:
                os.pwrite(handle, _slot(head), 0 if is_first else _SLOT)
                _sync(handle)
            finally:
                os.close(handle)


def _slot(head: Head) -> bytes:
    fields = {"entries": head.entries, "hash": head.hash}
    line = write_canonical(fields | {"seal": _seal(write_canonical(fields))})
    return line.ljust(_SLOT - 1).encode("ascii") + b"\n"


def _slots(content: bytes) -> tuple[Head | None, Head | None]:
    return _head(content[:_SLOT]), _head(content[_SLOT:])


def _head(slot: bytes) -> Head | None:
    try:
        fields = read_canonical(slot.decode("ascii"))
        seal = fields.pop("seal")
    except (ValueError, KeyError):
        return None
    if not (fields.keys() == {"entries", "hash"} and seal == _seal(write_canonical(fields))):
        return None
    return Head(fields["entries"], fields["hash"])


def _seal(text: str) -> str:
    return hashlib.sha256(f"tacit witness {text}".encode("ascii")).hexdigest()
