"""`tacit learn evaluate`: how good a model is on private rows, with intervals, at one price."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.cli import options
from tacit.cli.progress import watched
from tacit.cli.query import Format, Output
from tacit.curator.learning import read_model

_PATH = click.Path(path_type=Path)


@click.command()
@options.file
@click.argument("model", type=_PATH)
@options.sql
@click.option("--by", multiple=True, metavar="COLUMN", help="Also by the values of a column; may be given again.")
@options.epsilon
@options.delta
@options.confidence
@options.interval
@options.fresh
@options.analyst
@click.option(
    "--format",
    "form",
    type=click.Choice([form.value for form in Format]),
    help="How to write the measures; as --out ends, else as a table.",
)
@click.option("--out", type=_PATH, help="Write the measures to this file; `tacit learn card` reads JSON.")
@click.option("--certificate", type=_PATH, help="Write the signed certificate to this file.")
@options.memory
@options.threads
@options.ledger
def evaluate(
    file: Path,
    model: Path,
    sql: str,
    by: tuple[str, ...],
    epsilon: str | None,
    delta: str | None,
    confidence: str,
    interval: str,
    fresh: bool,
    analyst: str | None,
    form: str | None,
    out: Path | None,
    certificate: Path | None,
    memory: str | None,
    threads: int | None,
    ledger: str | None,
) -> None:
    """Say how good a model is on private rows: all measures from one release, with its price and intervals.

    SQL is a SELECT as that of the training, of rows that were held out: FROM and WHERE say which. Of classes: accuracy,
    AUC, log loss, and shares by predicted probability (calibration). Of numbers: the root of the mean squared error and
    the mean error. Without a price, an earlier release of the same evaluation is read, free.

    \b
    Example:
      tacit learn evaluate clinic.toml m.json "SELECT ward, age, cost FROM visits WHERE day >= '2026-01-01'" --epsilon 1

    Exit codes: 0 answered, 2 refused and nothing spent, 3 failed after the charge, 130 interrupted, 143 ended.
    """
    text = options.read_sql(sql)
    output = Output.checked(None if form is None else Format(form), out, None, certificate)
    with watched("Evaluating", file, analyst=analyst, ledger=ledger, memory=memory, threads=threads) as (
        dataset,
        waiting,
    ):
        with waiting:
            answer = dataset.evaluate(
                read_model(model),
                text,
                by=by,
                epsilon=epsilon,
                delta=delta,
                confidence=confidence,
                interval=interval,
                fresh=fresh,
            )
        output.write(answer)
