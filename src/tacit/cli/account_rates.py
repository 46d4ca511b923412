"""`tacit account rates` and `tacit account histogram`: what models of privacy cost in accuracy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import click
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from tacit.exact import exact

_console = Console(highlight=False, markup=False, soft_wrap=True)
_people = click.option("--people", type=int, required=True, help="How many people there are.")
_epsilon = click.option("--epsilon", required=True, help="The ε to keep.")
_figure = click.option("--figure", type=click.Path(path_type=Path), help="Draw it to this PNG or SVG file.")
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.command()
@_people
@click.option("--questions", type=int, required=True, help="How many counting questions they are asked.")
@_epsilon
@click.option("--delta", default="1e-6", show_default=True, help="The δ to keep, where there is one.")
@click.option("--domain", type=int, default=1024, show_default=True, help="How many different records there can be.")
@_figure
@_as_json
def rates(
    people: int, questions: int, epsilon: str, delta: str, domain: int, figure: Path | None, as_json: bool
) -> None:
    """What k counting questions cost in accuracy: local, pure ε, (ε, δ), multiplicative weights, beside known rates.

    Example: `tacit account rates --people 100000 --questions 100 --epsilon 1`
    """
    from tacit.workload.rates import Rates  # it loads mechanisms of several rooms

    def asked(size: int) -> Rates:
        return Rates(size, questions, exact(epsilon, "epsilon"), exact(delta, "delta"), domain)

    found = asked(people).rows
    if figure is not None:
        from tacit.workload.rate_figures import draw_rates  # matplotlib takes a second to load

        title = f"{questions:,} questions, ε = {epsilon}, δ = {delta}, {domain:,} records"
        sizes = [size for size in _sizes(people) if size >= questions]
        draw_rates(figure, [(size, asked(size).rows) for size in sizes], title)
    if as_json:
        click.echo(json.dumps([each._asdict() for each in found]))
        return
    table = Table(title=f"{questions:,} questions about {people:,} people, {domain:,} different records", box=SIMPLE)
    for column in ("model", "error", "rate", "", "ratio", "least"):
        is_text = column in ("model", "rate")
        table.add_column(column, justify="left" if is_text else "right", no_wrap=True)
    for each in found:
        least = "—" if each.least is None else f"{each.least:.2g}"
        ratio = f"{each.error / each.rate:.1f}"
        own = f"{each.error:.3g}{'' if each.error < 0.5 else ' *'}"
        table.add_row(f"{each.guarantee}: {each.mechanism}", own, each.formula, f"{each.rate:.3g}", ratio, least)
    _console.print(table)
    _console.print(
        "error: all answers are within it at once with 95% confidence, as a share of the people; rate: without\n"
        "constants and logarithms; ratio: error to rate; least: certified, whatever the mechanism."
    )
    if any(each.error >= 0.5 for each in found):
        _console.print("* worse than the guess “one half”, which costs nothing.")
    _say_where(figure)


@click.command()
@_people
@click.option("--cells", type=int, required=True, help="How many options, or cells of the histogram, there are.")
@_epsilon
@_figure
@_as_json
def histogram(people: int, cells: int, epsilon: str, figure: Path | None, as_json: bool) -> None:
    """A histogram, local against central: what it costs that people need not trust a curator.

    Example: `tacit account histogram --people 10000 --cells 16 --epsilon 1`
    """
    from tacit.workload.histogram_models import HistogramModels  # as above

    def asked(size: int) -> HistogramModels:
        return HistogramModels(size, cells, exact(epsilon, "epsilon"))

    models = asked(people)
    if figure is not None:
        from tacit.workload.rate_figures import draw_models

        title = f"A histogram of {cells:,} cells, ε = {epsilon}"
        draw_models(figure, [(size, asked(size).errors) for size in _sizes(people)], title)
    if as_json:
        click.echo(json.dumps({"errors": models.errors, "people_to_match": models.people_to_match}))
        return
    table = Table(title=f"{cells:,} cells, {people:,} people, ε = {epsilon}: root mean squared error")
    for column in ("mechanism", "of a share", "in people"):
        table.add_column(column, justify="left" if column == "mechanism" else "right")
    for name, error in models.errors.items():
        table.add_row(name, f"{error:.3g}", f"{error * people:,.1f}")
    _console.print(table)
    more = models.people_to_match
    times = f"{more:,.0f}" if more >= 10 else f"{more:.2g}"
    _console.print(f"To know the shares as well as the curator, local reports need {times} times as many people.")
    _say_where(figure)


def _sizes(people: int) -> Sequence[int]:
    """Numbers from a hundredth of the people to a hundred times as many."""
    return [max(1, int(people * Fraction(10) ** power)) for power in range(-2, 3)]


def _say_where(figure: Path | None) -> None:
    if figure is not None:
        _console.print(f"Drawn to {figure}.")
