"""The limit of each part of a plan: by construction, declared, or chosen from a noisy histogram.

`make_plan` makes a plan of a question; limits that nobody declared and no construction gives are chosen later, for
each part the one that serves its error best. Nothing but a public histogram is used, so the choice costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import whole
from tacit.query.aggregates.aggregate import Part, noise_deviation
from tacit.query.aggregates.rank_grid import nodes_of
from tacit.query.bounding.amount import MANY_SMALL, MANY_SMALL_WIDE
from tacit.query.bounding.amount_histogram import Bins, Span, end_of_reach, possible_tails, seen
from tacit.query.bounding.amounts import amount_of
from tacit.query.bounding.at_most import possible_norms, refuse_cuts
from tacit.query.bounding.histogram_sql import WIDE_BINS, FindingBlock, bins_of
from tacit.query.bounding.objectives import Objective
from tacit.query.plans.group_keys import MOST_KEYS, public_groups
from tacit.query.plans.limit import IntervalKind, Limit, Origin
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.plans.question import Question
from tacit.query.sql.rows import Ownership
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Limits

MOST_NODES = 2**25
"""Counts of all trees of a plan: some fifty octets each while noise is added to them, and nine in the ledger."""


def make_plan(
    question: Question, catalogue: Catalogue, is_gaussian: bool, interval: IntervalKind = IntervalKind.BOUNDED
) -> Plan:
    """The plan of a question; limits that are neither declared nor given by construction are chosen later.

    For guaranteed intervals none is chosen: a limit is what the most that one person can have implies, or the question
    is refused. Then no one who keeps to at_most is cut, so that the noise is the only error. A person with more is cut
    to it, as to any other limit: privacy does not depend on the declaration.
    """
    unit = catalogue.description.unit
    declared = _declared(question, catalogue)
    limits = {part: _limit(part, question, declared, is_gaussian) for part in question.parts}
    at_most = possible_norms(question, catalogue, limits, is_gaussian)
    if interval is IntervalKind.GUARANTEED:
        limits |= {part: Limit(norm, Origin.AT_MOST) for part, norm in at_most.items()}
        refuse_cuts(question, catalogue, limits)
    _refuse_many_trees(question)
    most = 1 if question.rows.ownership is not Ownership.MANY else max(declared.keys or 0, MOST_KEYS)
    plan = Plan(question, unit.relation, unit.hides, limits, most, interval, at_most)
    return plan if interval is not IntervalKind.USUAL else replace(plan, limits={**limits, **_reached(plan)})


def _reached(plan: Plan) -> dict[Part, Limit]:
    """At_most as the limit of each part whose declared one reaches it: nobody is cut, and none need be counted.

    Where one factor shrinks all totals of a person, it is that of all of them or of none.
    """
    reached = {
        part: Limit(norm, Origin.AT_MOST)
        for part, norm in plan.at_most.items()
        if (plan.limits[part].norm or -1) >= norm
    }
    joined = [] if not plan.is_joint else [part for part in plan.measures if part not in plan.apart]
    if all(part in reached for part in joined):
        return reached
    return {part: limit for part, limit in reached.items() if part not in joined}


def _refuse_many_trees(question: Question) -> None:
    """Refuses quantiles whose trees of counts, one a public group, would not fit into memory or the ledger."""
    sizes = [nodes_of(part.levels) for part in question.ranks]
    groups = len(public_groups(question.keys) or ()) if sizes else 0
    if not groups * sum(sizes) <= MOST_NODES:
        raise Refused(
            f"quantiles in {groups:,} groups",
            f"Each is read from a tree of {sum(sizes):,} counts, and all of them must fit into memory together.",
            f"at most {MOST_NODES // sum(sizes):,} groups: coarser keys, or coarser values: CAST(x / 100 AS BIGINT).",
        )


def _declared(question: Question, catalogue: Catalogue) -> Limits:
    """The limits of the table; of several, the widest, and only what all of them declare."""
    tables = [catalogue.description.tables[name].limits for name in sorted(question.rows.tables)]
    rows = [table.rows for table in tables if table.rows is not None]
    keys = [table.keys for table in tables if table.keys is not None]
    totals = {name: total for table in tables for name, total in table.totals.items()} if len(tables) == 1 else {}
    return Limits(
        max(rows) if len(rows) == len(tables) else None, max(keys) if len(keys) == len(tables) else None, totals
    )


def _limit(part: Part, question: Question, declared: Limits, is_gaussian: bool) -> Limit:
    amount, ownership = amount_of(part, question.keys, is_gaussian), question.rows.ownership
    norm = amount.constructed(ownership)
    if norm is not None:
        return Limit(norm, Origin.CONSTRUCTION)
    norm = amount.declared(declared) if ownership is Ownership.MANY else None
    return Limit(norm, Origin.FOUND if norm is None else Origin.DECLARED)


def chosen(plan: Plan, price: Price, block: FindingBlock, noisy: NDArray[np.int64]) -> Mapping[Part, Fraction]:
    """The limits of the parts that a finding block counted people for."""
    people = dict(zip(block.parts, noisy / block.unit, strict=True))
    deviation = noise_deviation(block.noise.law) / block.unit
    rows = [part for part in people if part.subject == "rows"]
    found: dict[Part, Fraction] = {part: choose(plan, price, part, people[part], deviation, None) for part in rows}
    most = max(found.values(), default=None)
    return {part: found.get(part) or choose(plan, price, part, people[part], deviation, most) for part in people}


def choose(
    plan: Plan, price: Price, part: Part, people: NDArray[np.float64], deviation: float, rows: Fraction | None
) -> Fraction:
    """The limit of one part, as a norm in its steps, from noisy numbers of people in each bin of its amount."""
    amount = chosen_amount(plan, price, part, people, deviation, rows)
    return amount_of(part, plan.question.keys, not price.is_pure).norm(amount)


def chosen_amount(
    plan: Plan, price: Price, part: Part, people: NDArray[np.float64], deviation: float, rows: Fraction | None
) -> int:
    """The same, as an amount; that of `rows` rows, each at its largest, where no count exceeds the noise."""
    amount = amount_of(part, plan.question.keys, not price.is_pure)
    bins = bins_of(people)
    many_small = MANY_SMALL_WIDE if bins is WIDE_BINS else MANY_SMALL
    aim = many_small if plan.is_selecting else amount.objective(plan, price)
    return choose_limit(bins, people, deviation, aim, laplace=price.is_pure, unseen=amount.unseen(rows))


_LARGEST = 1e18


def choose_limit(
    bins: Bins,
    noisy_counts: NDArray[np.float64],
    noise_sd: float,
    objective: Objective,
    *,
    laplace: bool = False,
    unseen: int = 1,
) -> int:
    """The limit, from 1 to `bins.most`, that serves the objective best.

    `noisy_counts` has the people of each bin with noise of standard deviation `noise_sd`, Gaussian unless `laplace`.
    Nothing but this public histogram is used, so the choice costs nothing. It stays below 32 times the least amount
    above the last bin that people were seen in; `unseen` is the limit if nobody can be seen above the noise.
    """
    counts = checked(bins, noisy_counts, noise_sd)
    otherwise = min(whole(unseen, "unseen", 1), bins.most)
    span = seen(counts[1:], noise_sd, laplace)  # an amount of 0 is not affected by a limit
    if span is None:
        return otherwise
    span = Span(span.first + 1, span.last + 1)
    limits = _candidates(bins, span)
    best = objective.best(limits, possible_tails(bins, counts, noise_sd, span))
    return min(int(limits[best]), bins.most)


def checked(bins: Bins, noisy_counts: NDArray[np.float64], noise_sd: float) -> NDArray[np.float64]:
    """The counts, if they are one finite number a bin and the noise is known."""
    counts = np.asarray(noisy_counts, dtype=np.float64)
    if not (counts.shape == (len(bins),) and bool(np.all(np.abs(counts) <= _LARGEST))):
        why = "It must have one finite number a bin."
        raise Refused("a histogram that does not fit its bins", why, f"{len(bins)} numbers within ±1e18.")
    if not 0 <= noise_sd <= _LARGEST:
        raise Refused(f"noise_sd = {noise_sd}", "It is no standard deviation.", "a number from 0 to 1e18.")
    return counts


def _candidates(bins: Bins, span: Span) -> NDArray[np.float64]:
    """The greatest amount of each bin that a tail may reach, and the geometric mean of each two neighbours."""
    tops = bins.tops()[1 : end_of_reach(bins, span)].astype(np.float64)
    return np.array(sorted({*tops.tolist(), *np.floor(np.sqrt(tops[1:] * tops[:-1])).tolist()}))
