"""The answers of a release of counting questions: one table per SELECT, with one certificate for all."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tacit.curator.counts_job import ReleasedCounts, all_counts, find_counts, readings_from, release_counts
from tacit.curator.interval_words import NEED, not_counted
from tacit.curator.open_data import Opened
from tacit.curator.planner import Planner
from tacit.curator.tables_answer import publication_certifier
from tacit.curator.tables_words import guess_words
from tacit.errors import Failed, Refused
from tacit.loss.families.loss import Loss, Relation
from tacit.mechanisms.least_error import NO_BOUND
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.clipping_bias import Sign
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import Price
from tacit.query.post_noise.estimates import OutputColumn, Rendered
from tacit.release.price import PriceWords, price_words
from tacit.release.release import IntervalWords, Release
from tacit.release.tables_release import ReleasedTable, TablesRelease
from tacit.words import counted
from tacit.workload.factorisation.optimal_strategy import OptimalStrategy
from tacit.workload.linear.asked_counts import AnswerTable
from tacit.workload.linear.counts_plan import CountsPlan
from tacit.workload.linear.noisy_counts import NoisyCounts
from tacit.workload.optimality.unbiased import MOST_RHO, least_unbiased
from tacit.workload.table_reading import TableTotal

_FAR = 10  # times the least error; a bound further off is not reported


def ask_counts(
    planner: Planner, plan: CountsPlan, price: Price | None, analyst: str, confidence: Fraction, fresh: bool
) -> TablesRelease:
    """The answers at a price; without one, from an earlier release of these questions, at any accuracy."""
    if price is None:
        earlier = None if fresh else find_counts(planner, plan, Fraction(0))
        if earlier is None and not fresh and (implied := _implied(planner, plan, None)) is not None:
            return answer_counts(planner.opened, plan, *implied, confidence)
        if earlier is None:
            raise Refused("a workload without a price", "No earlier release holds it.", "epsilon (--epsilon 1).")
        return answer_counts(planner.opened, plan, earlier, None, confidence)
    if not fresh and find_counts(planner, plan, plan.strength(price)) is None:
        implied = _implied(planner, plan, price)
        if implied is not None:
            return answer_counts(planner.opened, plan, *implied, confidence)
    found = release_counts(planner, plan, price, analyst, fresh)
    try:
        return answer_counts(planner.opened, plan, found, None, confidence)
    except Exception:
        if found.free:
            raise
        raise Failed from None  # the answer is paid for and stored, so asking again is free


def _implied(
    planner: Planner, plan: CountsPlan, price: Price | None
) -> tuple[ReleasedCounts, NDArray[np.float64]] | None:
    """An earlier release of other questions that implies these, as accurate as a new one at the price; free."""
    for found in all_counts(planner):
        readings = readings_from(planner, found, plan) if _serves(found.counts.kind, plan) else None
        if readings is not None and (price is None or _is_as_accurate(found, readings, plan, price)):
            return found, readings
    return None


def _serves(kind: IntervalKind, plan: CountsPlan) -> bool:
    """Whether a release has intervals of the requested kind, or better ones."""
    return kind is IntervalKind.GUARANTEED or kind is plan.base.interval


def _is_as_accurate(found: ReleasedCounts, readings: NDArray[np.float64], plan: CountsPlan, price: Price) -> bool:
    """Whether the weighted sum of variances is at most that of a new release with the same limit."""
    roots, own = plan.asked.matrix.roots, plan.best.strategy
    theirs = float(found.counts.variance) * float(((roots[:, None] * readings) ** 2).sum())
    return theirs <= float(plan.variance(price)) * float((roots**2 * own.variances()).sum()) * (1 + 1e-9)


def answer_counts(
    opened: Opened,
    plan: CountsPlan,
    found: ReleasedCounts,
    implied: NDArray[np.float64] | None,
    confidence: Fraction,
) -> TablesRelease:
    """All answers of a release, for display; `implied` are their readings from a release of other questions."""
    price = price_words(opened.filter, found.grounds.price, found.share, found.free, found.charge)
    words = counts_interval_words(found.counts.kind, is_declared=plan.measure in plan.base.at_most)
    counts, readings = found.counts, implied
    if readings is None:
        own = counts.strategy(plan.asked.matrix)
        readings, made = own.readings, OptimalStrategy(own, counts.optimum_down)
        optimality = optimality_of(plan, made, counts.variance, counts.strength, counts.norm, found.charge)
    else:
        optimality = f"Read from the questions released at entry {found.entry}, with intervals from their joint noise."
    tables = []
    for place, table in enumerate(plan.asked.tables):
        read = partial(_release, plan, table, found, readings, confidence, price, words)
        plain = re.sub(r"[^a-z0-9_]+", "-", table.title.lower()).strip("-")[:60]
        tables.append(ReleasedTable(table.title, f"{place + 1:02d}-{plain}", read, table.size))
    matrix = plan.asked.matrix
    size = f"{counted(matrix.questions, 'question')} over {counted(matrix.cells, 'cell')}"
    together = f"{size}, answered together: what adds up agrees." if matrix.questions > 1 else f"{size}."
    notes = counts_notes(plan, found.counts)
    certify = publication_certifier(opened, found.grounds, found.entry, plan.asked.sql)
    return TablesRelease(
        tuple(tables),
        together,
        optimality,
        notes,
        price,
        words,
        certify,
        opened.description.name,
        meaning=guess_words(found.charge, plan.base),
        free="Every later workload whose questions are combinations of these is free.",
    )


def optimality_of(
    plan: CountsPlan,
    best: OptimalStrategy,
    variance: Fraction,
    strength: Fraction,
    norm: Fraction | None,
    charge: Loss,
) -> str:
    """The noise on a strategy's measurements compared with the least of any unbiased release, where that is known.

    It is known where the release is unbiased: each unit is one row, or has at most the limit by declaration.
    """
    is_sure = norm is not None and plan.base.interval is IntervalKind.GUARANTEED and norm.denominator == 1
    is_counted = plan.measure.subject == "rows"
    if plan.relation is Relation.REPLACE or not is_counted or (plan.is_scaled and not is_sure):
        return NO_BOUND
    rho = strength / 2
    if not rho <= MOST_RHO:
        return NO_BOUND
    rows = int(norm) if plan.is_scaled and norm is not None else 1
    least = least_unbiased(best.optimum_down, rho, rows, of="counts", charge=charge)
    steps = plan.scaling(Fraction(rows)).scale
    noise = RoundedGaussian(variance).mean_square_up / steps**2
    total = noise * best.strategy.error_up / best.strategy.squared_norm
    return least.words(total) if least.error_factor_up(total) <= _FAR else NO_BOUND


def counts_interval_words(kind: IntervalKind, *, is_declared: bool) -> IntervalWords:
    """The meaning of the intervals in words."""
    if kind is IntervalKind.USUAL:
        about = (
            " for all rows that fit the description, assuming that nobody has far more than the people that can be "
            "seen, and that each answer lost about its part of what the limit cut off"
        )
        return IntervalWords("usual", about, () if is_declared else (NEED,))
    if kind is IntervalKind.BOUNDED:
        return IntervalWords("bounded", " for rows scaled to the limit: the noise alone, not what the limit cut off")
    return IntervalWords("guaranteed", ", guaranteed: they hold on all data")


def counts_notes(plan: CountsPlan, counts: NoisyCounts) -> tuple[str, ...]:
    """Notes: how much of one unit counts in all cells together, and what is not counted."""
    notes = [f"{plan.most_words(counts.norm)} together."] if plan.is_scaled else []
    if counts.kind is not IntervalKind.BOUNDED and (left_out := not_counted(plan.base)):
        notes.append(left_out)
    return tuple(notes)


def _release(
    plan: CountsPlan,
    table: AnswerTable,
    found: ReleasedCounts,
    readings: NDArray[np.float64],
    confidence: Fraction,
    price: PriceWords,
    words: IntervalWords,
) -> Release:
    columns = [OutputColumn(name, keys) for name, keys in table.keys.items()]
    for name, questions in table.columns.items():
        rows = readings[list(questions)]
        usual = total_of(plan, found, rows, is_bounded=False).at(confidence)
        bounded = None
        if found.counts.kind is IntervalKind.USUAL:
            bounded = total_of(plan, found, rows, is_bounded=True).at(confidence)
        columns.append(OutputColumn(name, usual, bounded))
    return Release(Rendered(tuple(columns)), confidence, (), price, None, words)


def total_of(plan: CountsPlan, found: ReleasedCounts, readings: NDArray[np.float64], *, is_bounded: bool) -> TableTotal:
    """Answers by their readings; bounded intervals do not cover what the limit cuts off."""
    sign = Sign.ADDS if plan.measure.least >= 0 else Sign.EITHER
    return TableTotal(found.counts.read(readings, is_bounded=is_bounded), plan.measure.step, sign)
