"""`tacit attack`: what an unprotected release gives away."""

from __future__ import annotations

from typing import Final

import click

from tacit.mounted import Mounted

_PARTS: Final = {
    "reconstruct": ("tacit.audit.commands.reconstruct", "Recover a secret column from counts about random groups."),
    "membership": ("tacit.audit.commands.membership", "Tell from averages who was in the data."),
    "anonymity": ("tacit.audit.commands.anonymity", "Attack a table that was made k-anonymous."),
}


@click.group(cls=Mounted, mounts=_PARTS, no_args_is_help=True)
def attack() -> None:
    """What a release without differential privacy gives away, shown on data of your own. Nothing is sent anywhere.

    Example: `tacit attack reconstruct patients.parquet --secret diabetic`
    """
