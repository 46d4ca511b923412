"""The `tacit` command: it mounts the commands that the rooms own."""

from __future__ import annotations

import sys

import typer

from tacit.errors import Refused
from tacit.loss.command import app as account

app = typer.Typer(
    help="Answers about people that give no person away.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
app.add_typer(account, name="account")


@app.callback()
def root() -> None:
    """Answers about people that give no person away."""


def main() -> None:
    """Run the command; a refusal is printed, spends nothing and exits with 2."""
    try:
        app()
    except Refused as refused:
        typer.echo(str(refused), err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
