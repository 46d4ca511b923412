"""`tacit budget`: what was spent, by whom, on what, and what is left."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from tacit.curator.commands.options import File, LedgerPath
from tacit.curator.commands.printing import say, terminal_width
from tacit.curator.dataset import open_dataset

app = typer.Typer(rich_markup_mode="markdown", add_completion=False)


@app.command()
def budget(
    file: File,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ledger: LedgerPath = None,
) -> None:
    """Show what was spent, by whom, on what, what is left, and how many more such queries fit.

    Example: `tacit budget clinic.toml`
    """
    with open_dataset(file, ledger=ledger) as dataset:
        view = dataset.budget()
    if as_json:
        typer.echo(json.dumps(view.fields(), ensure_ascii=False, indent=2))
    else:
        say(view.text(terminal_width()))
