"""Signing and checking certificates with Ed25519, and folders of files under one certificate.

Checking needs only the public half of the key. The cryptography library loads with the first key, because most commands
sign nothing. A folder has a signed line for each file, and one for the list of them.

Claim: a folder that verifies has exactly the files that were signed for, under their names. Proof: each line binds name
and octets to the certificate, and the last one binds the list of all lines; so without the key no file can be changed,
removed, added, or exchanged for another.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.certificate import Certificate, Presentation, Statement, presented_bytes, signed_bytes

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


_HEADER = "tacit signing key 1 "


class SigningKey:
    """A private key in a file that only its owner can read."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public_key: bytes = key.public_key().public_bytes_raw()

    @classmethod
    def open(cls, path: Path) -> SigningKey:
        """The key at this path, created if there is none; refused if others can read it, or if it is not a key."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        place = Path(path).expanduser()
        try:
            if not place.exists():
                _create(place)
            mode, text = place.stat().st_mode, place.read_text("ascii")
            seed = bytes.fromhex(text.removeprefix(_HEADER))
        except (OSError, ValueError) as error:
            raise _unusable(place, f"It cannot be read ({type(error).__name__}).") from None
        if mode & 0o077:
            raise _unusable(place, "Others can read it, and sign in the steward's name.")
        if not (text.startswith(_HEADER) and len(seed) == 32):
            raise _unusable(place, "It is no key.")
        return cls(Ed25519PrivateKey.from_private_bytes(seed))

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


@frozen
class Verdict:
    """Whether a certificate is valid, and a sentence about it."""

    holds: bool
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def key_beside(ledger: Path) -> Path:
    """The default place of the key: in the ledger's folder."""
    return Path(ledger).with_name("signing.key")


def sign(statement: Statement, key: SigningKey) -> Certificate:
    """The statement with its signature."""
    return Certificate(statement, key.public_key, key.sign(signed_bytes(statement, key.public_key)))


def present(certificate: Certificate, form: str, octets: bytes, key: SigningKey) -> Certificate:
    """The certificate with a signed line for a file in which its answer was written."""
    digest, whole = hashlib.sha256(octets).hexdigest(), certificate.signed_bytes()
    line = Presentation(form, digest, key.sign(presented_bytes(form, digest, whole)))
    return replace(certificate, presentations=(*certificate.presentations, line))


def verify_table(certificate: Certificate, octets: bytes, name: str) -> Verdict:
    """Whether a file is one of those that a valid certificate was signed for."""
    line = next((line for line in certificate.presentations if line.shows(octets)), None)
    if line is not None:
        return Verdict(True, f"{name} is its answer, byte for byte as it was written ({line.format}).")
    if not certificate.statement.binds_numbers:
        return Verdict(
            False, f"Whether {name} is its answer cannot be said: a certificate of version 1 binds no numbers."
        )
    forms = ", ".join(line.format for line in certificate.presentations)
    why = f"It was signed for another file ({forms})." if forms else "It was signed for no file."
    return Verdict(False, f"Not its answer: {name} is not what was written with this certificate. {why}")


def verify(certificate: Certificate, public_key: bytes | None = None) -> Verdict:
    """Check the signature, offline; with a public key from elsewhere, also that the certificate is signed by it."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    name = fingerprint(certificate.public_key)
    if public_key is not None and not hmac.compare_digest(certificate.public_key, public_key):
        return Verdict(
            False, f"Not genuine: it is signed by {name}, not by the expected key {fingerprint(public_key)}."
        )
    try:
        key = Ed25519PublicKey.from_public_bytes(certificate.public_key)
        whole = certificate.signed_bytes()
        key.verify(certificate.signature, whole)
        for line in certificate.presentations:
            key.verify(line.signature, line.signed_bytes(whole))
    except (InvalidSignature, ValueError):
        return Verdict(False, "Not genuine: the signature does not match, so something in it was changed.")
    where = f"entry {certificate.statement.entry:,} of the ledger"
    if public_key is None:
        return Verdict(
            True,
            f"This certificate is unchanged since it was signed for {where} by {name}; compare that with the steward's "
            "key.",
        )
    return Verdict(True, f"Genuine: signed by the expected key {name} for {where}, and unchanged since.")


def fingerprint(public_key: bytes) -> str:
    """The fingerprint of a public key: the first 16 bytes of its SHA-256, in groups of four digits."""
    digits = hashlib.sha256(public_key).hexdigest()[:32]
    return " ".join(digits[start : start + 4] for start in range(0, len(digits), 4))


def _create(place: Path) -> None:
    """Create the key atomically, by writing it under another name and linking it into place; an existing key stays."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = place.with_name(f".{place.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(_HEADER + Ed25519PrivateKey.generate().private_bytes_raw().hex())
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, place)
    except FileExistsError:
        return
    finally:
        draft.unlink()


def _unusable(place: Path, why: str) -> Refused:
    return Refused(f"the signing key at {place}", why, f"a key that its owner alone can read (chmod 600 {place.name}).")


CERTIFICATE: Final = "certificate.json"
"""The name of the certificate in its folder."""
FOLDER: Final = "folder"
"""The name of the line for the list."""


def present_folder(certificate: Certificate, files: Mapping[str, bytes], key: SigningKey) -> Certificate:
    """The certificate with a signed line for each file by its name, and one for their list; no line without files."""
    for name, octets in files.items():
        certificate = present(certificate, name, octets, key)
    return present(certificate, FOLDER, _list_of(certificate.presentations), key) if files else certificate


def is_of_folder(certificate: Certificate) -> bool:
    """Whether a certificate was signed for the files of a folder, and not for single files of an answer."""
    return any(line.format == FOLDER or "." in line.format for line in certificate.presentations)


def verify_folder(certificate: Certificate, place: Path) -> Verdict:
    """Whether the files beside a valid certificate are those that it was signed for; hidden files are ignored."""
    lines = {line.format: line for line in certificate.presentations if line.format != FOLDER}
    listed = [line for line in certificate.presentations if line.format == FOLDER]
    if not (len(listed) == 1 and listed[0].shows(_list_of(lines.values())) and all(map(_is_name, lines))):
        return Verdict(False, "Not whole: lines of this certificate were taken off, so files may be missing.")
    there = {each.name for each in place.parent.iterdir() if not each.name.startswith(".")} - {place.name}
    if there.isdisjoint(lines):
        return Verdict(False, f"None of its {len(lines):,} files is beside it: --table FILE checks one by itself.")
    changed = [name for name, line in lines.items() if name in there and not _is_shown(line, place.with_name(name))]
    faults = {
        "changed": changed,
        "missing": [name for name in lines if name not in there],
        "not signed for": there - lines.keys(),
    }
    told = [f"{', '.join(sorted(names))} ({fault})" for fault, names in faults.items() if names]
    if told:
        return Verdict(False, f"Not as it was signed: {'; '.join(told)}.")
    return Verdict(True, f"All {len(lines):,} files beside it are as they were written, byte for byte; no others.")


def _list_of(lines: Iterable[Presentation]) -> bytes:
    return "".join(sorted(f"{line.digest}  {line.format}\n" for line in lines)).encode()


def _is_name(name: str) -> bool:
    """Whether it is the name of a file directly in the folder."""
    return Path(name).name == name and "\\" not in name


def _is_shown(line: Presentation, place: Path) -> bool:
    try:
        return line.shows(place.read_bytes())
    except OSError:
        return False
