"""Opening the store of a ledger, wherever it is kept; where there is none yet, and nobody knew one, it is made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tacit.errors import Refused
from tacit.ledger.address import Address, read_place
from tacit.ledger.database import Database, create_database
from tacit.ledger.places import witness_of
from tacit.ledger.store import Store
from tacit.ledger.witness import Witness

if TYPE_CHECKING:
    from tacit.ledger.postgres_database import PostgresDatabase


def open_or_create(written: str | Path, witness: Path | None) -> tuple[Store, Witness]:
    """The ledger that is written so, with its witness; refused if it is gone, and the witness knew it."""
    place = read_place(written)
    second = _witness(place, witness)
    if isinstance(place, Address):
        return _open_shared(place, lambda database: _create_shared(database, place, second)), second
    if not place.exists():
        _refuse_if_gone(second, place, lambda: not place.exists())
        create_database(place)
    return Database(place), second


def open_existing(written: str | Path, witness: Path | None) -> tuple[Store, Witness]:
    """The same, where it is there already; refused where it is not."""
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
    """Refuses a ledger that its witness knew; it may also have been made, and witnessed, a moment ago."""
    known = witness.read()
    if known is not None and known.entries > 0 and is_missing():
        raise Refused(
            f"a new ledger at {place}",
            f"Its witness at {witness.path} knows {known.entries:,} entries of one that is gone.",
            "the ledger put back. If it is lost, what was spent is unknown: the budget is at its end.",
        )


def _refuse_missing(place: object) -> NoReturn:
    raise Refused(f"the ledger at {place}", "It is not there.", "where it is, or the description of its data.")
