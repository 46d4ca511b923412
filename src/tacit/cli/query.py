"""`tacit query`, a private answer with its error bars, and `tacit explain`, its cost and expected error.

The output of an answer (terminal or file, figure, certificate) is checked before anything is spent.
"""

from __future__ import annotations

import os
import sys
from enum import Enum
from pathlib import Path
from typing import Final

import click

from tacit.cli import options
from tacit.cli.progress import watched
from tacit.cli.terminal import say
from tacit.curator.dataset import open_dataset
from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.printable import printable_lines
from tacit.release.release import Release
from tacit.workload.grouping_sets import asks_for_tables

FAILED: Final = 3
_FIGURES: Final = (".png", ".svg", ".pdf")


class Format(Enum):
    """The output format of an answer."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


@frozen
class Output:
    """The outputs of an answer and their places."""

    form: Format
    out: Path | None
    figure: Path | None
    certificate: Path | None

    @classmethod
    def checked(cls, form: Format | None, out: Path | None, figure: Path | None, certificate: Path | None) -> Output:
        """The output, refused before anything is spent if the answer could not be written."""
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
        """Write the answer, then figure and certificate. If that fails nothing is lost: the release is stored."""
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
        if self.out is None:  # text for a terminal, exact for a file or a pipe
            click.echo(printable_lines(octets.decode()).encode() if is_terminal() else octets, nl=False)
        else:
            self.out.write_bytes(octets)
            say(f"Wrote {self.out}.", err=True)
        if self.form in (Format.CSV, Format.PARQUET):  # the other two formats contain it
            say("\n".join(remark for remark in release.remarks if remark), err=True)


def is_terminal() -> bool:
    """Whether the output is a terminal, which would interpret escape sequences in keys."""
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


_FORMATS = click.Choice([form.value for form in Format])
_PATH = click.Path(path_type=Path)


@click.command()
@options.file
@options.sql
@options.epsilon
@options.delta
@options.error
@options.size
@options.confidence
@options.interval
@options.fresh
@options.analyst
@click.option("--format", "form", type=_FORMATS, help="How to write the answer; as --out ends, else as a table.")
@click.option("--out", type=_PATH, help="Write the answer to this file.")
@click.option("--figure", type=_PATH, help="Draw the answer to this PNG, SVG or PDF file.")
@click.option("--certificate", type=_PATH, help="Write the signed certificate to this file.")
@options.memory
@options.threads
@options.ledger
def query(
    file: Path,
    sql: str,
    epsilon: str | None,
    delta: str | None,
    error: str | None,
    size: str | None,
    confidence: str,
    interval: str,
    fresh: bool,
    analyst: str | None,
    form: str | None,
    out: Path | None,
    figure: Path | None,
    certificate: Path | None,
    memory: str | None,
    threads: int | None,
    ledger: str | None,
) -> None:
    """Answer a query privately. The price is charged first; what an earlier release answers is free.

    FILE is the description of the data set, as `tacit init` writes it; SQL is the query: @query.sql reads it from a
    file, - from the input.

    \b
    Examples:
      tacit query clinic.toml "SELECT AVG(cost) FROM visits" --epsilon 0.5
      tacit query clinic.toml "SELECT COUNT(DISTINCT patient_id) FROM visits" --error 50
      tacit query clinic.toml @query.sql --epsilon 0.2 --as alice --out answer.csv

    Exit codes: 0 answered, 2 refused and nothing spent, 3 failed after the charge, 130 interrupted, 143 ended.
    """
    text = options.read_sql(sql)
    output = Output.checked(None if form is None else Format(form), out, figure, certificate)
    with watched("Answering", file, analyst=analyst, ledger=ledger, memory=memory, threads=threads) as (
        dataset,
        waiting,
    ):
        with waiting:
            release = dataset.query(
                text,
                epsilon=epsilon,
                delta=delta,
                error=error,
                size=size,
                confidence=confidence,
                interval=interval,
                fresh=fresh,
            )
        output.write(release)


@click.command()
@options.file
@options.sql
@options.epsilon
@options.delta
@options.error
@options.size
@options.confidence
@options.interval
@options.weight
@click.option("--brief", is_flag=True, help="Leave out the SQL that the engine would get.")
@options.ledger
def explain(
    file: Path,
    sql: str,
    epsilon: str | None,
    delta: str | None,
    error: str | None,
    size: str | None,
    confidence: str,
    interval: str,
    weight: str,
    brief: bool,
    ledger: str | None,
) -> None:
    """Say what a query would cost and how far off it would be. Nothing is spent and no row is read.

    FILE is the description of the data set, as `tacit init` writes it; SQL is the query: @query.sql reads it from a
    file, - from the input. Without a price, ε = 0.1 is explained. Several tables (CUBE, ROLLUP, GROUPING SETS, or
    several SELECTs) are explained as `tacit tables` would release them.

    \b
    Examples:
      tacit explain clinic.toml "SELECT COUNT(*) FROM visits" --epsilon 0.5
      tacit explain clinic.toml @query.sql --error 50
      tacit explain clinic.toml "SELECT region, COUNT(*) FROM visits GROUP BY ROLLUP(region)" --epsilon 1
    """
    text = options.read_sql(sql)
    with open_dataset(file, ledger=ledger) as dataset:
        if asks_for_tables(text):
            if error is not None or size is not None:
                raise Refused("tables at a target error", "Each table has an error of its own.", "--epsilon 1.")
            say(
                dataset.explain_tables(
                    text, epsilon=epsilon, delta=delta, weight=weight, confidence=confidence, interval=interval
                )
            )
            return
        found = dataset.explain(
            text,
            epsilon=epsilon,
            delta=delta,
            error=error,
            size=size,
            confidence=confidence,
            interval=interval,
        )
    say(found.brief() if brief else found)
