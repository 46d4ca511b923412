"""`tacit account`: what many releases cost together, and how much noise a promise needs."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from time import perf_counter

import click
from rich.console import Console
from rich.table import Table

from tacit.errors import Refused
from tacit.exact import exact, whole
from tacit.loss.accountant.concentrated import described, zcdp_of
from tacit.loss.composition.published_bounds import compare_bounds
from tacit.loss.families.approx import Approx
from tacit.loss.families.curve import float_up
from tacit.loss.families.loss import Loss
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.interpretation import guess_probability
from tacit.loss.pairs.repeated_approx import RepeatedApprox
from tacit.loss.plans.calibration_question import CalibrationQuestion
from tacit.loss.plans.release_expression import loss_of, parse
from tacit.words import percent_up, shown, shown_down, shown_up

_console = Console(highlight=False, markup=False, soft_wrap=True)

_delta = click.option("--delta", required=True, help="The probability δ with which the promise may fail.")
_figure = click.option("--figure", type=click.Path(path_type=Path), help="Draw it to this PNG or SVG file.")
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.command()
@click.argument("releases", nargs=-1, required=True)
@_delta
@click.option("--gap", help="How far apart the two ends may be; else 1e-3, or as near as a second of work brings them.")
@_figure
@_as_json
def compose(releases: tuple[str, ...], delta: str, gap: str | None, figure: Path | None, as_json: bool) -> None:
    """What these releases cost together: ε at δ, between two certified ends.

    RELEASES are what is released, as in "gaussian(sigma=1, q=0.01) x 1000"; several compose.

    Example: `tacit account compose "gaussian(sigma=1.1, q=256/60000) x 14100" "laplace(scale=10) x 50" --delta 1e-5`
    """
    parts = [(loss_of(term), term.times or 1) for term in map(parse, releases)]
    start = perf_counter()
    found = described(parts, delta, gap)
    milliseconds = (perf_counter() - start) * 1000
    level = exact(delta, "delta") / 10
    charged, unknown = _charged(parts, level)
    if figure is not None:
        from tacit.loss.plans.account_figures import draw_profile  # matplotlib takes a second to load

        levels = [Fraction(1, 10**power) for power in range(1, 13)]
        draw_profile(figure, releases, [(float(level), described(parts, level)) for level in levels])
    if as_json:
        rho = None if charged is None else {"rho": float_up(charged.rho), "delta": float_up(charged.exact_delta)}
        _print_json(
            lower=found.lower,
            upper=found.upper,
            delta=float(exact(delta, "delta")),
            zcdp=rho,
            zcdp_relation=str(charged.relation) if charged is not None and charged.relation else None,
            zcdp_reason=unknown,
        )
        return
    if not found.upper < math.inf:
        _console.print(f"No ε is certified at δ = {delta}: everything may be given away with a greater probability.")
        _say_where(figure)
        return
    guess = guess_probability(Approx(Fraction(found.upper), exact(delta, "delta")))
    _console.print(
        f"ε between {shown_down(found.lower)} and {shown_up(found.upper)} at δ = {delta} "
        f"(certified; {milliseconds:.0f} ms).\n"
        f"Whoever knows all but whether one person is in the data guesses that right "
        f"at most {percent_up(guess)} of the time."
    )
    if charged is not None:
        tail = f", δ′ = {shown(charged.exact_delta)}" if charged.exact_delta else ""
        tail += f", under {charged.relation}" if charged.relation else ""
        _console.print(
            f"A plan fixed in advance, it is charged to a zCDP account as ρ = {shown_up(float_up(charged.rho))}{tail}."
        )
    else:
        _console.print(f"No ρ is known at δ′ = {shown(level)}: {unknown}")
    _say_where(figure)


@click.command()
@click.argument("release")
@click.option("--epsilon", required=True, help="The ε to keep.")
@_delta
@click.option("--find", help="What to find: sigma, scale, q or times; else what is missing.")
@_figure
@_as_json
def calibrate(release: str, epsilon: str, delta: str, find: str | None, figure: Path | None, as_json: bool) -> None:
    """The least noise, the largest sample or the most steps that keep a promise; it says how much of ε is left.

    RELEASE is what is released, as in "gaussian(q=0.01) x 1000".

    \b
    Examples:
      tacit account calibrate "gaussian(q=0.01) x 1000" --epsilon 2 --delta 1e-5
      tacit account calibrate "gaussian(sigma=1, q=0.01)" --find times --epsilon 2 --delta 1e-5
    """
    question = CalibrationQuestion.of(parse(release), find)
    start = perf_counter()
    found = question.solve(epsilon, delta)
    milliseconds = (perf_counter() - start) * 1000
    cost = described(question.plan(found), delta, "1e-4")
    if figure is not None:
        from tacit.loss.plans.account_figures import draw_calibration  # matplotlib takes a second to load

        costs = [(float(value), described(question.plan(value), delta, "1e-2")) for value in question.around(found)]
        draw_calibration(figure, question.name, float(exact(epsilon, "epsilon")), float(found), costs)
    if as_json:
        _print_json(parameter=question.name, value=float(found), lower=cost.lower, upper=cost.upper)
        return
    unused = max(0.0, float_up(exact(epsilon, "epsilon") - Fraction(cost.lower)))
    _console.print(
        f"{question.name} = {float(found):.15g} keeps ε ≤ {epsilon} at δ = {delta}, and is within "
        f"{shown_up(unused, 2)} of ε of {question.extreme} ({milliseconds:.0f} ms): "
        f"ε is between {shown_down(cost.lower)} and {shown_up(cost.upper)}."
    )
    _say_where(figure)


@click.command()
@click.option("--epsilon", required=True, help="ε of each release.")
@click.option("--delta", required=True, help="δ of each release.")
@click.option("--times", type=int, required=True, help="How many releases, at most.")
@click.option("--total-delta", help="δ of all together; else 1−(1−δ)^k and 0.005 more.")
@_figure
@_as_json
def compare(epsilon: str, delta: str, times: int, total_delta: str | None, figure: Path | None, as_json: bool) -> None:
    """How the published composition bounds compare with the exact optimum, from 1 release to many.

    Example: `tacit account compare --epsilon 0.1 --delta 0.001 --times 30 --figure compare.png`
    """
    part, most = Approx(epsilon, delta), whole(times, "times", least=1)
    counts = sorted({1, *(round(most * share / 10) for share in range(1, 11))} - {0})
    rows = []
    for count in counts:
        allowed = _total(part, count, total_delta)
        rows.append((count, float(allowed), compare_bounds(part, count, allowed)))
    if figure is not None:
        from tacit.loss.plans.account_figures import draw_comparison  # matplotlib takes a second to load

        draw_comparison(figure, part, [(count, bounds) for count, _, bounds in rows])
    if as_json:
        _print_json(rows=[{"times": count, "delta": allowed, **bounds} for count, allowed, bounds in rows])
        return
    table = Table(title=f"ε of k releases, each ({part})")
    names = list(rows[0][2])
    for column in ("k", "δ of all", *names):
        table.add_column(column, justify="right")
    for count, total, bounds in rows:
        table.add_row(f"{count:,}", f"{total:.6g}", *(shown_up(bounds[name]) for name in names))
    _console.print(table)
    _say_where(figure)


@click.command()
@click.option("--epsilon", required=True, help="ε of each release.")
@click.option("--delta", default="0", show_default=True, help="δ of each release.")
@click.option("--times", default="1", show_default=True, help="How many releases: a number, or a range as in 1..5.")
@_figure
@_as_json
def region(epsilon: str, delta: str, times: str, figure: Path | None, as_json: bool) -> None:
    """Which false-alarm and miss rates a test of membership can have after k releases: the privacy region.

    Example: `tacit account region --epsilon 0.4 --delta 0.1 --times 1..5 --figure region.png`
    """
    part = Approx(epsilon, delta)
    curves = {count: RepeatedApprox(part.exact_epsilon, part.exact_delta, count).vertices() for count in _range(times)}
    if figure is not None:
        from tacit.loss.plans.account_figures import draw_regions  # matplotlib takes a second to load

        draw_regions(figure, part, curves)
    if as_json:
        _print_json(regions=[{"times": count, "vertices": corners} for count, corners in curves.items()])
        return
    table = Table(title=f"Corners of the privacy region of k releases, each ({part})")
    for column in ("k", "false alarms", "misses"):
        table.add_column(column, justify="right")
    for count, corners in curves.items():
        for place, (alarms, misses) in enumerate(corners):
            table.add_row(f"{count:,}" if place == 0 else "", shown_down(alarms), shown_down(misses))
        table.add_section()
    _console.print(table)
    _say_where(figure)


def _charged(parts: list[tuple[Loss, int]], delta: Fraction) -> tuple[Zcdp | None, str | None]:
    """The plan as zCDP at this δ′; where no ρ is known, the reason."""
    try:
        return zcdp_of(parts, delta), None
    except Refused as refusal:
        return None, refusal.why


def _total(part: Approx, times: int, total: str | None) -> Fraction:
    if total is not None:
        return exact(total, "total-delta")
    return 1 - (1 - part.exact_delta) ** times * (1 - Fraction(5, 1000))


def _range(text: str) -> list[int]:
    first, dots, last = text.partition("..")
    try:
        ends = int(first), int(last if dots else first)
    except ValueError:
        raise Refused(f"times = {text}", "It is neither a number nor a range.", "3, or 1..5.") from None
    if not 1 <= ends[0] <= ends[1] <= 1000:
        raise Refused(f"times = {text}", "It does not run upwards from 1.", "3, or 1..5, up to 1000.")
    return list(range(ends[0], ends[1] + 1))


def _print_json(**fields: object) -> None:
    click.echo(json.dumps(_finite(fields)))


def _finite(value: object) -> object:
    """The value with null for infinite numbers, since JSON has no infinity."""
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and math.isinf(value) else value


def _say_where(figure: Path | None) -> None:
    if figure is not None:
        _console.print(f"Drawn to {figure}.")
