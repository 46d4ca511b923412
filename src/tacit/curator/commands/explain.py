"""`tacit explain`: what a query would cost and how far off it would be."""

from __future__ import annotations

from typing import Annotated

import typer

from tacit.curator.commands.options import (
    Confidence,
    Delta,
    Epsilon,
    Error,
    File,
    LedgerPath,
    Size,
    Sql,
    read_sql,
)
from tacit.curator.commands.printing import say
from tacit.curator.dataset import open_dataset

app = typer.Typer(rich_markup_mode="markdown", add_completion=False)


@app.command()
def explain(
    file: File,
    sql: Sql,
    epsilon: Epsilon = None,
    delta: Delta = None,
    error: Error = None,
    size: Size = None,
    confidence: Confidence = "0.95",
    brief: Annotated[bool, typer.Option("--brief", help="Leave out the SQL that the engine would get.")] = False,
    ledger: LedgerPath = None,
) -> None:
    """Say what a query would cost and how far off it would be. Nothing is spent and no row is read.

    Without a price, ε = 0.1 is explained. Examples:

    - `tacit explain clinic.toml "SELECT region, COUNT(*) FROM visits GROUP BY region" --epsilon 0.5`
    - `tacit explain clinic.toml @query.sql --error 50`
    """
    with open_dataset(file, ledger=ledger) as dataset:
        found = dataset.explain(
            read_sql(sql), epsilon=epsilon, delta=delta, error=error, size=size, confidence=confidence
        )
    say(found.brief() if brief else found)
