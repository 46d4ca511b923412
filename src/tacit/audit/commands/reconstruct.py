"""`tacit attack reconstruct`: recover a secret column from counts about random groups."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import click

from tacit.audit.columns import read_bits
from tacit.audit.reconstruction.answers import Counts, laplace_noise
from tacit.audit.reconstruction.reconstruction import reconstruct as recover
from tacit.audit.reconstruction.subsets import Subsets
from tacit.audit.reconstruction.tacit_counts import TacitCounts, open_people


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--secret", required=True, help="The column to recover: a truth value, or 0 and 1.")
@click.option("--people", default=256, show_default=True, help="How many rows to attack, the first ones.")
@click.option("--factor", default=8, show_default=True, help="How many counts to ask for, for each person.")
@click.option("--epsilon", default="1", show_default=True, help="The budget for all of them together, through Tacit.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw recovery against noise to this PNG or SVG file.")
def reconstruct(file: Path, secret: str, people: int, factor: int, epsilon: str, figure: Path | None) -> None:
    """Ask FILE (Parquet or CSV) for counts over random groups of its people, and solve for the secret column.

    First the counts are exact, then blurred as a hasty publisher might, then they come through Tacit with one budget.

    Example: `tacit attack reconstruct visits.parquet --secret diabetic --figure recovered.png`
    """
    bits = read_bits(file, secret, people)
    groups = Subsets.hashed(bits.size, factor * bits.size)
    click.echo(recover(Counts(bits), bits, groups, answers="exact counts").describe())
    blur = laplace_noise(0.25 * bits.size**0.5)
    words = "counts with noise of standard deviation ¼·√n"
    click.echo(recover(Counts(bits, blur), bits, groups, answers=words).describe())
    with TemporaryDirectory() as folder, open_people(bits, Path(folder), epsilon) as data:
        guarded = TacitCounts(data, len(groups))
        words = f"counts through Tacit (ε = {epsilon} in all)"
        click.echo(recover(guarded, bits, groups, answers=words).describe())
    if figure is not None:
        from tacit.audit.reconstruction.figure import draw_recovery  # matplotlib takes a second to load
        from tacit.audit.reconstruction.study import study_ledger, study_noise

        click.echo("Attacking again and again for the figure …", err=True)
        few = bits[:128]
        by_ledger = study_ledger(few, [few.size // 2 * times for times in (1, 2, 4, 8)], epsilon)
        draw_recovery(figure, few.size, study_noise(few), by_ledger)
        click.echo(f"Drawn to {figure}.")
