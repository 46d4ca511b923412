"""`tacit poll`: design a poll in which respondents randomise for themselves, hand it out, collect it, estimate."""

from __future__ import annotations

from typing import Final

import click

from tacit.mounted import Mounted

_PARTS: Final = {
    "design": ("tacit.local.commands.design", "Choose how to ask, and how many people; write it into a poll's file."),
    "page": ("tacit.local.commands.page", "Write the poll as a page on which the respondent's own browser randomises."),
    "collect": ("tacit.local.commands.collect", "Hand out the page and take in reports, on this machine."),
    "estimate": ("tacit.local.commands.estimate", "Say what the reports tell about everybody, with intervals."),
}


@click.group(cls=Mounted, mounts=_PARTS, no_args_is_help=True)
def poll() -> None:
    """Polls in which no respondent has to trust anybody: each answer is randomised before it leaves its device.

    Example: `tacit poll design "Have you ever cheated in an exam?" --truth 3/4 --width 0.06`
    """
