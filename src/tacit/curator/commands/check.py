"""`tacit check`: whether a description fits its data, and what it promises. For the steward alone."""

from __future__ import annotations

import typer

from tacit.curator.checking import check_dataset
from tacit.curator.commands.options import File, LedgerPath
from tacit.curator.commands.printing import say
from tacit.curator.commands.waiting import Waiting
from tacit.curator.opened import open_data

app = typer.Typer(rich_markup_mode="markdown", add_completion=False)


@app.command()
def check(file: File, ledger: LedgerPath = None) -> None:
    """Say whether a description fits its data, and what it promises. It counts rows: for the steward alone.

    Example: `tacit check clinic.toml`
    """
    with Waiting("Reading"), open_data(file, ledger) as opened:
        say(check_dataset(opened))
