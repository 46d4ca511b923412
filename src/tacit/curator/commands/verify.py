"""`tacit verify`: whether a certificate is genuine, or a ledger whole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.certificate.certificate import Certificate
from tacit.certificate.signing import SigningKey, fingerprint, key_beside
from tacit.certificate.signing import verify as verify_certificate
from tacit.curator.commands.printing import say
from tacit.errors import Refused
from tacit.ledger.ledger import Ledger

app = typer.Typer(rich_markup_mode="markdown", add_completion=False)


@app.command()
def verify(
    certificate: Annotated[Path | None, typer.Argument(help="A certificate, as `tacit query` writes it.")] = None,
    key: Annotated[str | None, typer.Option(help="The steward's public key, in hex, or a file with it.")] = None,
    ledger: Annotated[
        Path | None, typer.Option(help="Read a whole ledger again: its path, or the description of its data.")
    ] = None,
) -> None:
    """Check a certificate offline, or read a whole ledger again; with both, the certificate must be of its key.

    Exits with 1 if something does not hold.

    Examples:

    - `tacit verify answer.json --key steward.pub`
    - `tacit verify --ledger clinic.toml`
    """
    if certificate is None and ledger is None:
        raise Refused("to verify nothing", "Something must be named.", "a certificate, or --ledger clinic.toml.")
    public, holds = None if key is None else _public_key(key), True
    if ledger is not None:
        with _opened(ledger) as book:
            found = book.verify()
            own = SigningKey.open(key_beside(book.path)).public_key
        say(f"{found} Its certificates are signed by {fingerprint(own)}, whose public key is {own.hex()}.")
        public, holds = public or own, found.holds
    if certificate is not None:
        holds = _check_certificate(certificate, public) and holds
    if not holds:
        raise typer.Exit(1)


def _check_certificate(place: Path, public_key: bytes | None) -> bool:
    certificate = Certificate.from_json(_read(place))
    verdict = verify_certificate(certificate, public_key)
    say(verdict)
    if verdict.holds:
        statement = certificate.statement
        asked = " ".join(statement.query.split())
        say(f"It says: {asked}\n{statement.price}; hides {statement.unit}; issued {statement.issued}. It rests on:")
        say("\n".join(f"- {claim}" for claim in statement.claims))
    return verdict.holds


def _opened(place: Path) -> Ledger:
    """The ledger at this path, or that of the data that a description describes."""
    if place.suffix == ".toml":
        from tacit.curator.opened import open_data  # a certificate needs no description

        return open_data(place).ledger
    if not place.exists():
        raise Refused(f"the ledger at {place}", "It is not there.", "its path, or the description of its data.")
    return Ledger.open(place)


def _public_key(written: str) -> bytes:
    text = _read(Path(written)) if Path(written).is_file() else written
    try:
        return bytes.fromhex(text.strip())
    except ValueError:
        raise Refused("this public key", "It is not hex.", "64 hex digits, or a file with them.") from None


def _read(place: Path) -> str:
    try:
        return place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise Refused(f"the file {place.name}", "It cannot be read.", "a text file that is there.") from None
