"""`tacit check`, `tacit prepare` and `tacit profile`: whether a description fits its data, and what later queries use.

`check` and `prepare`, which keeps a private copy with units' totals, are for the steward only. `profile` is a private
release of how much units have.
"""

from __future__ import annotations

from pathlib import Path

import click

from tacit.cli import options
from tacit.cli.progress import Waiting
from tacit.cli.terminal import say, step_by_step
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


@click.command()
@options.file
@click.option("--drop", is_flag=True, help="Remove the prepared form instead.")
@options.memory
@options.threads
@options.ledger
def prepare(file: Path, drop: bool, memory: str | None, threads: int | None, ledger: str | None) -> None:
    """Keep every unit's totals, so that later questions are scans of few rows. For the steward alone.

    The form is a copy of personal data: it lies beside the ledger, in a file that its owner alone can read. Answers
    are the same with and without it, and cost the same. When the data change it is left aside, until you prepare again.

    FILE is the description of the data set, as `tacit init` writes it.

    Example: `tacit prepare clinic.toml`
    """
    with open_data(file, ledger=ledger, memory=memory, threads=threads) as opened:
        preparation = opened.preparation
        if drop:
            say("The prepared form is removed." if preparation.drop() else "There was no prepared form.")
            return
        was_ready = preparation.is_ready
        with step_by_step(f"Preparing {opened.description.name}") as progress:
            path = preparation.make(progress)
        size = path.stat().st_size
        done = "Prepared already" if was_ready else "Prepared"
        say(f"{done}: {path} ({size / 1e6:,.1f} MB). It holds personal data, and only you can read it.")


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
    from tacit.curator.dataset import open_dataset  # imported late: the other commands need none of it

    waiting = Waiting("Learning how much people have", is_steward=True)
    with open_dataset(file, ledger=ledger, memory=memory, threads=threads, watcher=waiting.watch) as dataset:
        with waiting:
            answer = dataset.profile(epsilon=epsilon, delta=delta, fresh=fresh)
        say(answer)
