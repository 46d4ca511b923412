"""`tacit retry`: the steward lets a charge run again that has no answer, and for which no noise was drawn."""

from __future__ import annotations

import click

from tacit.curator.commands.printing import say
from tacit.curator.commands.verify import ledger_place
from tacit.ledger.ledger import Ledger
from tacit.ledger.places import default_places


@click.command()
@click.argument("entry", type=click.IntRange(1, 2**63 - 1))
@click.option("--ledger", help="The ledger, if not the usual: its path or address, or the description of its data.")
def retry(entry: int, ledger: str | None) -> None:
    """Let a charge run again under what was paid for it. It is recorded, and the failure still counts.

    ENTRY is the number of the charge, as `tacit failures` shows it. Only what failed before noise was drawn can be run
    again; for everything else `tacit query --fresh` pays.

    Example: `tacit retry 17 --ledger clinic.toml`
    """
    with Ledger.open(default_places()[0] if ledger is None else ledger_place(ledger), create=False) as book:
        book.owner(entry).reopen(entry)
    say(f"Entry {entry} may run once more: who asked it asks again, under what was paid.")
