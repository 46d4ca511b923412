"""Where the ledger and its witness live when nobody says otherwise."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from tacit.ledger.address import Address


def default_places() -> tuple[Path, Path]:
    """(ledger, witness): `$TACIT_HOME/ledger.sqlite` and `$TACIT_WITNESS`, else two folders that backups keep apart."""
    return _default_ledger(), witness_of(_default_ledger())


def witness_of(ledger: Path | Address) -> Path:
    """The witness of a ledger: the usual one for the usual ledger, else one beside that, named for the place."""
    stated = os.environ.get("TACIT_WITNESS")
    witness = Path(stated) if stated else Path.home() / ".local" / "state" / "tacit" / "witness"
    if isinstance(ledger, Address):
        return witness.with_name(f"{witness.name}-{_name(ledger.place.encode())}")
    usual = _default_ledger() if stated else _home() / "ledger.sqlite"
    place = ledger.expanduser().resolve()
    if place == usual.expanduser().resolve():
        return witness
    return witness.with_name(f"{witness.name}-{_name(os.fsencode(place))}")


def beside_of(ledger: Address) -> Path:
    """Where a ledger would lie if it were on this machine, in a folder named for its place; nothing is there."""
    return Path(os.environ.get("TACIT_HOME") or _home()) / f"ledger-{_name(ledger.place.encode())}" / "ledger"


def _name(place: bytes) -> str:
    return hashlib.sha256(place).hexdigest()[:24]


def _default_ledger() -> Path:
    return Path(os.environ.get("TACIT_HOME") or _home()) / "ledger.sqlite"


def _home() -> Path:
    return Path.home() / ".local" / "share" / "tacit"
