"""`tacit verify`, whether a certificate is genuine or a ledger whole, and `tacit retry`.

With `tacit retry` the steward lets a charge run again that has no answer and whose drawn noise is all stored.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from tacit.cli.terminal import say
from tacit.curator.model_file import SignedModel
from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.certificate import Certificate
from tacit.ledger.history import Evidence
from tacit.ledger.ledger import Ledger
from tacit.ledger.places import default_places
from tacit.ledger.signature import (
    CERTIFICATE,
    SigningKey,
    Verdict,
    fingerprint,
    is_of_folder,
    key_beside,
    verify_folder,
    verify_table,
)
from tacit.ledger.signature import verify as verify_certificate
from tacit.printable import printable

_KEY: Final = 32  # octets


@click.command()
@click.argument("certificate", type=click.Path(path_type=Path), required=False)
@click.option("--key", help="The steward's public key, in hex, or a file with it.")
@click.option(
    "--table", type=click.Path(path_type=Path), help="The answer as it was written: is it the one signed for?"
)
@click.option("--ledger", help="Read a whole ledger again: its path or address, or the description of its data.")
@click.option(
    "--accept-witness",
    is_flag=True,
    help="The steward's word that the ledger is the newest, where its witness is lost or the machine is new.",
)
def verify(
    certificate: Path | None, key: str | None, table: Path | None, ledger: str | None, accept_witness: bool
) -> None:
    """Check a certificate offline, and the table it was signed for; or read a whole ledger again.

    CERTIFICATE is one that `tacit query` or `tacit tables` wrote, or a model that `tacit learn fit` wrote, which has
    its own. With --ledger it must be signed by the ledger's key, and the ledger must hold the entry that it names. With
    --table the file must be the one that was written with it. Of a publication, which may be named by its folder, all
    files beside the certificate are checked: whether one was changed, is missing or was added.

    A ledger that has entries is opened only where its witness is: a file on this machine that knows how far the ledger
    had come, so that one put back to an earlier state is noticed. A machine that joins a shared ledger has none yet.
    --accept-witness reads the whole ledger and, if all of it holds, writes that file. Compare the last seal that it
    shows with the one that `tacit verify --ledger` shows to a colleague: after that, nothing older is accepted.

    Exits with 1 if something does not hold.

    \b
    Examples:
      tacit verify answer.json --key steward.pub --table answer.csv
      tacit verify answer.json --ledger clinic.toml
      tacit verify publication/certificate.json --key steward.pub
      tacit verify --ledger postgresql://db.example.org/ledger --accept-witness
    """
    if certificate is None and ledger is None:
        raise Refused("to verify nothing", "Something must be named.", "a certificate, or --ledger clinic.toml.")
    if accept_witness and ledger is None:
        raise Refused("to accept a ledger", "It must be named.", "--ledger clinic.toml --accept-witness.")
    if table is not None and certificate is None:
        raise Refused("to verify a table alone", "Its certificate says what it is.", "answer.json --table answer.csv.")
    if certificate is not None and certificate.is_dir():
        certificate /= CERTIFICATE
    octets = b"" if certificate is None else _read(certificate)
    model = SignedModel.parsed(octets)
    read = None
    if certificate is not None:
        read = Certificate.from_json(octets.decode("utf-8", "replace")) if model is None else model.certificate
    shown = None if table is None else _read(table)
    public = None if key is None else _public_key(key)
    book = None if ledger is None else _check_ledger(ledger, accept_witness, read)
    holds = book is None or book.holds
    if read is not None and certificate is not None:
        verdict = verify_certificate(read, public or (None if book is None else book.key))
        holds = _said(verdict) and holds
        if verdict.holds and book is not None and book.holds:
            holds = _said(_held(read, book.evidence)) and holds
        if verdict.holds and model is not None:
            holds = _said(model.verdict) and holds
        if verdict.holds and table is not None and shown is not None:
            holds = _said(verify_table(read, shown, table.name)) and holds
        if verdict.holds and table is None and is_of_folder(read):
            holds = _said(verify_folder(read, certificate)) and holds
        if verdict.holds:
            _say_content(read)
    if not holds:
        raise click.exceptions.Exit(1)


@frozen
class _Book:
    """A verified ledger: whether it is valid, its signing key here, and the evidence that a certificate names."""

    holds: bool
    key: bytes | None = None
    evidence: Evidence | None = None


def _check_ledger(written: str, accept_witness: bool, certificate: Certificate | None) -> _Book:
    """Verify the whole ledger; with the steward's word, write its witness here."""
    place = ledger_place(written)
    if accept_witness:
        found = Ledger.accept_witness(place)
        if not found.holds:
            say(f"{found} It was not accepted.")
            return _Book(False)
        say("Accepted as the newest: from now on this machine refuses it if it is ever put back to before this.")
    with Ledger.open(place, create=False) as book:
        found, head = book.verify(), book.head
        own = SigningKey.open(key_beside(book.beside)).public_key
        wanted = certificate is not None and found.holds
        evidence = book.evidence(certificate.statement.entry) if certificate is not None and wanted else None
    say(f"{found} The last seal is {head.hash[:16]}.")
    say(f"Its certificates are signed here by {fingerprint(own)}, whose public key is {own.hex()}.")
    return _Book(found.holds, own, evidence)


def _held(certificate: Certificate, held: Evidence | None) -> Verdict:
    """Whether the ledger agrees with a certificate. The hash of an entry seals everything in it."""
    said = certificate.statement
    entry = f"entry {said.entry:,}"
    if held is None or held.chain != said.chain or held.words != said.query:
        return Verdict(False, f"Not of this ledger: it has no such charge as {entry} of the certificate.")
    if said.binds_numbers and (held.ledger, held.time, held.loss) != (said.ledger, said.time, said.loss):
        return Verdict(False, f"Not of this ledger: its {entry} says something else than the certificate.")
    if said.binds_numbers and held.stored != said.stored:
        return Verdict(False, f"Not of this ledger: under {entry} it keeps another release, or none.")
    return Verdict(True, f"The ledger holds {entry} as the certificate says it.")


def _say_content(certificate: Certificate) -> None:
    """Print its content, each field on one indented line: its words are the signer's, not a verdict."""
    said = certificate.statement
    asked = said.query if said.asked is None else said.asked
    lines = [f"It says: {' '.join(asked.split())}"]
    if not said.query.endswith(asked):
        lines.append(f"It was computed, free, from the release that was charged for: {' '.join(said.query.split())}")
    when = f"charged {said.time}" if said.binds_numbers else f"issued {said.time}"
    lines += [f"{said.price}; hides {said.unit}; {when}. It rests on:", *(f"- {claim}" for claim in said.claims)]
    lines += [] if said.shown is None else [f"The answer shown has the digest {said.shown}."]
    say("\n".join(f"  {printable(line)}" for line in lines))
    if said.shown is None:
        say("It is of version 1, which does not bind the numbers of the answer: they may be others than were released.")


def _said(verdict: Verdict) -> bool:
    say(printable(str(verdict)))
    return verdict.holds


def ledger_place(written: str) -> str | Path:
    """The place of the ledger that is given, or of the one that a description uses."""
    if Path(written).suffix == ".toml":
        from tacit.curator.books import ledger_of  # a certificate needs no description

        return ledger_of(written)
    return written


def _public_key(written: str) -> bytes:
    text = _read(Path(written)).decode("utf-8", "replace") if os.path.isfile(written) else written
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) != _KEY:  # an empty key is refused, not ignored
        raise Refused("this public key", "It is no key in hex.", f"{2 * _KEY} hex digits, or a file with them.")
    return key


def _read(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError:
        raise Refused(f"the file {place.name}", "It cannot be read.", "a file that is there.") from None


@click.command()
@click.argument("entry", type=click.IntRange(1, 2**63 - 1))
@click.option("--ledger", help="The ledger, if not the usual: its path or address, or the description of its data.")
def retry(entry: int, ledger: str | None) -> None:
    """Let a charge run again under what was paid for it. It is recorded, and the failure still counts.

    ENTRY is the number of the charge, as `tacit failures` shows it. Only what failed before noise was drawn, or between
    two stages, can be run again; for everything else `tacit query --fresh` pays.

    Example: `tacit retry 17 --ledger clinic.toml`
    """
    with Ledger.open(default_places()[0] if ledger is None else ledger_place(ledger), create=False) as book:
        book.owner(entry).reopen(entry)
    say(f"Entry {entry} may run once more: who asked it asks again, under what was paid.")
