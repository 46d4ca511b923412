"""`tacit workload`, many counting questions answered together, and `tacit tables`, several tables released together.

The questions have the least noise that they can have; the tables (CUBE, ROLLUP, GROUPING SETS or several SELECTs) have
one price. The output (the terminal, or a folder with a page and a certificate) is checked before anything is spent.
"""

from __future__ import annotations

from pathlib import Path

import click

from tacit.cli import options
from tacit.cli.progress import watched
from tacit.cli.query import FAILED, is_terminal
from tacit.cli.terminal import say
from tacit.curator.dataset import open_dataset
from tacit.errors import Refused
from tacit.printable import printable_lines
from tacit.release.publication import FORMS, PAGE, Publication
from tacit.release.tables_release import TablesRelease

_weights = click.option("--weights", help="How much each SELECT matters, as 1,1,5; all the same if not given.")


@click.command()
@options.file
@options.sql
@options.epsilon
@options.delta
@_weights
@options.confidence
@options.interval
@options.ledger
def explain(
    file: Path,
    sql: str,
    epsilon: str | None,
    delta: str | None,
    weights: str | None,
    confidence: str,
    interval: str,
    ledger: str | None,
) -> None:
    """Say how far off each answer would be, together and done plainly. Nothing is spent and no row is read.

    FILE is the description of the data set; SQL is one or more SELECTs over the same rows: @questions.sql reads them
    from a file, - from the input. Without a price, ε = 1 is explained.

    \b
    Example:
      tacit workload explain clinic.toml @questions.sql --epsilon 1
    """
    with open_dataset(file, ledger=ledger) as dataset:
        found = dataset.explain_workload(
            options.read_sql(sql),
            epsilon=epsilon or 1,
            delta=delta,
            weights=_read(weights),
            confidence=confidence,
            interval=interval,
        )
    say(found)


@click.command()
@options.file
@options.sql
@options.epsilon
@options.delta
@_weights
@options.confidence
@options.interval
@options.fresh
@options.analyst
@click.option("--out", type=click.Path(path_type=Path), help="Write tables, page and certificate to this new folder.")
@click.option("--format", "form", type=click.Choice(FORMS), help="The tables' format in the folder; both if not given.")
@options.memory
@options.threads
@options.ledger
def release(
    file: Path,
    sql: str,
    epsilon: str | None,
    delta: str | None,
    weights: str | None,
    confidence: str,
    interval: str,
    fresh: bool,
    analyst: str | None,
    out: Path | None,
    form: str | None,
    memory: str | None,
    threads: int | None,
    ledger: str | None,
) -> None:
    """Answer many counting questions together, privately, at one price.

    FILE is the description of the data set; SQL is one or more SELECTs over the same rows: @questions.sql reads them
    from a file, - from the input. Each counts rows (or adds a column up) by conditions and keys over columns with
    public values; SUM(COUNT(*)) OVER (ORDER BY day) is a running total.

    \b
    Examples:
      tacit workload release clinic.toml @questions.sql --epsilon 1
      tacit workload release clinic.toml @questions.sql --epsilon 1 --out answers
    """
    text = options.read_sql(sql)
    if form is not None and out is None:
        raise Refused(f"--format {form} on the terminal", "Several tables are several files.", "--out folder with it.")
    place = None if out is None else Publication.checked(out, FORMS if form is None else (form,))
    with watched("Answering", file, analyst=analyst, ledger=ledger, memory=memory, threads=threads) as (
        dataset,
        waiting,
    ):
        with waiting:
            found = dataset.workload(
                text,
                epsilon=epsilon,
                delta=delta,
                weights=_read(weights),
                confidence=confidence,
                interval=interval,
                fresh=fresh,
            )
        show_tables(found, place)


def _read(weights: str | None) -> list[str] | None:
    return None if weights is None else weights.split(",")


@click.command()
@options.file
@options.sql
@options.epsilon
@options.delta
@options.weight
@options.confidence
@options.interval
@options.fresh
@options.analyst
@click.option("--out", type=click.Path(path_type=Path), help="Write tables, page and certificate to this new folder.")
@click.option("--format", "form", type=click.Choice(FORMS), help="The tables' format in the folder; both if not given.")
@options.memory
@options.threads
@options.ledger
def tables(
    file: Path,
    sql: str,
    epsilon: str | None,
    delta: str | None,
    weight: str,
    confidence: str,
    interval: str,
    fresh: bool,
    analyst: str | None,
    out: Path | None,
    form: str | None,
    memory: str | None,
    threads: int | None,
    ledger: str | None,
) -> None:
    """Release several tables together. They share one price, they add up, and what they imply is free afterwards.

    FILE is the description of the data set, as `tacit init` writes it; SQL is a text with GROUP BY CUBE(…), ROLLUP(…)
    or GROUPING SETS (…), or several SELECTs over the same rows with a semicolon between them: publication.sql or
    @publication.sql reads it from a file, - from the input. `tacit explain` says what it would cost, free.

    \b
    Examples:
      tacit tables clinic.toml "SELECT region, ward, COUNT(*) FROM visits GROUP BY CUBE(region, ward)" --epsilon 1
      tacit tables clinic.toml publication.sql --epsilon 1 --out publication
      tacit verify publication/certificate.json

    Exit codes: 0 answered, 2 refused and nothing spent, 3 failed after the charge, 130 interrupted, 143 ended.
    """
    text = options.read_sql(sql)
    if form is not None and out is None:
        raise Refused(f"--format {form} on the terminal", "Several tables are several files.", "--out folder with it.")
    place = None if out is None else Publication.checked(out, FORMS if form is None else (form,))
    with watched("Adding up", file, analyst=analyst, ledger=ledger, memory=memory, threads=threads) as (
        dataset,
        waiting,
    ):
        with waiting:
            release = dataset.tables(
                text,
                epsilon=epsilon,
                delta=delta,
                weight=weight,
                confidence=confidence,
                interval=interval,
                fresh=fresh,
            )
        show_tables(release, place)


def show_tables(release: TablesRelease, place: Publication | None) -> None:
    """Show the tables on the terminal, or write them to their folder."""
    if place is None:
        shown = f"{release}\n"
        click.echo(printable_lines(shown) if is_terminal() else shown, nl=False)
    else:
        say("\n".join(remark for remark in release.remarks if remark))
        write_folder(release, place)


def write_folder(release: TablesRelease, place: Publication) -> None:
    """Write the folder. If that fails nothing is lost: the release is stored."""
    try:
        written = place.write(release)
    except OSError as error:
        say(
            f"Answered, but {place.folder} could not be written ({error.strerror}).\n"
            "The answer is kept: asking again is free.",
            err=True,
        )
        raise click.exceptions.Exit(FAILED) from None
    say(f"Wrote {len(written):,} files to {place.folder}: open {place.folder / PAGE} to read them.", err=True)
