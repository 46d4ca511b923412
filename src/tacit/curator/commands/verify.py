"""`tacit verify`: whether a certificate is genuine, or a ledger whole."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.certificate.certificate import Certificate
from tacit.certificate.signing import SigningKey, fingerprint, key_beside
from tacit.certificate.signing import verify as verify_certificate
from tacit.curator.commands.printing import say
from tacit.errors import Refused
from tacit.ledger.ledger import Ledger


@click.command()
@click.argument("certificate", type=click.Path(path_type=Path), required=False)
@click.option("--key", help="The steward's public key, in hex, or a file with it.")
@click.option("--ledger", help="Read a whole ledger again: its path or address, or the description of its data.")
@click.option(
    "--accept-witness",
    is_flag=True,
    help="The steward's word that the ledger is the newest, where its witness is lost or the machine is new.",
)
def verify(certificate: Path | None, key: str | None, ledger: str | None, accept_witness: bool) -> None:
    """Check a certificate offline, or read a whole ledger again; with both, the certificate must be of its key.

    CERTIFICATE is one that `tacit query` wrote.

    A ledger that has entries is opened only where its witness is: a file on this machine that knows how far the ledger
    had come, so that one put back to an earlier state is noticed. A machine that joins a shared ledger has none yet.
    --accept-witness reads the whole ledger and, if all of it holds, writes that file. Compare the last seal that it
    shows with the one that `tacit verify --ledger` shows to a colleague: after that, nothing older is accepted.

    Exits with 1 if something does not hold.

    \b
    Examples:
      tacit verify answer.json --key steward.pub
      tacit verify --ledger clinic.toml
      tacit verify --ledger postgresql://db.example.org/ledger --accept-witness
    """
    if certificate is None and ledger is None:
        raise Refused("to verify nothing", "Something must be named.", "a certificate, or --ledger clinic.toml.")
    if accept_witness and ledger is None:
        raise Refused("to accept a ledger", "It must be named.", "--ledger clinic.toml --accept-witness.")
    public, holds = None if key is None else _public_key(key), True
    if ledger is not None:
        own, holds = _check_ledger(ledger, accept_witness)
        public = public or own
    if certificate is not None:
        holds = _check_certificate(certificate, public) and holds
    if not holds:
        raise click.exceptions.Exit(1)


def _check_ledger(written: str, accept_witness: bool) -> tuple[bytes | None, bool]:
    """(the key that signs for it on this machine, whether it holds); with the steward's word, it is witnessed here."""
    place = _place(written)
    if accept_witness:
        found = Ledger.accept_witness(place)
        if not found.holds:
            say(f"{found} It was not accepted.")
            return None, False
        say("Accepted as the newest: from now on this machine refuses it if it is ever put back to before this.")
    with Ledger.open(place, create=False) as book:
        found, head = book.verify(), book.head
        own = SigningKey.open(key_beside(book.beside)).public_key
    say(f"{found} The last seal is {head.hash[:16]}.")
    say(f"Its certificates are signed here by {fingerprint(own)}, whose public key is {own.hex()}.")
    return own, found.holds


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


def _place(written: str) -> str | Path:
    """Where the ledger is that is written so, or that of the data that a description describes."""
    if Path(written).suffix == ".toml":
        from tacit.curator.books import ledger_of  # a certificate needs no description

        return ledger_of(written)
    return written


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
