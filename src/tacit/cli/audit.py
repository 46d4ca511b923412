"""`tacit audit`: look for faults in a mechanism, a function of one's own, or a data set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic

import click

from tacit.audit.auditor import Effort
from tacit.audit.auditor import audit as examine
from tacit.audit.own_function import own_subject, raises_everywhere, read_claim, read_values
from tacit.audit.sequences.data_set_audit import audit_data_set
from tacit.audit.stages.accountants import ACCOUNTANTS
from tacit.audit.stages.bits import BITS
from tacit.audit.stages.black_box import BLACK_BOX
from tacit.audit.stages.exclusive import EXCLUSIVE
from tacit.audit.stages.replay import REPLAY
from tacit.audit.stages.sampler import SAMPLER
from tacit.audit.stages.sensitivity import PRICE, SENSITIVITY
from tacit.audit.stages.timing import TIMING
from tacit.audit.subject import AuditSubject
from tacit.audit.verdict import AuditVerdict
from tacit.errors import Refused
from tacit.loss.families.loss import Relation

STAGES = (SENSITIVITY, PRICE, ACCOUNTANTS, REPLAY, EXCLUSIVE, SAMPLER, BITS, TIMING, BLACK_BOX)
"""Stages in the order in which they run, cheap to expensive."""

BROKEN, RAISES, SUSPICIOUS = 1, 3, 4
_QUIET = 2.0  # seconds between two lines of progress
_NAMES = [stage.name for stage in STAGES]


@click.command()
@click.argument("subject")
@click.option("--claims", help='What it promises, as "epsilon=1", "epsilon=1 delta=1e-5", "rho=0.1" or "mu=0.5".')
@click.option("--relation", type=click.Choice(["add/remove", "replace"]), default="add/remove", show_default=True)
@click.option("--values", default="0,1", show_default=True, help="What rows of a function's data may be.")
@click.option("--samples", default=600_000, show_default=True, help="How many answers a stage may ask for.")
@click.option("--seconds", default=600.0, show_default=True, help="How long it may take at most; a stage says if less.")
@click.option("--alarm-rate", default=1e-4, show_default=True, help="How often a sound one may be called broken.")
@click.option("--without", type=click.Choice(_NAMES), multiple=True, help="Leave this stage out; repeat it for more.")
@click.option("--all", "to_the_end", is_flag=True, help="Go on after the first fault.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON, with its grade.")
@click.option("--certificate", type=click.Path(path_type=Path), help="Write the verdict as JSON to this file.")
@click.option("--report", type=click.Path(path_type=Path), help="Write an HTML page with a picture to this file.")
def audit(
    subject: str,
    claims: str | None,
    relation: str,
    values: str,
    samples: int,
    seconds: float,
    alarm_rate: float,
    without: tuple[str, ...],
    to_the_end: bool,
    as_json: bool,
    certificate: Path | None,
    report: Path | None,
) -> None:
    """Examine SUBJECT: a function of yours (module:function), a mechanism of Tacit by its name, or a data set's file.

    A function takes a list of values and returns its answer. An error that it raises is an answer too.

    \b
    Exit codes:
      0  no fault found
      1  broken: what is claimed does not hold
      2  refused: SUBJECT cannot be imported or found, or an option cannot be read
      3  the function raises an error on every input, so that nothing was examined
      4  suspicious: time or random bytes differ, the answers are not called broken

    Example: `tacit audit mymodule:noisy_mean --claims "epsilon=1"`
    """
    effort, chosen = Effort(alarm_rate, samples, seconds), None
    if subject.endswith(".toml"):
        if without:
            raise Refused(f"{subject} without {without[0]}", "A data set has stages of its own.", "no --without.")
        verdict = audit_data_set(Path(subject), effort)
    else:
        chosen = _own(subject, claims, relation, values) if ":" in subject else _named(subject)
        verdict = examine(chosen, STAGES, effort, to_the_end=to_the_end, without=without, watch=Progress())
    click.echo(verdict.certificate() if as_json else verdict.describe())
    if certificate is not None:
        certificate.write_text(verdict.certificate() + "\n", "utf-8")
        click.echo(f"Written to {certificate}.", err=as_json)
    if report is not None:
        from tacit.audit.html_report import write_report  # matplotlib takes a second to load

        write_report(report, verdict, chosen)
        click.echo(f"Written to {report}.", err=as_json)
    _leave(verdict)


def _leave(verdict: AuditVerdict) -> None:
    if verdict.fault is not None:
        raise click.exceptions.Exit(BROKEN if verdict.is_broken else SUSPICIOUS)


def _own(named: str, claims: str | None, relation: str, values: str) -> AuditSubject:
    if claims is None:
        raise Refused(f"an audit of {named}", "It does not say what is claimed.", '--claims "epsilon=1".')
    subject = own_subject(named, read_claim(claims), Relation(relation), read_values(values))
    raised = raises_everywhere(subject)
    if raised is not None:
        click.echo(f"{named} raises an error on every input ({raised}): nothing was examined.", err=True)
        raise click.exceptions.Exit(RAISES)
    return subject


def _named(name: str) -> AuditSubject:
    """One of Tacit's own mechanisms."""
    from tacit.audit.tacit_mechanisms import SOUND

    found = {each.name: each for each in SOUND}
    if name not in found:
        raise Refused(f"a mechanism named {name[:60]}", "There is none.", f"one of: {'; '.join(sorted(found))}.")
    return found[name]


class Progress:
    """Reports the current stage on the error stream, and its progress every few seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._said = clock()

    def __call__(self, words: str) -> None:
        if ": " not in words or self._clock() - self._said >= _QUIET:
            self._said = self._clock()
            click.echo(f"… {words}", err=True)
