"""The folder of a publication: every table in each format, a page to read, and one certificate for all files.

The folder is written under another name and renamed when it is complete. Existing files are never replaced.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Final

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.signature import CERTIFICATE
from tacit.release.publication_page import publication_page

if TYPE_CHECKING:
    from tacit.release.tables_release import TablesRelease

FORMS: Final = ("csv", "parquet")
_KNOWN: Final = (*FORMS, "json")
PAGE: Final = "index.html"


@frozen
class Publication:
    """The folder of a publication, and its formats."""

    folder: Path
    forms: tuple[str, ...]

    @classmethod
    def checked(cls, folder: str | Path, forms: Sequence[str] = FORMS) -> Publication:
        """The publication; refused where the folder cannot be written or has other files."""
        place = Path(folder)
        unknown = [form for form in forms if form not in _KNOWN]
        if unknown or not forms:
            asked = f"tables as {', '.join(unknown) or 'no format'}"
            raise Refused(
                asked, "The format is not one of tables.", ", ".join(_KNOWN) + "; csv and parquet if you do not say."
            )
        if place.exists() and not place.is_dir():
            raise Refused(f"to write tables to {place}", "It is a file.", "a new folder, or an empty one.")
        try:
            is_full = place.exists() and any(place.iterdir())
            draft = _draft(place)
            draft.mkdir()
            draft.rmdir()
        except OSError as error:
            accepted = "a new folder in one that can be written to."
            raise Refused(f"to write {place}", f"It cannot be made there ({error.strerror}).", accepted) from None
        if is_full:
            why = "There are other files in it, which would be lost or mixed with the tables."
            raise Refused(f"to write tables to {place}", why, "a new folder, or an empty one.")
        return cls(place, tuple(forms))

    def write(self, release: TablesRelease) -> list[Path]:
        """All files of a release, in the folder; the certificate is the last."""
        files = self.files(release)
        draft = _draft(self.folder)
        try:
            draft.mkdir()
            for name, octets in files.items():
                (draft / name).write_bytes(octets)
            os.replace(draft, self.folder.resolve())
        finally:
            rmtree(draft, ignore_errors=True)
        return [self.folder / name for name in files]

    def files(self, release: TablesRelease) -> dict[str, bytes]:
        """The octets of every file by its name."""
        files = {f"{each.name}.{form}": each.release.presented(form) for each in release.tables for form in self.forms}
        signed = None if release.certify is None else release.certify(release, {})
        files[PAGE] = publication_page(release, signed, self.forms).encode()
        if release.certify is not None:
            files[CERTIFICATE] = release.certify(release, files).to_json().encode()
        return files


def _draft(folder: Path) -> Path:
    """A new name beside a folder."""
    place = folder.resolve()
    return place.with_name(f".{place.name}.{secrets.token_hex(8)}")
