"""The `tacit` command: it mounts the commands that the rooms own, and loads each when it is called."""

from __future__ import annotations

import gc
from importlib import import_module
from typing import Any, Final

import click

from tacit.curator.command import COMMANDS as CURATOR
from tacit.errors import Failed, Refused

COMMANDS: Final = {
    **CURATOR,
    "account": ("tacit.loss.command", "What many releases cost together, and how much noise a promise needs."),
    "poll": ("tacit.local.command", "Polls in which respondents randomise for themselves: design, page, estimate."),
}
REFUSED, FAILED, INTERRUPTED = 2, 3, 130


class Commands(click.Group):
    """A group whose commands are modules: listed by name, imported when called; it says how each call ended."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command's name and purpose, enough to list it."""
        known = COMMANDS.get(cmd_name)
        return None if known is None else click.Command(cmd_name, short_help=known[1])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None:
            command = getattr(import_module(COMMANDS[name][0]), name)
        return name, command, rest

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Refused as refused:
            _say_refused(refused, has_budget=ctx.invoked_subcommand in CURATOR)
            raise click.exceptions.Exit(REFUSED) from None
        except Failed as failed:
            click.echo(f"{failed} Asking again runs under the same charge.", err=True)
            raise click.exceptions.Exit(FAILED) from None
        except KeyboardInterrupt:
            click.echo("Interrupted. What was charged stays charged; asking again runs under that charge.", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None


def _say_refused(refused: Refused, *, has_budget: bool) -> None:
    if not has_budget:
        click.echo(str(refused), err=True)
        return
    from tacit.curator.commands.printing import say  # it loads what an answer would have needed

    end = "" if refused.asked.endswith("\n") else ". "
    say(f"Refused, nothing spent: {refused.asked}{end}{refused.why}", err=True)
    say(f"Accepted instead: {refused.accepted}", err=True)


@click.group(cls=Commands, no_args_is_help=True)
def app() -> None:
    """Answers about people that give no person away."""


def main() -> None:
    """Run the command."""
    gc.set_threshold(100_000, 50, 50)  # what a command loads it keeps: looking through that for garbage is in vain
    app()


if __name__ == "__main__":
    main()
