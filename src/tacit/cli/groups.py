"""Groups of commands that load when called: `LazyGroup`, `tacit poll` and `tacit attack`.

A command is listed by its name and module, and loaded when it is called, so that a command loads nothing of the
others.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import click


class LazyGroup(click.Group):
    """A group of commands, each given by its module and by what it is for; the module holds it under its name."""

    def __init__(self, *arguments: Any, mounts: Mapping[str, tuple[str, str]], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.mounts = mounts

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.mounts)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command's name and purpose, enough to list it."""
        known = self.mounts.get(cmd_name)
        return None if known is None else click.Command(cmd_name, short_help=known[1])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None:
            command = getattr(import_module(self.mounts[name][0]), name)
        return name, command, rest


_POLL: Final = {
    "design": ("tacit.cli.poll_design", "Choose how to ask, and how many people; write it into a poll's file."),
    "page": ("tacit.cli.poll_page", "Write the poll as a page on which the respondent's own browser randomises."),
    "collect": ("tacit.cli.poll_collect", "Hand out the page and take in reports, on this machine."),
    "estimate": ("tacit.cli.poll_estimate", "Say what the reports tell about everybody, with intervals."),
}


@click.group(cls=LazyGroup, mounts=_POLL, no_args_is_help=True)
def poll() -> None:
    """Polls in which no respondent has to trust anybody: each answer is randomised before it leaves its device.

    Example: `tacit poll design "Have you ever cheated in an exam?" --truth 3/4 --width 0.06`
    """


_ATTACK: Final = {
    "reconstruct": ("tacit.cli.attack_reconstruct", "Recover a secret column from counts about random groups."),
    "membership": ("tacit.cli.attack_membership", "Tell from averages who was in the data."),
    "anonymity": ("tacit.cli.attack_anonymity", "Attack a table that was made k-anonymous."),
}


@click.group(cls=LazyGroup, mounts=_ATTACK, no_args_is_help=True)
def attack() -> None:
    """What a release without differential privacy gives away, shown on data of your own. Nothing is sent anywhere.

    Example: `tacit attack reconstruct patients.parquet --secret diabetic`
    """
