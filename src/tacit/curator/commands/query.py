"""`tacit query`: a private answer with its error bars."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.curator.commands.options import (
    Analyst,
    Confidence,
    Delta,
    Epsilon,
    Error,
    File,
    Fresh,
    LedgerPath,
    Memory,
    Size,
    Sql,
    Threads,
    read_sql,
)
from tacit.curator.commands.output import Format, Output
from tacit.curator.commands.waiting import Waiting
from tacit.curator.dataset import open_dataset

app = typer.Typer(rich_markup_mode="markdown", add_completion=False)


@app.command()
def query(
    file: File,
    sql: Sql,
    epsilon: Epsilon = None,
    delta: Delta = None,
    error: Error = None,
    size: Size = None,
    confidence: Confidence = "0.95",
    fresh: Fresh = False,
    analyst: Analyst = None,
    form: Annotated[
        Format | None, typer.Option("--format", help="How to write the answer; as --out ends, else as a table.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the answer to this file.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the answer to this PNG, SVG or PDF file.")] = None,
    certificate: Annotated[Path | None, typer.Option(help="Write the signed certificate to this file.")] = None,
    memory: Memory = None,
    threads: Threads = None,
    ledger: LedgerPath = None,
) -> None:
    """Answer a query privately. The price is charged first; what an earlier release answers is free.

    Examples:

    - `tacit query clinic.toml "SELECT region, AVG(cost) FROM visits GROUP BY region" --epsilon 0.5`
    - `tacit query clinic.toml "SELECT COUNT(*) FROM visits" --error 50`
    - `tacit query clinic.toml @query.sql --epsilon 0.2 --as alice --out answer.csv --figure answer.png`

    Exit codes: 0 answered, 2 refused and nothing spent, 3 failed after the charge, 130 interrupted.
    """
    text, output = read_sql(sql), Output.checked(form, out, figure, certificate)
    waiting = Waiting("Answering", is_steward=analyst is None)
    with open_dataset(
        file, ledger=ledger, analyst=analyst, memory=memory, threads=threads, watcher=waiting.watch
    ) as dataset:
        with waiting:
            release = dataset.query(
                text, epsilon=epsilon, delta=delta, error=error, size=size, confidence=confidence, fresh=fresh
            )
        output.write(release)
