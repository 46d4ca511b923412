"""`tacit query`, a private answer with its error bars, and `tacit explain`, its cost and expected error."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.cli import options
from tacit.cli.output import Format, Output
from tacit.cli.progress import Waiting
from tacit.cli.terminal import say
from tacit.curator.dataset import open_dataset

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
    waiting = Waiting("Answering", is_steward=analyst is None)
    with open_dataset(
        file, ledger=ledger, analyst=analyst, memory=memory, threads=threads, watcher=waiting.watch
    ) as dataset:
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
    brief: bool,
    ledger: str | None,
) -> None:
    """Say what a query would cost and how far off it would be. Nothing is spent and no row is read.

    FILE is the description of the data set, as `tacit init` writes it; SQL is the query: @query.sql reads it from a
    file, - from the input. Without a price, ε = 0.1 is explained.

    \b
    Examples:
      tacit explain clinic.toml "SELECT COUNT(*) FROM visits" --epsilon 0.5
      tacit explain clinic.toml @query.sql --error 50
    """
    with open_dataset(file, ledger=ledger) as dataset:
        found = dataset.explain(
            options.read_sql(sql),
            epsilon=epsilon,
            delta=delta,
            error=error,
            size=size,
            confidence=confidence,
            interval=interval,
        )
    say(found.brief() if brief else found)
