"""Commands that are modules: listed by name, loaded when called, so that a command loads nothing of the others."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class Mounted(click.Group):
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
