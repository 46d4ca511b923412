"""The `tacit` command: it mounts the commands that the rooms own, and loads each when it is called."""

from __future__ import annotations

import gc
from typing import Any, Final

import click

from tacit.curator.command import COMMANDS as CURATOR
from tacit.errors import Failed, Refused
from tacit.mounted import Mounted

COMMANDS: Final = {
    **CURATOR,
    "account": ("tacit.loss.command", "What many releases cost together, and how much noise a promise needs."),
    "poll": ("tacit.local.command", "Polls in which respondents randomise for themselves: design, page, estimate."),
    "attack": (
        "tacit.audit.attack_command",
        "What an unprotected release gives away: reconstruct, membership, anonymity.",
    ),
    "audit": ("tacit.audit.audit_command", "Look for faults in a mechanism, a function of yours, or a data set."),
}
REFUSED, FAILED, INTERRUPTED = 2, 3, 130
_INTERRUPTED: Final = "Interrupted. What was charged stays charged, and has failed: --fresh pays for another run."


class Commands(Mounted):
    """All commands; it says how each call ended."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Refused as refused:
            _say_refused(refused, has_budget=ctx.invoked_subcommand in CURATOR)
            raise click.exceptions.Exit(REFUSED) from None
        except Failed as failed:
            click.echo(f"{failed} That is its answer: asking again gives it for free, --fresh pays anew.", err=True)
            raise click.exceptions.Exit(FAILED) from None
        except KeyboardInterrupt:
            click.echo(_INTERRUPTED, err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None
        except SystemExit as ended:  # by a signal, behind a charge
            click.echo(_INTERRUPTED, err=True)
            raise click.exceptions.Exit(ended.code if isinstance(ended.code, int) else INTERRUPTED) from None


def _say_refused(refused: Refused, *, has_budget: bool) -> None:
    if not has_budget:
        click.echo(str(refused), err=True)
        return
    from tacit.curator.commands.printing import say  # it loads what an answer would have needed

    end = "" if refused.asked.endswith("\n") else ". "
    say(f"Refused, nothing spent: {refused.asked}{end}{refused.why}", err=True)
    say(f"Accepted instead: {refused.accepted}", err=True)


@click.group(cls=Commands, mounts=COMMANDS, no_args_is_help=True)
def app() -> None:
    """Answers about people that give no person away."""


def main() -> None:
    """Run the command."""
    gc.set_threshold(100_000, 50, 50)  # what a command loads it keeps: looking through that for garbage is in vain
    app()


if __name__ == "__main__":
    main()
