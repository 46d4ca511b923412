"""The chain of entries: each entry seals the one before it, and a witness stores the head."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from tacit.errors import Refused
from tacit.ledger.events import Event
from tacit.ledger.link import Head, Link, genesis
from tacit.ledger.store import SqlExecutor, Store, retried
from tacit.ledger.witness import Witness

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
