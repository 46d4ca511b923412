"""A query's noise compared with the least possible: for a plan at a price, and for a release."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tacit.curator.query_job import Answered
from tacit.query.aggregates.aggregate import Part
from tacit.query.execution.program import Program, norm_of
from tacit.query.plans.limit import CUTTING_NOBODY, IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.workload.query_bound import PartNoise, QueryBound


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
