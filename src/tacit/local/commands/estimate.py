"""`tacit poll estimate`: what the reports tell about everybody."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import click

from tacit.errors import Refused
from tacit.local.browser.report_file import read_reports
from tacit.local.polls.designs.design import OneSample
from tacit.local.polls.file import read_poll
from tacit.local.polls.finding import Finding
from tacit.local.polls.poll import Poll
from tacit.local.polls.prevalence import Prevalence
from tacit.local.polls.question import Question
from tacit.printable import printable, printable_json


@click.command()
@click.argument("reports", type=click.Path(path_type=Path))
@click.option("--poll", "file", default="poll.toml", show_default=True, type=click.Path(path_type=Path))
@click.option("--confidence", default="0.95", show_default=True, help="With what confidence intervals hold the truth.")
@click.option("--weights", type=click.Path(path_type=Path), help="A CSV file: respondent, weight.")
@click.option("--careless", help="Also if this share of people ignored the design, such as 0.1.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw it to this PNG or SVG file.")
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
    poll = read_poll(file)
    submissions = read_reports(reports, poll.written())
    if not submissions:
        raise Refused(f"an estimate from {reports}", "It holds no report.", "at least one report.")
    found = poll.findings(submissions, None if weights is None else _read_weights(weights))
    if as_json:
        click.echo(printable_json(json.dumps(_fields(found, confidence), ensure_ascii=False, indent=2)))
    else:
        _say(poll, found, confidence, careless)
    if figure is not None:
        from tacit.local.polls.figure import draw_findings  # matplotlib takes a second to load

        draw_findings(figure, poll, found, confidence)
        click.echo(f"Drawn to {figure}.", err=as_json)


def _say(poll: Poll, found: dict[str, tuple[Finding, ...]], confidence: str, careless: str | None) -> None:
    for question in poll.questions:
        click.echo(printable(question.wording.text))
        for finding in found[question.name]:
            click.echo(f"  {printable(finding.describe(confidence))}.")
            if careless is not None and isinstance(question.design, OneSample):
                _say_careless(question, finding, confidence, careless)
    click.echo(f"Each respondent gave away, in all: {poll.protection}.")


def _say_careless(question: Question, finding: Finding, confidence: str, careless: str) -> None:
    """What the same reports would mean if some people had not followed the design."""
    assert isinstance(finding.estimate, Prevalence)
    no, yes = question.groups[0].reports or question.groups[0].parts[0].options
    for words, says in ((f"always said “{no}”", 0), ("answered at random", "1/2"), (f"always said “{yes}”", 1)):
        other = finding.estimate.if_careless(careless, says)
        low, high = other.interval(confidence)
        value = min(1.0, max(0.0, other.value))
        click.echo(f"    If {float(careless):.0%} {printable(words)}: {value:.1%}, {low:.1%} to {high:.1%}.")


def _fields(found: dict[str, tuple[Finding, ...]], confidence: str) -> dict[str, list[dict[str, object]]]:
    return {
        name: [
            {
                "option": finding.option,
                "share": finding.estimate.value,
                "standard_error": finding.estimate.standard_error,
                "interval": list(finding.estimate.interval(confidence)),
                "confidence": float(confidence),
            }
            for finding in findings
        ]
        for name, findings in found.items()
    }


def _read_weights(path: Path) -> dict[str, float]:
    """Weights by respondent; what cannot be read is refused by its line."""
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
