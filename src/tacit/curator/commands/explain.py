"""`tacit explain`: what a query would cost and how far off it would be."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.curator.commands import options
from tacit.curator.commands.printing import say
from tacit.curator.dataset import open_dataset


@click.command()
@options.file
@options.sql
@options.epsilon
@options.delta
@options.error
@options.size
@options.confidence
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
            options.read_sql(sql), epsilon=epsilon, delta=delta, error=error, size=size, confidence=confidence
        )
    say(found.brief() if brief else found)
