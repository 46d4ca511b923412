"""The ledger: a file, or a database that curators share, which keeps every charge against all data.

`open_or_create` opens the store of a ledger; where there is none, and no witness knows one, it creates it.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn

from tacit.errors import Refused
from tacit.ledger.account import BudgetAccount
from tacit.ledger.chain import Chain, Witness
from tacit.ledger.events import AccountOpened, SourceJoined
from tacit.ledger.history import Evidence, evidence_of
from tacit.ledger.link import Head
from tacit.ledger.loss_text import loss_to_json
from tacit.ledger.places import Address, read_place, witness_of
from tacit.ledger.registry import AccountName, Known, find_account, read_accounts
from tacit.ledger.sqlite_database import Database, create_database
from tacit.ledger.store import Store, retried
from tacit.ledger.verification import Verification, verify_chain
from tacit.loss.families.loss import Loss
from tacit.loss.filters.currency import currency_of

if TYPE_CHECKING:
    from tacit.ledger.postgres_database import PostgresDatabase


def open_or_create(written: str | Path, witness: Path | None) -> tuple[Store, Witness]:
    """The ledger at this place, with its witness; refused if it is missing but its witness knows it."""
    place = read_place(written)
    second = _witness(place, witness)
    if isinstance(place, Address):
        return _open_shared(place, lambda database: _create_shared(database, place, second)), second
    if not place.exists():
        _refuse_if_gone(second, place, lambda: not place.exists())
        create_database(place)
    return Database(place), second


def open_existing(written: str | Path, witness: Path | None) -> tuple[Store, Witness]:
    """An existing ledger at this place, with its witness; refused if there is none."""
    place = read_place(written)
    if isinstance(place, Address):
        return _open_shared(place, lambda _: _refuse_missing(place.place)), _witness(place, witness)
    if not place.exists():
        _refuse_missing(place)
    return Database(place), _witness(place, witness)


def _open_shared(address: Address, if_missing: Callable[[PostgresDatabase], None]) -> PostgresDatabase:
    database = _connect(address)
    try:
        if database.is_new:
            if_missing(database)
        database.refuse_unless_sound()
    except BaseException:
        database.close()
        raise
    return database


def _create_shared(database: PostgresDatabase, address: Address, witness: Witness) -> None:
    _refuse_if_gone(witness, address.place, lambda: database.is_new)
    database.create()


def _connect(address: Address) -> PostgresDatabase:
    try:
        from tacit.ledger.postgres_database import PostgresDatabase  # a driver loads when it is needed
    except ImportError:
        raise Refused(
            f"the ledger at {address.place}",
            "The driver of PostgreSQL is not installed.",
            'pip install "tacit[postgres]"; then try again.',
        ) from None
    return PostgresDatabase(address)


def _witness(place: Path | Address, stated: Path | None) -> Witness:
    return Witness(witness_of(place) if stated is None else Path(stated).expanduser().resolve())


def _refuse_if_gone(witness: Witness, place: object, is_missing: Callable[[], bool]) -> None:
    """Refuse a missing ledger that its witness knows; it may also have been created and witnessed meanwhile."""
    known = witness.read()
    if known is not None and known.entries > 0 and is_missing():
        raise Refused(
            f"a new ledger at {place}",
            f"Its witness at {witness.path} knows {known.entries:,} entries of one that is gone.",
            "the ledger put back. If it is lost, what was spent is unknown: the budget is at its end.",
        )


def _refuse_missing(place: object) -> NoReturn:
    raise Refused(f"the ledger at {place}", "It is not there.", "where it is, or the description of its data.")


class Ledger:
    """An open ledger. Entries are only ever added, each sealed by a hash of the one before.

    Its head is witnessed in a second file, so a ledger restored to an earlier state is refused. Any number of processes
    may use one ledger at once; each opens it itself. A ledger in PostgreSQL may be used from several machines, each
    with a witness of its own, which stores the last head seen there.
    """

    def __init__(self, chain: Chain) -> None:
        self._chain = chain

    @classmethod
    def open(cls, place: str | Path, witness: Path | None = None, *, create: bool = True) -> Ledger:
        """The ledger at this path or postgresql://…, created if there is none.

        Refused if its witness knows a later head.
        """
        ledger = cls(Chain(*(open_or_create if create else open_existing)(place, witness)))
        try:
            ledger._chain.secure(ledger._chain.head().entries)
        except BaseException:
            ledger.close()
            raise
        return ledger

    @classmethod
    def accept_witness(cls, place: str | Path, witness: Path | None = None) -> Verification:
        """Accept the head of this ledger as the newest, by the steward's word, where its witness is lost or new.

        Its chain must verify. A witness of an entry that the ledger does not have is never overwritten.
        """
        database, second = open_existing(place, witness)
        try:
            known = second.read()
            if known is not None and known.entries > 0:
                raise Refused(
                    f"a new witness at {second.path}",
                    "There is one, and it may know of entries that this ledger lost.",
                    "the ledger that it knows; or no witness at this place.",
                )
            chain = Chain(database, second)
            found = verify_chain(chain)
            if found.holds:
                second.write(chain.head())
        finally:
            database.close()
        return found

    @property
    def beside(self) -> Path:
        """The path on this machine next to which the signing key and prepared data are kept."""
        return self._chain.database.beside

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders on this machine that are written to: those of the ledger and of its witness."""
        return tuple({self.beside.parent, self._chain.witness.path.parent})

    @property
    def head(self) -> Head:
        """The head: the number of entries, and the hash that seals them all."""
        return self._chain.head()

    def account(self, name: AccountName, budget: Loss) -> BudgetAccount:
        """The account that owns any of these sources, or a new one with this budget, fixed for good."""
        currency_of(budget)
        loss_to_json(budget)
        known = find_account(self._chain, name, budget)
        if known is None or not known.sources >= set(name.sources):
            known = self._widen(name, budget)
        return BudgetAccount(self._chain, known.id, known.unit, known.budget, _now)

    def find(self, name: AccountName, budget: Loss) -> BudgetAccount | None:
        """The account that owns any of these sources, if there is one; this opens none, and so fixes no budget."""
        known = find_account(self._chain, name, budget)
        return None if known is None else BudgetAccount(self._chain, known.id, known.unit, known.budget, _now)

    def owner(self, number: int) -> BudgetAccount:
        """The account that an entry is of; refused where there is no such entry."""
        link = next(self._chain.links("number = ?", number), None)
        if link is None:
            raise Refused(f"entry {number} of this ledger", "There is none.", "a number that `tacit failures` shows.")
        known = read_accounts(self._chain)[link.account]
        return BudgetAccount(self._chain, known.id, known.unit, known.budget, _now)

    @retried
    def _widen(self, name: AccountName, budget: Loss) -> Known:
        with self._chain.writing() as connection:
            known = find_account(self._chain, name, budget)
            if known is None:
                opened = AccountOpened(_now(), name.unit, budget, name.sources)
                number = self._chain.append(connection, None, opened).number
                known = Known(number, name.unit, budget, frozenset(name.sources))
            elif new := set(name.sources) - known.sources:
                self._chain.append(connection, known.id, SourceJoined(_now(), tuple(sorted(new))))
        self._chain.secure(self._chain.head().entries)
        return known

    def evidence(self, number: int) -> Evidence | None:
        """The evidence of the charge with this number; None where there is no such charge."""
        return evidence_of(self._chain, number)

    def keyed(self, text: str) -> str:
        """A name for the text that only this ledger can compute: HMAC-SHA256 under its secret."""
        return hmac.digest(self._chain.secret, text.encode("utf-8", "surrogatepass"), "sha256").hex()

    def verify(self) -> Verification:
        """Read the whole ledger again and report the first entry that is not valid."""
        known, found = self._chain.witness.read(), verify_chain(self._chain)
        if not found.holds:
            return found
        try:
            self._chain.confirm(known)
        except Refused as refusal:
            return Verification(found.entries, found.entries + 1, refusal.why)
        return found

    def close(self) -> None:
        self._chain.database.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
