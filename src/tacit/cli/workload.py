"""`tacit workload`: many counting questions answered together, with the least noise that they can have."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.cli import options
from tacit.cli.progress import Waiting
from tacit.cli.tables import show_tables
from tacit.cli.terminal import say
from tacit.curator.dataset import open_dataset
from tacit.errors import Refused
from tacit.release.publication import FORMS, Publication

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
    waiting = Waiting("Answering", is_steward=analyst is None)
    with open_dataset(
        file, ledger=ledger, analyst=analyst, memory=memory, threads=threads, watcher=waiting.watch
    ) as dataset:
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
