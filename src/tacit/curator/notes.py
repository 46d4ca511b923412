"""What is said under an answer: how much of one person counted, what was withheld, what an aggregate stands for."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from tacit.mechanisms.answer import number
from tacit.query.aggregates.parts import Distinct, Part, Ranks
from tacit.query.plans.limit import Origin
from tacit.query.plans.plan import Plan
from tacit.query.running.noisy_table import NoisyTable

_WHENCE = {
    Origin.DECLARED: "declared",
    Origin.PROFILE: "chosen from the private profile",
    Origin.FOUND: "found with a tenth of this query's price",
}


def notes_of(plan: Plan, table: NoisyTable, people: int | None) -> tuple[str, ...]:
    """The sentences under a release. Whether anything was cut is not revealed; that it may have been is said."""
    norms = {part: table.columns[plan.identity(part)].norm for part in plan.question.parts}
    notes = limit_notes(plan, norms)
    if people is not None:
        notes.append(withheld(people))
    notes += [words + "." for each in plan.question.aggregates.values() if (words := each.describe())]
    return tuple(notes)


def limit_notes(plan: Plan, norms: Mapping[Part, Fraction | None]) -> list[str]:
    """How much of one person counts, part by part; parts with the same sentence are said once."""
    said: dict[str, None] = {}
    for part, norm in norms.items():
        origin = plan.limits[part].origin
        if origin is not Origin.CONSTRUCTION and norm is not None:
            said[f"{_amount(part, norm, plan)} ({_WHENCE[origin]}); more is scaled down to that."] = None
    return list(said)


def withheld(people: int) -> str:
    """That rare keys are not shown."""
    return f"Groups with fewer than about {people:,} people are withheld."


def _amount(part: Part, norm: Fraction, plan: Plan) -> str:
    where = ", over all groups together" if plan.question.keys else ""
    if isinstance(part, Distinct):
        return f"At most {int(norm):,} different values of each person count{where}"
    if isinstance(part, Ranks) or part.subject == "rows":
        return f"At most {_shown(norm)} rows of each person count{where}"
    if part.once:
        held = round(float(norm) ** 2)
        return f"Each person counts fully in up to about {held:,} groups"
    name = (part.subject or "sum").removeprefix("total ")
    return f"A total of at most {_shown(norm * part.step)} ({name}) of each person counts{where}"


def _shown(amount: Fraction) -> str:
    value = float(amount)
    return f"{value:,.0f}" if value.is_integer() else number(value, value / 100)
