"""`tacit poll estimate`: estimates from the reports of a poll."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from math import isfinite
from pathlib import Path

import click

from tacit.cli import options
from tacit.errors import Refused
from tacit.exact import probability, proper
from tacit.local.browser.report_file import read_reports
from tacit.local.polls.designs.design import OneSample
from tacit.local.polls.estimation.prevalence import PollFinding, Prevalence, misfit, share_words
from tacit.local.polls.poll import Poll, PollQuestion
from tacit.local.polls.poll_file import read_poll
from tacit.printable import printable, printable_json


@click.command()
@click.argument("reports", type=click.Path(path_type=Path))
@click.option("--poll", "file", default="poll.toml", show_default=True, type=click.Path(path_type=Path))
@click.option("--confidence", default="0.95", show_default=True, help="With what confidence intervals hold the truth.")
@click.option("--weights", type=click.Path(path_type=Path), help="A CSV file: respondent, weight.")
@click.option(
    "--careless", help="Also if this share of people ignored the design, such as 10% (yes-or-no designs of one sample)."
)
@options.figure("Draw it to this PNG or SVG file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def estimate(
    reports: Path,
    file: Path,
    confidence: str,
    weights: Path | None,
    careless: str | None,
    figure: Path | None,
    as_json: bool,
) -> None:
    """Say what the REPORTS tell about everybody, question by question, with intervals.

    Example: `tacit poll estimate reports.jsonl --poll poll.toml --figure shares.png`
    """
    poll, sure = read_poll(file), proper(confidence, "confidence")
    astray = None if careless is None else _careless(careless)
    submissions = read_reports(reports, poll.written())
    if not submissions:
        raise Refused(f"an estimate from {reports}", "It holds no report.", "at least one report.")
    found = poll.findings(submissions, None if weights is None else _read_weights(weights))
    if as_json:
        click.echo(printable_json(json.dumps(_fields(poll, found, sure), ensure_ascii=False, indent=2)))
    else:
        _say(poll, found, sure, astray)
    if figure is not None:
        from tacit.local.polls.poll import draw_findings  # matplotlib takes a second to load

        draw_findings(figure, poll, found, sure)
        click.echo(f"Drawn to {figure}.", err=as_json)


def _careless(share: str) -> Fraction:
    """The share of people who ignored the design, refused before anything is printed."""
    read = probability(share, "careless")
    if not read < 1:
        raise Refused("--careless 1", "With nobody who follows the design nothing can be said.", "a share below 1.")
    return read


def _say(
    poll: Poll, found: dict[str, tuple[PollFinding, ...]], confidence: Fraction, careless: Fraction | None
) -> None:
    for question in poll.questions:
        click.echo(printable(question.wording.text))
        for finding in found[question.name]:
            click.echo(f"  {printable(finding.describe(confidence))}.")
            if careless is not None and isinstance(question.design, OneSample):
                _say_careless(question, finding, confidence, careless)
        if question.design.optimality:
            click.echo(f"  {question.design.optimality}")
        if careless is not None and not isinstance(question.design, OneSample):
            click.echo("    What careless people would change is not worked out for this design.")
    click.echo(f"Each respondent gave away, in all: {poll.protection}.")


def _say_careless(question: PollQuestion, finding: PollFinding, confidence: Fraction, careless: Fraction) -> None:
    """The estimates if some people had not followed the design."""
    assert isinstance(finding.estimate, Prevalence)
    no, yes = question.groups[0].boxes
    for words, says in ((f"always said “{no}”", 0), ("answered at random", "1/2"), (f"always said “{yes}”", 1)):
        other = finding.estimate.if_careless(careless, says)
        click.echo(f"    If {float(100 * careless):g}% {printable(words)}: {share_words(other, confidence)}.")


def _fields(poll: Poll, found: dict[str, tuple[PollFinding, ...]], confidence: Fraction) -> dict[str, object]:
    """The findings of each question; null for an infinite ε and for an interval where no share fits."""
    return {
        question.name: [_finding(poll, question, each, confidence) for each in found[question.name]]
        for question in poll.questions
    }


def _finding(poll: Poll, question: PollQuestion, finding: PollFinding, confidence: Fraction) -> dict[str, object]:
    interval = finding.estimate.interval(confidence)
    why = misfit(finding.estimate, interval)
    return {
        "option": finding.option,
        "share": finding.estimate.value,
        "standard_error": _finite(finding.estimate.standard_error),
        "interval": None if why else list(interval),
        "confidence": float(confidence),
        **({"misfit": why} if why else {}),
        **finding.estimate.tally(),
        "epsilon": _finite(question.design.protection.epsilon),
        "epsilon_of_poll": _finite(poll.protection.epsilon),
    }


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None


def _read_weights(path: Path) -> dict[str, float]:
    """Weights by respondent; a line that cannot be read is refused by its number."""
    try:
        with path.open(newline="") as lines:
            rows = [row for row in csv.reader(lines) if row]
    except OSError as error:
        raise Refused(f"the weights in {path}", f"{error.strerror}.", "a CSV file: respondent, weight.") from None
    found: dict[str, float] = {}
    for number, row in enumerate(rows, start=1):
        try:
            respondent, weight = row[0], float(row[1])
        except (IndexError, ValueError):
            if number == 1:
                continue  # the header
            raise Refused(f"line {number} of {path}", "It has no weight.", "respondent, weight.") from None
        found[respondent] = weight
    return found
