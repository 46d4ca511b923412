"""The notes under an answer: how much of one unit counted, what was withheld, what an aggregate means.

One compares a query's noise with the least possible, for a plan at a price and for a release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from tacit.curator.interval_words import interval_words, not_counted
from tacit.curator.query_job import Answered
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.aggregate import Aggregate, Distinct, Part
from tacit.query.aggregates.comoments import Comoment
from tacit.query.aggregates.variance import Variance
from tacit.query.execution.noisy_table import NoisyColumn, NoisyTable
from tacit.query.execution.program import Program, norm_of
from tacit.query.plans.limit import CUTTING_NOBODY, IntervalKind, Origin
from tacit.query.plans.plan import BESIDE_PROFILE, Plan
from tacit.query.plans.price import Price
from tacit.query.sql.bounded_join import MOST_PAIRS, MOST_PARTNERS, MOST_ROWS
from tacit.release.release import IntervalWords
from tacit.words import shown
from tacit.workload.query_bound import PartNoise, QueryBound

CHOSEN = "Noise helped to choose which groups are shown: for those, intervals hold a little less often."
_PROFILED = "chosen from the private profile"
_MOST = "declared as the most there can be"
_SHARES = {
    Fraction(1, 10): "a tenth",
    Fraction(1, 4): "a quarter",
    Fraction(1, 3): "a third",
    Fraction(2, 5): "two fifths",
}
_HUGE = 1e15  # larger numbers are written with a power of ten
_ROWS = ("row", "rows")
_LIKE = ("row of one value", "rows of one value")
_GROUPS = ("group", "groups")
_WORDS = {
    "rows": _ROWS,
    "rows of one value": _LIKE,
    "keys": _GROUPS,
    "different values": ("different value", "different values"),
}


def notes_of(plan: Plan, found: Answered, confidence: Fraction) -> tuple[str, ...]:
    """The notes of a release, including its noise compared with the least possible, where that is known."""
    columns = _columns(plan, found.table)
    is_gaussian = any(isinstance(column.law, RoundedGaussian) for column in columns.values())
    norms = {part: column.norm for part, column in columns.items()}
    kinds = {part: column.interval for part, column in columns.items()}
    notes = limit_notes(plan, norms, kinds, found.finding, is_gaussian)
    if found.people is not None:
        notes.append(withheld(found.people))
    if plan.question.above.chooses_by_noise:
        notes.append(CHOSEN)
    notes += [words for each in plan.question.aggregates.values() if (words := _described(each, kinds))]
    if plan.interval is not IntervalKind.BOUNDED and (left_out := not_counted(plan)):
        notes.append(left_out)
    return (*notes, *released_optimality(plan, found, confidence))


def intervals_of(plan: Plan, table: NoisyTable) -> IntervalWords:
    """The meaning of the intervals of a release."""
    columns = _columns(plan, table)
    unknown = frozenset(part for part, column in columns.items() if column.bias is not None and column.bias.is_unknown)
    return interval_words(plan, {part: column.interval for part, column in columns.items()}, unknown)


def _columns(plan: Plan, table: NoisyTable) -> Mapping[Part, NoisyColumn]:
    return {part: table.columns[plan.identity(part)] for part in plan.question.parts}


def limit_notes(
    plan: Plan,
    norms: Mapping[Part, Fraction | None],
    kinds: Mapping[Part, IntervalKind],
    finding: Fraction,
    is_gaussian: bool,
) -> list[str]:
    """How much of one unit counts: one sentence for each way in which limits were chosen."""
    found: dict[str, dict[tuple[str, str], list[Fraction]]] = {}
    for part, norm in norms.items():
        if plan.limits[part].origin is not Origin.CONSTRUCTION and norm is not None:
            what, amount = _limited(part, norm, plan, is_gaussian)
            found.setdefault(_whence(plan, part, kinds[part], finding), {}).setdefault(what, []).append(amount)
    several = "more if they lie in several groups" if is_gaussian else "over all groups together"
    notes = []
    for whence, limits in found.items():
        listed = sorted(limits.items(), key=lambda limit: limit[0] != _ROWS)
        amounts = [_span(amounts, *what) for what, amounts in listed]
        where = ", more where values differ" if _LIKE in limits else ""
        where += f", {several}" if plan.question.keys and any(what != _GROUPS for what in limits) else ""
        notes.append(f"One person counts for at most {_listed(amounts)}{where} ({whence}).")
    longest = max((len(joined.tables) for joined in plan.question.rows.bounds), default=0)
    if longest > 1:
        much = f"Where one person's rows of two joined tables multiply to more than {MOST_PAIRS:,}"
        notes.append(f"{much}, at most {MOST_PARTNERS:,} of each table are joined by one key.")
    if longest > 2:
        notes.append(f"Before a third table is joined, and each further one, a person keeps {MOST_ROWS:,} joined rows.")
    return notes


def finding_words(share: Fraction) -> str:
    """The share of the price that finds limits and clipping bias: a fixed one, or another with a profile."""
    own = f"{_SHARES.get(share, f'{shown(100 * share)}%')} of this query's price"
    return f"the private profile and {own}" if share == BESIDE_PROFILE else own


def withheld(people: int) -> str:
    """The note that rare keys are not shown."""
    return f"Groups with fewer than about {people:,} people are withheld."


def _described(aggregate: Aggregate, kinds: Mapping[Part, IntervalKind]) -> str:
    """The meaning of an aggregate; a count of different values is of all rows, unless its interval is bounded."""
    words = aggregate.describe()
    distinct = [part for part in aggregate.parts if isinstance(part, Distinct)]
    if not words or any(kinds[part] is not IntervalKind.BOUNDED for part in distinct):
        return ""
    return f"{words[0].upper()}{words[1:]}."


def _whence(plan: Plan, part: Part, kind: IntervalKind, finding: Fraction) -> str:
    """The source of a limit in words. A limit to be found is at_most where that is near."""
    origin = plan.limits[part].origin
    if kind is IntervalKind.GUARANTEED:
        return _MOST
    if origin is Origin.PROFILE:
        return _PROFILED
    if origin is Origin.FOUND:
        return f"found with {finding_words(finding)}"
    tells = f"; {finding_words(finding)} tells what that cuts off" if kind is IntervalKind.USUAL else ""
    return f"declared{tells}"


def _limited(part: Part, norm: Fraction, plan: Plan, is_gaussian: bool) -> tuple[tuple[str, str], Fraction]:
    """The limited quantity, in the singular and the plural, and its limit."""
    subject, amount = part.limited(norm, is_gaussian)
    if subject in _WORDS:
        return _WORDS[subject], amount
    kind, _, column = subject.partition(" ")
    words = {"total": f"of {column}", "away": f"of {column} above or below the usual"}
    name = words.get(kind) or _unnamed(part, plan)
    return (name, name), amount


def _unnamed(part: Part, plan: Plan) -> str:
    """The name of a sum that is not of a single column: the aggregate it is a part of."""
    name, aggregate = next(each for each in plan.question.aggregates.items() if part in each[1].parts)
    is_square = isinstance(aggregate, Variance) and part == aggregate.squares
    is_product = isinstance(aggregate, Comoment) and part == aggregate.sums[0]
    return f"{'of squares ' if is_square else 'of products ' if is_product else ''}in {name}"


def _span(amounts: list[Fraction], one: str, several: str) -> str:
    """An amount, or a range where columns of one query differ."""
    ends = [_amount(amount) for amount in (min(amounts), max(amounts))]
    amount = ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
    return f"{amount} {one if amount == '1' else several}"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _amount(amount: Fraction) -> str:
    value = float(amount)
    if value >= _HUGE:
        return f"{value:.2g}"
    return f"{value:,.0f}" if value.is_integer() or value >= 1000 else f"{value:.3g}"


def planned_optimality(plan: Plan, price: Price, program: Program | None, confidence: Fraction) -> Sequence[str]:
    """The sentence of `explain`; it says so where no bound is known."""
    tally = None if program is None else program.tally
    noise: dict[Part, PartNoise] = {}
    if tally is not None:
        for measure, scaling in zip(tally.measures, tally.scalings, strict=True):
            if plan.limits[measure].origin in CUTTING_NOBODY:
                noise[measure] = PartNoise(tally.noise.law, scaling.scale, norm_of(plan, measure))
    groups = None if plan.groups is None else len(plan.groups)
    return QueryBound(plan, noise, price.charge, plan.strength(price), groups, confidence).explained()


def released_optimality(plan: Plan, found: Answered, confidence: Fraction) -> Sequence[str]:
    """The sentence under an answer; empty where no bound is known."""
    table = found.table
    columns = {part: table.columns[plan.identity(part)] for part in plan.question.parts}
    noise: dict[Part, PartNoise] = {
        part: PartNoise(column.law, column.scale, column.norm)
        for part, column in columns.items()
        if column.interval is IntervalKind.GUARANTEED
    }
    groups = plan.groups if table.keys is None else table.keys
    many = None if groups is None else len(groups)
    return QueryBound(plan, noise, found.charge, table.strength, many, confidence).known()
