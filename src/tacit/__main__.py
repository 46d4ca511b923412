"""The `tacit` command: it mounts the commands that the rooms own, and loads each when it is called."""

from __future__ import annotations

import gc
from importlib import import_module
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from tacit.curator.command import COMMANDS as CURATOR
from tacit.errors import Failed, Refused

COMMANDS: Final = {
    **CURATOR,
    "account": ("tacit.loss.command", "What many releases cost together, and how much noise a promise needs."),
}
REFUSED, FAILED, INTERRUPTED = 2, 3, 130


class Commands(TyperGroup):
    """A group whose commands are modules: listed by name, imported when called; it says how each call ended."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command's name and purpose, enough to list it."""
        known = COMMANDS.get(cmd_name)
        return None if known is None else TyperCommand(cmd_name, help=known[1])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None:
            command = get_command(import_module(COMMANDS[name][0]).app)
        return name, command, rest

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except Refused as refused:
            _say_refused(refused, has_budget=ctx.invoked_subcommand in CURATOR)
            raise typer.Exit(REFUSED) from None
        except Failed as failed:
            typer.echo(f"{failed} Asking again runs under the same charge.", err=True)
            raise typer.Exit(FAILED) from None
        except KeyboardInterrupt:
            typer.echo("Interrupted. What was charged stays charged; asking again runs under that charge.", err=True)
            raise typer.Exit(INTERRUPTED) from None


def _say_refused(refused: Refused, *, has_budget: bool) -> None:
    if not has_budget:
        typer.echo(str(refused), err=True)
        return
    from tacit.curator.commands.printing import say  # it loads what an answer would have needed

    end = "" if refused.asked.endswith("\n") else ". "
    say(f"Refused, nothing spent: {refused.asked}{end}{refused.why}", err=True)
    say(f"Accepted instead: {refused.accepted}", err=True)


app = typer.Typer(
    cls=Commands,
    help="Answers about people that give no person away.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


@app.callback()
def root() -> None:
    """Answers about people that give no person away."""


def main() -> None:
    """Run the command."""
    gc.set_threshold(100_000, 50, 50)  # what a command loads it keeps: looking through that for garbage is in vain
    app()


if __name__ == "__main__":
    main()
