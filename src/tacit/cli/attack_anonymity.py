"""`tacit attack anonymity`: make a table k-anonymous, and attack it."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.audit.anonymity.attacks import attack_anonymity
from tacit.audit.anonymity.microdata import People
from tacit.audit.table_file import read_table


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--known", "known", multiple=True, required=True, help="A column that others may know; repeat it.")
@click.option("--secret", required=True, help="The column that nobody should learn.")
@click.option("--k", "size", default=5, show_default=True, help="How many people must look alike.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw what each attack reaches to this PNG or SVG.")
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
