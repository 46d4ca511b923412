"""A folder of files under one certificate: a signed line for each, and one for the list of them.

Claim: a folder that verifies has exactly the files that were signed for, under their names. Proof: each line binds name
and octets to the certificate, and the last one binds the list of all lines; so without the key no file can be changed,
removed, added, or exchanged for another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from tacit.ledger.certificate import Certificate, Presentation
from tacit.ledger.signature import SigningKey, Verdict, present

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
