"""Where a ledger and its witness live: the address of a PostgreSQL ledger, and the default places.

The address is written postgresql://host:port/database.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, quote, unquote, urlsplit

from tacit.errors import Refused
from tacit.frozen import frozen

SCHEMES: Final = ("postgresql://", "postgres://")
_OPTIONS: Final = frozenset(["host", "service", "sslmode", "sslrootcert"])
_PORT: Final = 5432
_WANTED: Final = (
    "postgresql://host/database, or postgresql:///database?host=/folder/of/socket, or postgresql:///?service=x."
)


@frozen
class Address:
    """Server and database, perhaps the user, never a password: libpq finds that in its own places."""

    host: str  # a name, or the folder of a socket; empty where a service gives it
    port: int
    database: str  # empty where a service gives it
    service: str
    settings: tuple[tuple[str, str], ...]  # the user and how the connection is secured

    @property
    def place(self) -> str:
        """A canonical spelling of the place, the same for every user."""
        if self.service:
            return f"postgresql:///{quote(self.database, safe='')}?service={self.service}"
        if self.host.startswith("/"):
            return f"postgresql:///{quote(self.database, safe='')}?host={self.host}&port={self.port}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"postgresql://{host}:{self.port}/{quote(self.database, safe='')}"

    def parameters(self) -> dict[str, str]:
        """The parameters for libpq."""
        stated = {"host": self.host, "dbname": self.database, "service": self.service}
        if self.host:
            stated["port"] = str(self.port)
        return {name: value for name, value in stated.items() if value} | dict(self.settings)


def read_place(written: str | Path) -> Path | Address:
    """Where a ledger is, as written: a path, or the address of a database."""
    if isinstance(written, str) and written.startswith(SCHEMES):
        return _read_address(written)
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", str(written)):
        raise Refused("a ledger at this address", "It is no path, and no address of a kind that is known.", _WANTED)
    return Path(written).expanduser().resolve()


def _read_address(written: str) -> Address:
    try:
        parts = urlsplit(written)
        port = parts.port or _PORT
        options = parse_qs(parts.query, keep_blank_values=True, strict_parsing=True) if parts.query else {}
    except ValueError:
        raise Refused("a ledger at this address", "The address cannot be read.", _WANTED) from None
    if parts.password is not None or "password" in options:
        raise Refused(
            "an address with a password",
            "It would be seen by whoever sees the file or the command.",
            "the environment's PGPASSWORD, ~/.pgpass or a service file; and here the host, the database and the user.",
        )
    stated = {name: values[0] for name, values in options.items()}
    host, database = parts.hostname or stated.pop("host", ""), unquote(parts.path.removeprefix("/"))
    service = stated.pop("service", "")
    if not (stated.keys() <= _OPTIONS and all(len(values) == 1 for values in options.values()) and not parts.fragment):
        raise Refused("a ledger at this address", f"Of options it may have {', '.join(sorted(_OPTIONS))}.", _WANTED)
    if not (bool(host) != bool(service) and bool(database or service) and "/" not in database and "host" not in stated):
        raise Refused("a ledger at this address", "It does not say one host and one database.", _WANTED)
    user = {"user": unquote(parts.username)} if parts.username else {}
    return Address(host, port, database, service, tuple(sorted((stated | user).items())))


def default_places() -> tuple[Path, Path]:
    """(ledger, witness): `$TACIT_HOME/ledger.sqlite` and `$TACIT_WITNESS`, else two folders that backups keep apart."""
    return _default_ledger(), witness_of(_default_ledger())


def witness_of(ledger: Path | Address) -> Path:
    """The witness of a ledger: the default one for the default ledger, else one beside it, named after the place."""
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
    """The path that a remote ledger would have on this machine, in a folder named after its place; no file is there."""
    return Path(os.environ.get("TACIT_HOME") or _home()) / f"ledger-{_name(ledger.place.encode())}" / "ledger"


def _name(place: bytes) -> str:
    return hashlib.sha256(place).hexdigest()[:24]


def _default_ledger() -> Path:
    return Path(os.environ.get("TACIT_HOME") or _home()) / "ledger.sqlite"


def _home() -> Path:
    return Path.home() / ".local" / "share" / "tacit"
