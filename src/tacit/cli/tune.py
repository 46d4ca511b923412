"""`tacit learn tune`: of several candidates, each fit and scored privately, the best one, at one price."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.cli import options
from tacit.cli.progress import watched
from tacit.cli.query import Output
from tacit.cli.terminal import say
from tacit.errors import Refused


@click.command()
@options.file
@options.sql
@click.option("--target", required=True, help="The column of the SELECT that is predicted; all others are features.")
@click.option("--candidates", required=True, help='Settings and what is tried of each: "bins=8,16,32; steps=10,20".')
@options.epsilon
@options.delta
@click.option("--model", default="additive", show_default=True, help="As in `tacit learn fit`, with a target.")
@click.option("--on", "judged_on", help="A SELECT of rows that were held out; those of the training if not given.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Write the chosen model to this file.")
@options.fresh
@options.analyst
@options.memory
@options.threads
@options.ledger
def tune(
    file: Path,
    sql: str,
    target: str,
    candidates: str,
    epsilon: str | None,
    delta: str | None,
    model: str,
    judged_on: str | None,
    out: Path,
    fresh: bool,
    analyst: str | None,
    memory: str | None,
    threads: int | None,
    ledger: str | None,
) -> None:
    """Choose settings privately: each candidate is fit and scored with noise, and only the best one is released.

    One price for all, charged first. Where the budget adds up (epsilon, delta), a random number of candidates is run,
    and each has far more of the price than if all were paid for; else each has its part.

    \b
    Example:
      tacit learn tune clinic.toml "SELECT cost, region, age FROM visits" --target cost --epsilon 1 \\
          --candidates "bins=8,16; steps=10,20" --out m.json

    Exit codes: 0 trained, 2 refused and nothing spent, 3 failed after the charge, 130 interrupted, 143 ended.
    """
    from tacit.learn.tuning.candidates import read_grid

    if epsilon is None:
        raise Refused("a tuning without a price", "Each run is paid for.", "--epsilon 1.")
    Output.checked(None, out, None, None)
    grid = read_grid(candidates)
    with (
        watched("Tuning", file, analyst=analyst, ledger=ledger, memory=memory, threads=threads) as (dataset, clock),
        clock,
    ):
        tuned = dataset.tune(
            options.read_sql(sql),
            target=target,
            candidates=grid,
            epsilon=epsilon,
            delta=delta,
            model=model,
            judged_on=None if judged_on is None else options.read_sql(judged_on),
            fresh=fresh,
        )
    tuned.write(out)
    say(tuned)
    say(f"Wrote {out}.", err=True)
