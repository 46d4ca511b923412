"""`tacit profile`: how much people have, learnt once and privately, so that every later query can choose its limits."""

from __future__ import annotations

from typing import Annotated

import typer

from tacit.curator.commands.options import Delta, File, Fresh, LedgerPath, Memory, Threads
from tacit.curator.commands.printing import say
from tacit.curator.commands.waiting import Waiting
from tacit.curator.dataset import open_dataset

app = typer.Typer(rich_markup_mode="markdown", add_completion=False)


@app.command()
def profile(
    file: File,
    epsilon: Annotated[str, typer.Option(help="The price: this release alone is (ε, δ)-private.")],
    delta: Delta = None,
    fresh: Fresh = False,
    memory: Memory = None,
    threads: Threads = None,
    ledger: LedgerPath = None,
) -> None:
    """Learn privately how many rows, keys and how large totals people have. Later queries choose their limits from it.

    Example: `tacit profile clinic.toml --epsilon 0.2`
    """
    waiting = Waiting("Learning how much people have", is_steward=True)
    with open_dataset(file, ledger=ledger, memory=memory, threads=threads, watcher=waiting.watch) as dataset:
        with waiting:
            answer = dataset.profile(epsilon=epsilon, delta=delta, fresh=fresh)
        say(answer)
