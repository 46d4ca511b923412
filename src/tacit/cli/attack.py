"""`tacit attack`: recover a secret column from counts, tell who was in the data from averages, undo k-anonymity."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np

from tacit.audit.anonymity.attacks import attack_anonymity
from tacit.audit.anonymity.microdata import People
from tacit.audit.membership.game import TableGame
from tacit.audit.reconstruction.counting_queries import Counts, Mask, Subsets, laplace_noise
from tacit.audit.reconstruction.linear_reconstruction import reconstruct as recover
from tacit.audit.reconstruction.tacit_counts import TacitCounts, open_people
from tacit.audit.table_file import read_bits, read_table
from tacit.cli import options

_GUARDED = 2
"""Counts per person through Tacit: all share one budget, so more counts are noisier and recover no more."""
_DRAWN = 256
"""People in the figure, which solves for them 40 times over."""


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--secret", required=True, help="The column to recover: a truth value, or 0 and 1.")
@click.option("--people", default=256, show_default=True, help="How many people to attack, drawn at random.")
@click.option("--seed", default=0, show_default=True, help="Another number draws other people.")
@click.option("--factor", default=8, show_default=True, help="How many counts to ask for, for each person.")
@click.option("--epsilon", default="1", show_default=True, help="The budget for all of them together, through Tacit.")
@options.figure("Draw recovery against noise to this PNG or SVG file.")
def reconstruct(
    file: Path, secret: str, people: int, seed: int, factor: int, epsilon: str, figure: Path | None
) -> None:
    """Ask FILE (Parquet or CSV) for counts over random groups of its people, and solve for the secret column.

    First the counts are exact, then blurred as a hasty publisher might, then they come through Tacit with one budget;
    there two counts a person are enough, since more of them share the same budget.

    Example: `tacit attack reconstruct visits.parquet --secret diabetic --figure recovered.png`
    """
    bits = read_bits(file, secret, people, seed)
    groups = Subsets.hashed(bits.size, factor * bits.size)
    _say(f"{len(groups):,} exact counts, and as many blurred ones")
    click.echo(recover(Counts(bits), bits, groups, answers="exact counts").describe())
    blur = laplace_noise(0.25 * bits.size**0.5)
    words = "counts with noise of standard deviation ¼·√n"
    click.echo(recover(Counts(bits, blur), bits, groups, answers=words).describe())
    few = Subsets.hashed(bits.size, min(factor, _GUARDED) * bits.size)
    with TemporaryDirectory() as folder, open_people(bits, Path(folder), epsilon) as data:
        guarded = TacitCounts(data, len(few), watch=lambda done, of: _say(f"{done:,} of {of:,} counts through Tacit"))
        words = f"counts through Tacit (ε = {epsilon} in all)"
        click.echo(recover(guarded, bits, few, answers=words).describe())
    if figure is not None:
        _draw(figure, bits[:_DRAWN], bits.size, epsilon)
        fewer = f", for {_DRAWN:,} of the {bits.size:,} people" if bits.size > _DRAWN else ""
        click.echo(f"Drawn to {figure}{fewer}.")


def _draw(path: Path, bits: Mask, attacked: int, epsilon: str) -> None:
    from tacit.audit.reconstruction.recovery_study import draw_recovery, study_ledger, study_noise

    share = float(np.mean(bits))
    _say("counts with more and more noise, for the figure")
    by_noise = study_noise(bits)
    by_ledger = study_ledger(bits, [bits.size // 2 * times for times in (1, 2, 4, 8)], epsilon, watch=_say)
    draw_recovery(path, (bits.size, attacked), max(share, 1 - share), by_noise, by_ledger)


def _say(words: str) -> None:
    click.echo(f"… {words}", err=True)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--known", "known", multiple=True, required=True, help="A column that others may know; repeat it.")
@click.option("--secret", required=True, help="The column that nobody should learn.")
@click.option("--k", "size", default=5, show_default=True, help="How many people must look alike.")
@options.figure("Draw what each attack reaches to this PNG or SVG.")
def anonymity(file: Path, known: tuple[str, ...], secret: str, size: int, figure: Path | None) -> None:
    """Make the table in FILE (Parquet or CSV) k-anonymous, say what that promises, and what attacks learn all the same.

    Example: `tacit attack anonymity patients.csv --known age --known postcode --secret diagnosis --k 5`
    """
    people = People.of(read_table(file), known, secret)
    report = attack_anonymity(people, size)
    click.echo(report.describe())
    if figure is not None:
        from tacit.audit.anonymity.exposure_figure import draw_exposures  # matplotlib takes a second to load

        draw_exposures(figure, report)
        click.echo(f"Drawn to {figure}.")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--people", default=50, show_default=True, help="How many people each publication is about.")
@click.option("--epsilon", default="1", show_default=True, help="The budget for all averages together, with noise.")
@options.figure("Draw hits against false alarms to this PNG or SVG.")
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
