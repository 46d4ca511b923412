"""`tacit poll`: design a poll in which respondents randomise for themselves, hand it out, collect it, estimate."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

_PARTS: Final = {
    "design": "Choose how to ask a sensitive question, and how many people; write it into a poll's file.",
    "page": "Write the poll as a web page on which the respondent's own browser randomises.",
    "collect": "Hand out the page and take in reports, on this machine.",
    "estimate": "Say what the reports tell about everybody, with intervals.",
}


class _Parts(click.Group):
    """Lists its parts without loading them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_PARTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        known = _PARTS.get(cmd_name)
        return None if known is None else click.Command(cmd_name, short_help=known)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None:
            command = getattr(import_module(f"tacit.local.commands.{name}"), name)
        return name, command, rest


@click.group(cls=_Parts, no_args_is_help=True)
def poll() -> None:
    """Polls in which no respondent has to trust anybody: each answer is randomised before it leaves its device."""
