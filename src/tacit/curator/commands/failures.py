"""`tacit failures`: the questions that gave no answer, for the steward to look at; then new ones may be asked again."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.curator.account_view import FailuresView
from tacit.curator.books import open_books
from tacit.curator.commands import options
from tacit.curator.commands.printing import say


@click.command()
@options.file
@click.option("--clear", is_flag=True, help="The steward has seen them: new questions are let in again.")
@options.ledger
def failures(file: Path, clear: bool, ledger: str | None) -> None:
    """Show which questions failed, were broken off or are under way, since they were last cleared.

    FILE is the description of the data set, as `tacit init` writes it.

    A failure is an answer that no price covers. After 3 of one analyst, or 10 in all, no new question is answered until
    the steward has looked whether somebody asks what fails for one person and not for another, and says --clear.

    \b
    Examples:
      tacit failures clinic.toml
      tacit failures clinic.toml --clear
    """
    with open_books(file, ledger) as books:
        view = FailuresView.of(books)
        say(view)
        if clear and view.runs:
            books.account.clear(view.runs)
            say("Cleared, and recorded in the ledger: the breaker counts from here.")
