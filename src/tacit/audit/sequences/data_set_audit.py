"""Stage (h), the audit of a whole data set: a long adaptive sequence of random questions, and one person in or out.

Questions are random SQL over public keys. The person is the most conspicuous possible patient of a made-up clinic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from tacit.audit.auditor import Effort
from tacit.audit.sequences.desk import Desk, apart
from tacit.audit.sequences.laws import Apart, QuestionSequence, apart_by, ask_all
from tacit.audit.verdict import AuditVerdict, Finding, Outcome
from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.schema.description import Column, Description, Table
from tacit.schema.reader import read_description

_FUNCTIONS = ("SUM", "AVG")  # one for each column: a sum may be computed from an average that was released


@frozen(eq=False)
class Questions:
    """A source of SQL over one table with public keys and bounded numbers."""

    table: Table

    @classmethod
    def about(cls, description: Description) -> Questions:
        """Questions about the table with the most columns to ask about."""
        return cls(max(description.tables.values(), key=lambda table: len(_numbers(table))))

    def any(self, generator: np.random.Generator, hint: float = 0.5) -> str:
        """A question; `hint`, in [0, 1], is computed from earlier answers and places the filter."""
        numbers, keyed = _numbers(self.table), _keyed(self.table)
        what = ["COUNT(*)"]
        if numbers and generator.random() < 0.6:
            chosen = int(generator.integers(len(numbers)))
            what.append(f'{_FUNCTIONS[chosen % len(_FUNCTIONS)]}("{numbers[chosen].name}")')
        where = ""
        if numbers and generator.random() < 0.6:
            column = numbers[int(generator.integers(len(numbers)))]
            assert column.low is not None
            assert column.high is not None
            place = float(column.low + (column.high - column.low) * round(1000 * hint) / 1000)
            where = f' WHERE "{column.name}" {generator.choice(["<", ">"])} {place:.3f}'
        if keyed and generator.random() < 0.5:
            key = keyed[int(generator.integers(len(keyed)))].name
            return f'SELECT "{key}", {", ".join(what)} FROM "{self.table.name}"{where} GROUP BY "{key}"'
        return f'SELECT {", ".join(what)} FROM "{self.table.name}"{where}'


def _numbers(table: Table) -> Sequence[Column]:
    return [
        column
        for column in table.columns.values()
        if column.kind.is_number and column.low is not None and column.high is not None and not column.keys
    ]


def _keyed(table: Table) -> Sequence[Column]:
    return [column for column in table.columns.values() if column.keys]


_DESCRIPTION = """\
[dataset]
name = "made-up clinic"
unit = { id = "patient", hides = "one patient" }
budget = { epsilon = 60, delta = 1e-6 }
floor = 0
breaker = "off"
analysts = { ann = "90%", bob = "10%" }

[tables.visits]
source = "visits.parquet"
limits = { rows = 4 }

[tables.visits.columns]
region = { type = "text", keys = ["north", "south"] }
age = { type = "int", min = 0, max = 110 }
cost = { type = "money", min = 0, max = 1000 }
"""
_PATIENTS = 80
_CONSPICUOUS = 400  # number of visits of the canary, each at the highest bounds


def write_made_up_clinic(folder: Path, *, canary: bool) -> Path:
    """The description of a clinic in this folder, its visits beside it.

    The canary has far more visits than the limit counts.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    generator = np.random.Generator(np.random.PCG64(7))
    visits = generator.integers(1, 7, _PATIENTS)
    patient = np.repeat(np.arange(_PATIENTS), visits)
    age = np.repeat(generator.integers(0, 95, _PATIENTS), visits)
    cost = np.round(generator.lognormal(4, 1, len(patient)), 2)
    north = np.repeat(generator.random(_PATIENTS) < 0.5, visits)
    if canary:
        patient = np.append(patient, np.full(_CONSPICUOUS, _PATIENTS))
        age = np.append(age, np.full(_CONSPICUOUS, 110))
        cost = np.append(cost, np.full(_CONSPICUOUS, 1e6))
        north = np.append(north, np.full(_CONSPICUOUS, True))
    region = ["north" if there else "south" for there in north]
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        pa.table({"patient": patient, "region": region, "age": age, "cost": cost}), folder / "visits.parquet"
    )
    (folder / "clinic.toml").write_text(_DESCRIPTION, "utf-8")
    return folder / "clinic.toml"


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
    """Whether the books keep their laws over a random adaptive sequence; a violation is a proof."""
    generator = np.random.Generator(np.random.PCG64(effort.seed))
    faults = list(QuestionSequence(desk, question, generator).faults(questions))
    if faults:
        words = f"The books break a law: {faults[0]} ({len(faults)} in all)"
        return Finding(_BOOKS, Outcome.BROKEN, words, evidence={"faults": faults[:20]})
    words = f"{questions} questions, repeats, cancelled runs and dear ones until all were refused: every law held."
    seen = f"any breach within {questions} questions of this seed"
    return Finding(_BOOKS, Outcome.PASSED, words, could_see=seen, samples=questions)


def check_canary(with_person: Desk, without: Desk, effort: Effort, asked: tuple[str, ...] = _ASKED) -> Finding:
    """Whether a person's presence moves the answers farther than the charged ρ permits, or the noise is not as stated.

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


def audit_data_set(path: Path, effort: Effort | None = None) -> AuditVerdict:
    """The verdict on a described data set, under a temporary ledger, and on a canary in a made-up clinic.

    The findings name laws, never answers.
    """
    tried = effort or Effort()
    description = read_description(path)
    findings, start = [], perf_counter()
    with apart(path) as desk:
        findings.append(check_books(desk, Questions.about(description).any, tried).after(perf_counter() - start))
    start = perf_counter()
    findings.append(_made_up(tried).after(perf_counter() - start))
    claim = f"{description.promise}"
    return AuditVerdict(description.name, claim, str(description.unit.relation), tuple(findings), tried.alarm_rate)


def _made_up(effort: Effort) -> Finding:
    with TemporaryDirectory() as folder:
        one, none = (write_made_up_clinic(Path(folder) / str(there), canary=there) for there in (True, False))
        with apart(one) as with_person, apart(none) as without:
            return check_canary(with_person, without, effort)
