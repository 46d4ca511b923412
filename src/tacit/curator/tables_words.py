"""The notes of tables released together: their intervals, their margins, and how much of one unit counts."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from tacit.curator.interval_words import NEED, not_counted
from tacit.curator.notes import limit_notes
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.interpretation import guess_probability
from tacit.query.aggregates.aggregate import Measure, Part
from tacit.query.aggregates.moments import Total
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.question import Question
from tacit.release.release import IntervalWords
from tacit.words import counted, percent_up
from tacit.workload.known_cells import structure_notes
from tacit.workload.noisy_contrasts import NoisyTables
from tacit.workload.table_reading import finest_of, kinds_of
from tacit.workload.tables_plan import TablesPlan


def tables_interval_words(plan: TablesPlan, tables: NoisyTables, *, is_bounded: bool = False) -> IntervalWords:
    """The meaning of the intervals of tables; bounded ones cover the noise only."""
    kinds = kinds_of(tables)
    if is_bounded and kinds != {IntervalKind.GUARANTEED}:
        kinds = {IntervalKind.BOUNDED}
    if IntervalKind.USUAL in kinds:
        about = (
            " for all rows that fit the description, assuming that nobody has far more than the people that can be "
            "seen, and that each cell lost about its part of what limits cut off"
        )
        is_declared = all(part in plan.base.at_most for part in plan.measures)
        return IntervalWords("usual", about, () if is_declared else (NEED,))
    if IntervalKind.BOUNDED in kinds:
        return IntervalWords("bounded", " for rows scaled to the limits: the noise alone, not what limits cut off")
    if structure_notes(plan, tables):  # rows that do not fit are not counted, and totals are believed
        return IntervalWords("guaranteed", ", guaranteed where the data are as the description's public facts say")
    return IntervalWords("guaranteed", ", guaranteed: they hold on all data")


def margins_words(plan: TablesPlan, tables: NoisyTables, cells: int) -> str:
    """The number of tables and cells, and how closely their margins agree."""
    count = len(plan.asked.tables)
    size = f"{counted(count, 'table')}, {counted(cells, 'cell')}"
    if count == 1:
        return f"{size}."
    if _holds_all(tables):
        return f"{size}; margins add up exactly."
    return f"{size}; margins that two tables share agree."


def publication_words(plan: TablesPlan, tables: NoisyTables, has_column: bool) -> str:
    """The meaning of the column for publication, or why there is none; empty where none is expected."""
    if has_column:
        return (
            "A column for publication stands beside each count: whole numbers, none negative, that add up exactly in "
            "every table. It is made from the noisy counts alone, so it costs nothing; what was below 0 is moved "
            "to 0 and taken off the others, so it is biased and has no ±. To compute with, take the count and its ±."
        )
    totals = [each for each in plan.base.question.aggregates.values() if isinstance(each, Total)]
    if not any(isinstance(each.part, Measure) and each.part.subject == "rows" for each in totals):
        return ""
    if not _holds_all(tables):
        return (
            "There is no column for publication: no table holds all others as margins, so whole numbers that are not "
            "negative would not agree between tables. With one finest table (CUBE, ROLLUP) there is one."
        )
    return "There is no column for publication: too little is known of what limits cut off."


def guess_words(charge: Loss, plan: Plan) -> str:
    """The meaning of a price: the success rate of a guess by an adversary who knows everything else."""
    best = percent_up(guess_probability(charge))
    if plan.relation is Relation.REPLACE:
        hidden = f"what the data say of {plan.unit}"
        guess = "and would have to flip a coin between two possibilities"
    else:
        comma = "," if "," in plan.unit else ""  # as in: one patient, all visits
        hidden, guess = f"whether {plan.unit}{comma} is in the data", "and would have to flip a coin to guess it"
    after = f"is right at most {best} of the time after seeing these tables"
    return f"Hidden is {hidden}. Whoever knows all else, {guess}, {after}."


def _holds_all(tables: NoisyTables) -> bool:
    return all(finest_of(each) is not None for each in tables.measures.values())


def tables_notes(
    plan: TablesPlan, tables: NoisyTables, asked: Question | None = None, parts: Collection[Measure] | None = None
) -> tuple[str, ...]:
    """Notes: how much of one unit counts, what private keys leave out, what is not counted.

    For a query, what it uses.
    """
    used = plan.base.question if asked is None else asked
    shown = [part for part in plan.measures if parts is None or part in parts]
    measures = {part: tables.measures[plan.base.identity(part)] for part in shown}
    norms: dict[Part, Fraction | None] = {part: each.norm for part, each in measures.items()}
    kinds: dict[Part, IntervalKind] = {part: IntervalKind(each.kind) for part, each in measures.items()}
    limits = limit_notes(plan.base, norms, kinds, plan.share("finding"), is_gaussian=True)
    notes = [note.replace("this query's price", "the price of the tables") for note in limits]
    private = [plan.base.question.keys[place].name for place in plan.private]
    if names := ", ".join(name for name in private if name in {key.name for key in used.keys}):
        notes.append(f"NULL of {names} stands for all values that too few people share to be shown, and for none.")
    if kinds_of(tables) != {IntervalKind.BOUNDED} and (left_out := not_counted(plan.base)):
        notes.append(left_out)
    return (*notes, *structure_notes(plan, tables))
