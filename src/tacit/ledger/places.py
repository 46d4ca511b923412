"""Where the ledger and its witness live when nobody says otherwise."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def default_places() -> tuple[Path, Path]:
    """(ledger, witness): `$TACIT_HOME/ledger.sqlite` and `$TACIT_WITNESS`, else two folders that backups keep apart."""
    return _default_ledger(), witness_of(_default_ledger())


def witness_of(ledger: Path) -> Path:
    """The witness of a ledger: the usual one for the usual ledger, else one beside that, named for the place."""
    stated = os.environ.get("TACIT_WITNESS")
    witness = Path(stated) if stated else Path.home() / ".local" / "state" / "tacit" / "witness"
    usual = _default_ledger() if stated else _home() / "ledger.sqlite"
    place = ledger.expanduser().resolve()
    if place == usual.expanduser().resolve():
        return witness
    name = hashlib.sha256(os.fsencode(place)).hexdigest()[:24]
    return witness.with_name(f"{witness.name}-{name}")


def _default_ledger() -> Path:
    return Path(os.environ.get("TACIT_HOME") or _home()) / "ledger.sqlite"


def _home() -> Path:
    return Path.home() / ".local" / "share" / "tacit"
