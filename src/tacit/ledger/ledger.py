"""The ledger: a file in which every charge against every data set is kept for good."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from tacit.errors import Refused
from tacit.ledger.account import Account
from tacit.ledger.chain import Chain
from tacit.ledger.database import Database, create_database
from tacit.ledger.events import Joined, Opened
from tacit.ledger.loss_text import loss_to_json
from tacit.ledger.places import witness_of
from tacit.ledger.registry import AccountName, Known, find_account
from tacit.ledger.verification import Verification, verify_chain
from tacit.ledger.witness import Witness
from tacit.loss.filters.currency import currency_of
from tacit.loss.loss import Loss


class Ledger:
    """An open ledger. Entries are only ever added, each sealed by a hash of the one before.

    Its head is witnessed in a second file, so a ledger put back to an earlier state refuses to open. Any number of
    processes may use one ledger at once; each opens it for itself.
    """

    def __init__(self, chain: Chain) -> None:
        self._chain = chain

    @classmethod
    def open(cls, path: Path, witness: Path | None = None) -> Ledger:
        """The ledger at this path, created for its owner alone if there is none; refused if its witness knows more."""
        place, second = _places(path, witness)
        if not place.exists():
            _refuse_if_witnessed(place, second)
            create_database(place)
        ledger = cls(Chain(Database(place), second))
        try:
            ledger._chain.secure(ledger._chain.head().entries)
        except BaseException:
            ledger.close()
            raise
        return ledger

    @classmethod
    def accept_witness(cls, path: Path, witness: Path | None = None) -> Verification:
        """The steward's word that this ledger is the newest, where its witness was lost; its chain must hold.

        A witness that is there is never overwritten: it may know of entries that the ledger lost.
        """
        place, second = _places(path, witness)
        if second.read() is not None:
            raise Refused(
                f"a new witness at {second.path}",
                "There is one, and it may know of entries that this ledger lost.",
                "the ledger that it knows; or no witness at this place.",
            )
        database = Database(place)
        try:
            chain = Chain(database, second)
            found = verify_chain(chain)
            if found.holds:
                second.write(chain.head())
        finally:
            database.close()
        return found

    @property
    def path(self) -> Path:
        return self._chain.database.path

    def account(self, name: AccountName, budget: Loss) -> Account:
        """The account that owns any of these sources, or a new one with this budget, fixed for good."""
        currency_of(budget)
        loss_to_json(budget)
        known = find_account(self._chain, name, budget)
        if known is None or not known.sources >= set(name.sources):
            known = self._widen(name, budget)
        return Account(self._chain, known.id, known.unit, known.budget, _now)

    def find(self, name: AccountName, budget: Loss) -> Account | None:
        """The account that owns any of these sources, if there is one; asking opens none, and so fixes no budget."""
        known = find_account(self._chain, name, budget)
        return None if known is None else Account(self._chain, known.id, known.unit, known.budget, _now)

    def _widen(self, name: AccountName, budget: Loss) -> Known:
        with self._chain.writing() as connection:
            known = find_account(self._chain, name, budget)
            if known is None:
                opened = Opened(_now(), name.unit, budget, name.sources)
                number = self._chain.append(connection, None, opened).number
                known = Known(number, name.unit, budget, frozenset(name.sources))
            elif new := set(name.sources) - known.sources:
                self._chain.append(connection, known.id, Joined(_now(), tuple(sorted(new))))
        self._chain.secure(self._chain.head().entries)
        return known

    def keyed(self, text: str) -> str:
        """A name for the text that only this ledger can compute: HMAC-SHA256 under its secret."""
        return hmac.digest(self._chain.secret, text.encode("utf-8", "surrogatepass"), "sha256").hex()

    def verify(self) -> Verification:
        """Reads the whole ledger again and names the first entry that does not hold."""
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


def _places(path: Path, witness: Path | None) -> tuple[Path, Witness]:
    place = Path(path).expanduser().resolve()
    return place, Witness(witness_of(place) if witness is None else Path(witness).expanduser().resolve())


def _refuse_if_witnessed(place: Path, witness: Witness) -> None:
    known = witness.read()
    if known is not None and known.entries > 0 and not place.exists():
        raise Refused(
            f"a new ledger at {place}",
            f"Its witness at {witness.path} knows {known.entries:,} entries of one that is gone.",
            "the ledger put back. If it is lost, what was spent is unknown: the budget is at its end.",
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
