"""`tacit budget`, what was spent and what is left, and `tacit failures`, the questions without an answer.

When the steward has looked at the failures and cleared them, new questions are admitted again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tacit.cli import options
from tacit.cli.terminal import say, terminal_width
from tacit.curator.account_view import BudgetView, FailuresView
from tacit.curator.books import Books, open_books
from tacit.printable import printable_json

if TYPE_CHECKING:
    from tacit.loss.composition.study_cost import Study


@click.command()
@options.file
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--poll", "polls", multiple=True, type=click.Path(path_type=Path), help="A poll of the same people.")
@click.option("--shuffled", type=int, help="The polls' reports are shuffled among so many people.")
@options.ledger
def budget(file: Path, as_json: bool, polls: tuple[Path, ...], shuffled: int | None, ledger: str | None) -> None:
    """Show what was spent, by whom, on what, what is left, and how many more such queries fit.

    FILE is the description of the data set, as `tacit init` writes it.

    With --poll also what all of it, and those polls, cost somebody who is in the data and answered them.

    Example: `tacit budget clinic.toml --poll poll.toml`
    """
    with open_books(file, ledger) as books:
        view = BudgetView.of(books)
        study = _study(books, file.name, polls, shuffled) if polls else None
    if as_json:
        together = {} if study is None else {"with_polls": {"epsilon": study.total.epsilon("1e-6"), "delta": 1e-6}}
        click.echo(printable_json(json.dumps(view.fields() | together, ensure_ascii=False, indent=2)))
    else:
        say(view.text(terminal_width()))
        if study is not None:
            say("Somebody who is in the data and answered the polls, when all of the budget is spent:")
            say(study.describe())


def _study(books: Books, name: str, polls: tuple[Path, ...], shuffled: int | None) -> Study:
    from tacit.curator.poll_study import study_of  # it loads what prices a poll

    return study_of(books, name, polls, shuffled)


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
