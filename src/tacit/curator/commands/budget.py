"""`tacit budget`: what was spent, by whom, on what, and what is left."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tacit.curator.books import open_books
from tacit.curator.budget_view import BudgetView
from tacit.curator.commands import options
from tacit.curator.commands.printing import say, terminal_width


@click.command()
@options.file
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@options.ledger
def budget(file: Path, as_json: bool, ledger: str | None) -> None:
    """Show what was spent, by whom, on what, what is left, and how many more such queries fit.

    FILE is the description of the data set, as `tacit init` writes it.

    Example: `tacit budget clinic.toml`
    """
    with open_books(file, ledger) as books:
        view = BudgetView.of(books)
    if as_json:
        click.echo(json.dumps(view.fields(), ensure_ascii=False, indent=2))
    else:
        say(view.text(terminal_width()))
