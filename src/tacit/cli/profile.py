"""`tacit profile`: a private release of how much units have, which later queries use."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.cli import options
from tacit.cli.progress import Waiting
from tacit.cli.terminal import say
from tacit.curator.dataset import open_dataset


@click.command()
@options.file
@click.option("--epsilon", required=True, help="The price: this release alone is (ε, δ)-private.")
@options.delta
@options.fresh
@options.memory
@options.threads
@options.ledger
def profile(
    file: Path,
    epsilon: str,
    delta: str | None,
    fresh: bool,
    memory: str | None,
    threads: int | None,
    ledger: str | None,
) -> None:
    """Learn privately how many rows, keys and how large totals units have, and where values lie.

    Usual queries of all rows of a table add it to what they count themselves; bounded ones take their limits from it.
    `tacit check` says what it would cost and gain.

    FILE is the description of the data set, as `tacit init` writes it.

    Example: `tacit profile clinic.toml --epsilon 0.5`
    """
    waiting = Waiting("Learning how much people have", is_steward=True)
    with open_dataset(file, ledger=ledger, memory=memory, threads=threads, watcher=waiting.watch) as dataset:
        with waiting:
            answer = dataset.profile(epsilon=epsilon, delta=delta, fresh=fresh)
        say(answer)
