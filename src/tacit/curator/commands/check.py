"""`tacit check`: whether a description fits its data, and what it promises. For the steward alone."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.curator.commands import options
from tacit.curator.commands.printing import say
from tacit.curator.commands.waiting import Waiting
from tacit.curator.dataset_check import check_dataset
from tacit.curator.open_data import open_data


@click.command()
@options.file
@options.ledger
def check(file: Path, ledger: str | None) -> None:
    """Say whether a description fits its data, and what it promises. It counts rows: for the steward alone.

    FILE is the description of the data set, as `tacit init` writes it.

    Example: `tacit check clinic.toml`
    """
    with Waiting("Reading"), open_data(file, ledger) as opened:
        say(check_dataset(opened))
