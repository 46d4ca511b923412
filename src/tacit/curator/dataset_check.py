"""The steward's check of a data set: whether the files fit, what is promised, and what is still undeclared."""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from typing import Final

import numpy as np

from tacit.curator.open_data import Opened
from tacit.curator.planner import Planner
from tacit.errors import Failed, Refused
from tacit.frozen import frozen
from tacit.ledger.signature import fingerprint
from tacit.loss.filters.privacy_filter import Filter
from tacit.loss.interpretation import guess_probability
from tacit.query.aggregates.aggregate import noise_deviation
from tacit.query.bounding.histogram_sql import WIDE_BINS
from tacit.query.bounding.profile import Profile
from tacit.query.engines.protocol import Session
from tacit.query.execution.profile_release import MOST_SUBJECTS, VALUES, subjects_of
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import BESIDE_PROFILE, USUAL_FINDING
from tacit.query.plans.price import Price, noise_share, price_of
from tacit.schema.description import Description, Table
from tacit.schema.kind import Kind
from tacit.words import counted, key_text, percent_up, share_used, shown

_EXAMPLE = Fraction(1, 10)
_ADVISED: Final = Fraction(1, 50)  # of the budget, for a profile
_EPSILONS: Final = [Fraction(digit) * Fraction(10) ** power for power in range(-3, 2) for digit in range(1, 10)]


@frozen
class ProfileAdvice:
    """The price and the gain of a profile. Both follow from the description and the shares of prices only."""

    epsilon: Fraction
    share: Fraction  # of the budget
    highest: Fraction | None  # the largest ε of a query that still gains; None where none does
    less: Fraction  # the relative reduction of the noise of such a query
    saved: Fraction  # the share of its price that this saves
    is_pure: bool

    @classmethod
    def of(cls, planner: Planner, account: Filter) -> ProfileAdvice | None:
        """The largest ε in one digit that costs little of the budget; None where a profile has nothing to count."""
        description = planner.opened.description
        subjects = subjects_of(planner.catalogue, True, {}, {})
        tables = dict.fromkeys(subject.table for subject in subjects)
        questions = {table: planner.question(f"SELECT COUNT(*) FROM {_quoted(table)}") for table in tables}
        plans = {table: planner.bare_plan(question, IntervalKind.USUAL) for table, question in questions.items()}
        unsure = next((table for table, plan in plans.items() if plan.binned), None)
        if unsure is None:  # what one person can have is declared, and counts whole
            return None

        def price(epsilon: Fraction) -> Price:
            return price_of(description.budget, description.promise, epsilon, None, False)

        place = bisect_right(_EPSILONS, _ADVISED, key=lambda epsilon: account.share(price(epsilon).charge))
        epsilon = _EPSILONS[max(0, place - 1)]
        paid = price(epsilon)
        noise = noise_share(paid, 1 - VALUES, description.unit.relation)
        deviation = noise_deviation(noise.law) / noise.split(MOST_SUBJECTS)
        profile = Profile({(unsure, "rows"): np.zeros(len(WIDE_BINS))}, deviation, {})
        gains = [each for each in _EPSILONS if profile.completed(plans[unsure], price(each)).is_beside_profile]
        saved = 1 - (1 - USUAL_FINDING) / (1 - BESIDE_PROFILE)
        less = saved if paid.is_pure else Fraction(1 - float(1 - saved) ** 0.5)
        return cls(epsilon, account.share(paid.charge), max(gains, default=None), less, saved, paid.is_pure)

    @property
    def _more(self) -> str:
        return "" if self.is_pure else " Means and quantiles can gain more: it tells where values lie."

    def words(self, file: str) -> str:
        command = f"`tacit profile {file} --epsilon {shown(self.epsilon)}`"
        cost = f"There is no profile. {command} would cost {share_used(self.share)} of the budget."
        if self.highest is None:
            return f"{cost} At that price it tells too little to help counts and sums."
        return (
            f"{cost} Counts and sums of all rows of a table, at ε up to about {shown(self.highest)}, then have "
            f"{float(100 * self.less):.0f}% less noise; costlier ones gain nothing. It pays if such queries take more "
            f"than about {float(100 * self.share / self.saved):.0f}% of the budget.{self._more}"
        )


@frozen
class Check:
    """A data set that fits its description. It includes the number of rows, which is for the steward only."""

    description: Description
    rows: dict[str, int]
    has_profile: bool
    advice: ProfileAdvice | None  # where there is no profile
    public_key: bytes

    def __str__(self) -> str:
        declared = (self._limits(), self._columns(), self._structure(), self._analysts(), self._failures())
        parts = (self._tables(), self._budget(), *declared, self._signature())
        return "\n".join(part for part in parts if part)

    def _tables(self) -> str:
        rows = ", ".join(f"{name} with {counted(count, 'row')}" for name, count in self.rows.items())
        whose = self.description.unit.identifier
        unit = "each row is a person" if whose is None else f"people are told apart by {whose}"
        return f"{self.description.name}: {rows}; {unit}. (Row counts are for the steward's eyes only.)"

    def _budget(self) -> str:
        budget, promise, unit = self.description.budget, self.description.promise, self.description.unit
        kept = "" if str(budget) == str(promise) else f", kept as {budget}"
        example = price_of(budget, promise, _EXAMPLE, None, False).alone
        return (
            f"Budget {promise} for everything ever released{kept}. Hidden is {unit.hides} ({unit.relation}): whoever "
            "knows all else, and would guess by coin flip whether it is in the data, guesses right at most "
            f"{percent_up(guess_probability(promise))} of the time when the whole budget is spent, and at most "
            f"{percent_up(guess_probability(example))} after one query at ε = {float(_EXAMPLE):g}."
        )

    def _limits(self) -> str:
        if self.description.unit.identifier is None:
            return "Each row is a person, so no limit on rows is needed."
        tables = self.description.tables.items()
        lines = [f"{name}: {_declared(table)} declared." for name, table in tables]
        lines += [line for name, table in tables if (line := _possible(name, table))]
        if self.has_profile:
            lines.append(
                "There is a private profile. Usual queries of all rows of a table add it to what they count "
                "themselves; bounded ones take their limits from it. Means and quantiles use where values lie."
            )
        elif self.advice is not None:
            lines.append(self.advice.words(self.description.path.name))
        return "\n".join(lines)

    def _columns(self) -> str:
        lines = []
        for name, table in self.description.tables.items():
            columns = table.columns.values()
            unbounded = [c.name for c in columns if c.kind.is_number and c.keys is None and c.high is None]
            private = [c.name for c in columns if not c.kind.is_number and not c.kind.is_time and c.keys is None]
            if unbounded:
                lines.append(f"{name}: no sums or means of {', '.join(unbounded)}, which have no bounds.")
            if private:
                lines.append(
                    f"{name}: the values of {', '.join(private)} are private; those that few share are not shown."
                )
        return "\n".join(lines)

    def _structure(self) -> str:
        """What everybody knows of the keys, which tables that are released together use."""
        whose, lines = self.description.unit.identifier, []
        for name, table in self.description.tables.items():
            nested = [" > ".join(each.levels) for each in table.hierarchies]
            totals = counted(len(table.totals), "public total") if table.totals and whose is None else ""
            never = counted(len(table.impossible), "impossible combination") if table.impossible else ""
            if known := [each for each in (*nested, never, totals) if each]:
                lines.append(f"{name}: tables that are released together use {', '.join(known)}.")
            if table.totals and whose is not None:
                lines.append(f"{name}: public totals are not used, since rows are not people of their own.")
        return "\n".join(lines)

    def _analysts(self) -> str:
        shares = [f"{name} {share_used(part)}" for name, part in sorted(self.description.analysts.items())]
        return f"At most, of the budget: {', '.join(shares)}." if shares else ""

    def _failures(self) -> str:
        floor, breaker = self.description.floor, self.description.breaker
        least = f"Every new question costs at least {shown(100 * floor)}% of the budget"
        borne = "" if breaker is None else f"{breaker.analyst} failures of one analyst, or {breaker.dataset} in all"
        return "\n".join(
            [
                f"{least}." if floor else "Risk: there is no least price (floor = 0), so questions may be countless.",
                f"After {borne}, new questions wait until you have seen them (`tacit failures`)."
                if borne
                else 'Risk: failures are not counted (breaker = "off"), and a failure may tell what no price covers.',
            ]
        )

    def _signature(self) -> str:
        name = fingerprint(self.public_key)
        return f"Certificates are signed by {name}; give analysts the public key {self.public_key.hex()}."


def check_dataset(opened: Opened) -> Check:
    """Reads headers and counts rows; refused where a description does not fit its files."""
    description = opened.description
    tables = [*opened.catalogue.description.tables]
    try:
        with opened.engine.session(description) as session:
            rows = {name: _count(session, name) for name in tables}
    except Failed:
        raise Refused(
            f"the rows of {description.name}", "They cannot be read.", "files that are whole, and of their format."
        ) from None
    planner = Planner.of(opened)
    has_profile = planner.profile is not None
    advice = None if has_profile or description.unit.identifier is None else ProfileAdvice.of(planner, opened.filter)
    return Check(description, rows, has_profile, advice, opened.signing_key.public_key)


def _declared(table: Table) -> str:
    limits = table.limits
    said = [f"at most {counted(limits.rows, 'row')} a person"] if limits.rows is not None else []
    said += [f"{counted(limits.keys, 'key')} a person"] if limits.keys is not None else []
    said += [f"a total of {float(most):,.12g} of {name} a person" for name, most in limits.totals.items()]
    return ", ".join(said) if said else "no contribution limit"


def _possible(name: str, table: Table) -> str:
    """The declared at_most of a table in words; or the benefit of declaring it."""
    most = table.at_most
    said = [counted(most.rows, "row")] if most.rows is not None else []
    said += [f"a total of {float(total):,.12g} of {column}" for column, total in most.totals.items()]
    if said:
        return f"{name}: one person can have at most {' and '.join(said)} (at_most)."
    numbers = [column for column in table.columns.values() if column.kind.is_number and column.keys is None]
    money = min(numbers, key=lambda column: column.kind is not Kind.DECIMAL, default=None)
    total = "" if money is None else f" and totals = {{ {key_text(money.name)} = … }}"
    rows = "rows = 1, if nobody can have more," if table.limits.rows == 1 else f"rows = …{total}"
    return (
        f"{name}: no at_most, the most that one person can have, known without the data. Write {rows} under "
        f"[tables.{key_text(name)}.at_most]: then --interval guaranteed is possible, which spends nothing on finding "
        "limits, and usual intervals get narrower."
    )


def _quoted(table: str) -> str:
    return '"' + table.replace('"', '""') + '"'


def _count(session: Session, table: str) -> int:
    return int(session.run(f"SELECT COUNT(*) AS n FROM {_quoted(table)}").column("n")[0].as_py())
