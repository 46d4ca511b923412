"""`tacit attack membership`: tell from averages who was in the data."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.audit.membership.game import TableGame
from tacit.audit.table_file import read_table


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--people", default=50, show_default=True, help="How many people each publication is about.")
@click.option("--epsilon", default="1", show_default=True, help="The budget for all averages together, with noise.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw hits against false alarms to this PNG or SVG.")
def membership(file: Path, people: int, epsilon: str, figure: Path | None) -> None:
    """Publish averages of some rows of FILE (Parquet or CSV), and guess from them who those rows belong to.

    Every column becomes yes-or-no columns (a value, or above a tenth), and their averages over the chosen people are
    published: first as they are, then with the noise that makes all of them private together.

    Example: `tacit attack membership patients.parquet --people 50 --figure found.png`
    """
    game = TableGame.of(read_table(file), people)
    bare = game.play()
    click.echo(f"{game.averages:,} exact averages over {people:,} people. {bare.describe()}")
    private = game.play(game.deviation_for(epsilon, "1e-6"))
    click.echo(f"The same averages with noise for ε = {epsilon} in all. {private.describe()}")
    if figure is not None:
        from tacit.audit.membership.rounds import draw_curves  # matplotlib takes a second to load

        games = {"exact averages": bare, f"averages with noise for ε = {epsilon}": private}
        draw_curves(figure, games, epsilon, "1e-6", least=1e-3)
        click.echo(f"Drawn to {figure}.")
