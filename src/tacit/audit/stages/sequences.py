"""Stage (h): whole data sets. A long adaptive sequence of questions against the books, and a person in or out."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from tacit.audit.effort import Effort
from tacit.audit.finding import Finding, Outcome
from tacit.audit.sequences.canary import Apart, apart_by, ask_all
from tacit.audit.sequences.desk import Desk
from tacit.audit.sequences.laws import Sequence
from tacit.audit.sequences.made_up_clinic import write_made_up_clinic
from tacit.audit.sequences.questions import Questions
from tacit.audit.sequences.tacit_desk import apart
from tacit.audit.verdict import Verdict
from tacit.errors import Refused
from tacit.schema.reader import read_description

_BOOKS, _CANARY = "books", "canary"
_QUESTIONS = 40
_TIMES = 12
_PRICE = Fraction(1)
_ASKED = (
    "SELECT COUNT(*) FROM visits",
    "SELECT SUM(cost) FROM visits",
    "SELECT region, COUNT(*) FROM visits GROUP BY region",
    "SELECT COUNT(*) FROM visits WHERE age > 100",
)
"""Questions in which the canary shows as much as it can; each has Gaussian noise of the stated deviation."""

Asks = Callable[[np.random.Generator, float], str]


def check_books(desk: Desk, question: Asks, effort: Effort, questions: int = _QUESTIONS) -> Finding:
    """Whether the books keep their laws over a random adaptive sequence; a breach is a proof."""
    generator = np.random.Generator(np.random.PCG64(effort.seed))
    faults = list(Sequence(desk, question, generator).faults(questions))
    if faults:
        words = f"The books break a law: {faults[0]} ({len(faults)} in all)"
        return Finding(_BOOKS, Outcome.BROKEN, words, evidence={"faults": faults[:20]})
    words = f"{questions} questions, repeats, cancelled runs and dear ones until all were refused: every law held."
    seen = f"any breach within {questions} questions of this seed"
    return Finding(_BOOKS, Outcome.PASSED, words, could_see=seen, samples=questions)


def check_canary(with_person: Desk, without: Desk, effort: Effort, asked: tuple[str, ...] = _ASKED) -> Finding:
    """Whether a person's presence moves the answers farther than the charged ρ admits, or the noise is not as stated.

    Two tests, each at half the alarm rate: the worlds' distance against a noncentral chi-square with ρ, and the
    distance of one world from itself, asked anew, against a central one from below.
    """
    half = effort.alarm_rate / 2
    first, again = (ask_all(without, asked, _PRICE, _TIMES) for _ in range(2))
    inside = ask_all(with_person, asked, _PRICE, _TIMES)
    try:
        between, within = apart_by(inside, first), apart_by(again, first)
    except Refused as refused:
        return Finding(_CANARY, Outcome.BROKEN, f"The replies differ in kind: {refused.why}", effort.alarm_rate)
    seen = f"a distance of Σd²/2σ² = {between.least_seen(half):.3g} where ρ = {between.rho:.3g} was charged"
    evidence = {"distance": between.distance, "numbers": between.cells, "rho": between.rho, "within": within.distance}
    fault = _fault(between, within, half)
    if fault:
        return Finding(_CANARY, Outcome.BROKEN, fault, effort.alarm_rate, seen, samples=len(first), evidence=evidence)
    words = f"{between.cells} numbers with and without one person lie {between.distance:.3g} apart (χ²), within ρ."
    return Finding(_CANARY, Outcome.PASSED, words, effort.alarm_rate, seen, samples=len(first), evidence=evidence)


def _fault(between: Apart, within: Apart, alarm_rate: float) -> str:
    if between.is_too_far(alarm_rate):
        return f"One person moves the answers by χ² = {between.distance:.3g}, more than ρ = {between.rho:.3g} admits"
    if within.is_too_near(alarm_rate):
        return f"The noise is less than stated: χ² = {within.distance:.3g} over {within.cells} numbers"
    return ""


def audit_data_set(path: Path, effort: Effort | None = None) -> Verdict:
    """The verdict on a described data set, under a ledger that is thrown away, and on a canary in a made-up clinic.

    Nothing that it is told leaves: the findings name laws, not answers.
    """
    tried = effort or Effort()
    description = read_description(path)
    findings, start = [], perf_counter()
    with apart(path) as desk:
        findings.append(check_books(desk, Questions.about(description).any, tried).after(perf_counter() - start))
    start = perf_counter()
    findings.append(_made_up(tried).after(perf_counter() - start))
    claim = f"{description.promise}"
    return Verdict(description.name, claim, str(description.unit.relation), tuple(findings), tried.alarm_rate)


def _made_up(effort: Effort) -> Finding:
    with TemporaryDirectory() as folder:
        one, none = (write_made_up_clinic(Path(folder) / str(there), canary=there) for there in (True, False))
        with apart(one) as with_person, apart(none) as without:
            return check_canary(with_person, without, effort)
