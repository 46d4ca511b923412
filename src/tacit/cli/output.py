"""Where an answer goes: terminal or file, figure, certificate; all of it is checked before anything is spent."""

from __future__ import annotations

import os
import sys
from enum import Enum
from pathlib import Path
from typing import Final

import click

from tacit.cli.terminal import say
from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.printable import printable_lines
from tacit.release.release import Release

FAILED: Final = 3
_FIGURES: Final = (".png", ".svg", ".pdf")


class Format(Enum):
    """How an answer is written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


@frozen
class Output:
    """What is written of an answer, and where."""

    form: Format
    out: Path | None
    figure: Path | None
    certificate: Path | None

    @classmethod
    def checked(cls, form: Format | None, out: Path | None, figure: Path | None, certificate: Path | None) -> Output:
        """Refused, before anything is spent, where the answer could not be written."""
        places = [place for place in (out, figure, certificate) if place is not None]
        for place in places:
            _refuse_unless_writable(place)
        if len({os.path.realpath(place) for place in places}) < len(places):
            raise Refused("two files in one place", "One would take the place of the other.", "a name for each.")
        if figure is not None and figure.suffix.lower() not in _FIGURES:
            raise Refused(f"a figure in {figure.name}", "Its format is not known.", "a name in .png, .svg or .pdf.")
        chosen = form or _form_of(out)
        if chosen is Format.PARQUET and out is None:
            raise Refused("Parquet on the terminal", "It is not text.", "--out answer.parquet.")
        return cls(chosen, out, figure, certificate)

    def write(self, release: Release) -> None:
        """The answer, then figure and certificate. What cannot be written now is not lost: the release is stored."""
        try:
            self._write_answer(release)
            if self.certificate is not None and (signed := release.certified(self.form.value)) is not None:
                self.certificate.write_text(signed.to_json(), encoding="utf-8")
                say(f"Wrote {self.certificate}.", err=True)
            if self.figure is not None:
                release.plot(self.figure)
                say(f"Drew {self.figure}.", err=True)
        except BrokenPipeError:
            raise
        except (OSError, Refused) as error:
            why = f"{error.why} Accepted: {error.accepted}" if isinstance(error, Refused) else "Its file is in the way."
            say(
                f"Answered, but not all of it could be written. {why}\nThe answer is kept: asking again is free.",
                err=True,
            )
            raise click.exceptions.Exit(FAILED) from None

    def _write_answer(self, release: Release) -> None:
        octets = release.presented(self.form.value)
        if self.out is None:  # on a terminal it is shown, in a file or a pipe it is exact
            click.echo(printable_lines(octets.decode()).encode() if is_terminal() else octets, nl=False)
        else:
            self.out.write_bytes(octets)
            say(f"Wrote {self.out}.", err=True)
        if self.form in (Format.CSV, Format.PARQUET):  # the other two say it themselves
            say("\n".join(remark for remark in release.remarks if remark), err=True)


def is_terminal() -> bool:
    """Whether what is printed goes to a terminal, which would obey what keys hold."""
    return sys.stdout.isatty()


def _form_of(out: Path | None) -> Format:
    endings = {f".{form.value}": form for form in Format}
    return Format.TABLE if out is None else endings.get(out.suffix.lower(), Format.TABLE)


def _refuse_unless_writable(place: Path) -> None:
    parent = place.parent
    fits = (
        os.access(place, os.W_OK) and place.is_file()
        if place.exists()
        else parent.is_dir() and os.access(parent, os.W_OK)
    )
    if not fits:
        raise Refused(f"to write {place}", "It cannot be written there.", "a file in a folder that is there.")
