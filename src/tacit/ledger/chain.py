"""The chain of entries: each entry seals the one before it, and a witness stores the head.

The witness is in a second place, so that a ledger restored to an earlier state is detected.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.durable import create_file, make_folder
from tacit.ledger.events import Event
from tacit.ledger.link import Head, Link, genesis, read_canonical, write_canonical
from tacit.ledger.sqlite_database import available
from tacit.ledger.store import SqlExecutor, Store, retried

# the check depends only on the text and its hash, so its result can be cached
_read = lru_cache(maxsize=4096)(Link.read)


class Chain:
    """All entries of one ledger, over all its accounts.

    A charge or a stored release is handed out only after `secure` of its entry: then the entry is committed and
    witnessed, so a ledger restored to an earlier state is refused.
    """

    def __init__(self, database: Store, witness: Witness) -> None:
        self.database = database
        self.witness = witness
        with database.reading() as connection:
            rows = connection.execute("SELECT name, value FROM meta").fetchall()
        self._meta: dict[str, str] = dict(rows)
        self.genesis = genesis(self._meta["identity"])

    @property
    def secret(self) -> bytes:
        """The secret of this ledger: random bytes."""
        return bytes.fromhex(self._meta["secret"])

    def head(self) -> Head:
        """The head of the chain."""
        with self.database.reading() as connection:
            row = connection.execute("SELECT number, hash FROM entries ORDER BY number DESC LIMIT 1").fetchone()
        return Head(*row) if row else self.genesis

    def links(self, where: str = "", *values: object) -> Iterator[Link]:
        """The entries that meet an SQL condition, in their order; each is checked against its own hash."""
        condition = f"WHERE {where} " if where else ""
        with self.database.reading() as connection:
            rows = connection.execute(f"SELECT number, body, hash FROM entries {condition}ORDER BY number", values)
            found = rows.fetchall()
        return (_read(*row) for row in found)

    def confirm(self, known: Head | None) -> None:
        """Refuse a ledger that does not contain the head that its witness knows."""
        if known is not None and self._hash_at(known.entries) == known.hash:
            return
        if known is None or known.entries == 0:  # no witness has seen an entry: a new ledger begins
            if self.head().entries == 0:
                return
            raise Refused(
                f"{self.database.words}, without its witness at {self.witness.path}",
                "It has entries, and nothing on this machine confirms that they are all.",
                "the witness put back; or, where it is lost or this machine is new to the ledger, the steward's word "
                "that the ledger is the newest: `tacit verify --ledger … --accept-witness`.",
            )
        raise Refused(
            self.database.words,
            f"Its witness at {self.witness.path} knows {known.entries:,} entries that it does not contain: it was "
            "restored from a backup, replaced or edited, and what was spent since would be spent again.",
            "the newest ledger put back. If that is lost, what was spent is unknown: the budget is at its end.",
        )

    @contextmanager
    def writing(self) -> Iterator[SqlExecutor]:
        """An exclusive write transaction on a ledger that its witness confirms; everything is committed, or nothing."""
        with self.database.writing() as connection:
            self.confirm(self.witness.read())  # a witnessed entry was committed, so this transaction sees it
            yield connection

    def append(self, connection: SqlExecutor, account: int | None, event: Event) -> Link:
        """Add an entry; only within `writing`."""
        link = Link.make(self.head(), account, event)
        row = (link.number, link.body, link.hash)
        connection.execute("INSERT INTO entries (number, body, hash) VALUES (?, ?, ?)", row)
        return link

    @retried
    def secure(self, number: int) -> None:
        """Return once the witness knows this entry. The witness only moves forward."""
        if self._is_witnessed(number):
            return
        with self.writing():
            if not self._is_witnessed(number):
                self.witness.write(self.head())

    def _is_witnessed(self, number: int) -> bool:
        known = self.witness.read()
        return known is not None and known.entries >= number and self._hash_at(known.entries) == known.hash

    def _hash_at(self, number: int) -> str | None:
        if number == 0:
            return self.genesis.hash
        with self.database.reading() as connection:
            row = connection.execute("SELECT hash FROM entries WHERE number = ?", (number,)).fetchone()
        return row[0] if row else None


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
