"""Releases of one cell without an engine: the integers that a real release would have, from people's totals.

Plan, price, limit, noise and interval are those of the library; only the SQL is done in NumPy. Under the same bits a
release here has the same noisy histogram, limit and noisy sums as one on DuckDB, which a test holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.coverage_data import Cell
from tacit.loss.calibration import budget_from
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.query.aggregates.aggregate import Measure
from tacit.query.aggregates.clipping_bias import ClippingBias
from tacit.query.bounding.amounts import amount_of
from tacit.query.bounding.histogram_sql import FindingBlock
from tacit.query.bounding.limit_choice import make_plan
from tacit.query.bounding.usual_limits import ClippedLimit, find_usual
from tacit.query.execution.program import finding, norm_of, program
from tacit.query.execution.run import with_noise
from tacit.query.lowering import tally
from tacit.query.lowering.tally import TallyBlock
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price, price_of
from tacit.query.plans.question import read_question
from tacit.query.post_noise.estimates import Estimates
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import AtMost, Column, Description, EachRow, Limits, OwnColumn, Source, Table, Unit
from tacit.schema.kind import Kind

Integers = NDArray[np.int64]
EPSILON, DELTA = Fraction(1), Fraction(1, 10**8)  # of a release
CONFIDENCE = Fraction(95, 100)
TABLE = "people"
_BUDGET = Approx(4, 100 * DELTA)
_NEAR = 1 - 1e-9  # a norm in floating point that is so near its limit is computed again in whole numbers


def described(cell: Cell, most: int | None = None, limit: int | None = None, *, is_each: bool = False) -> Description:
    """A table of people's rows: `person`, `value`, `place`; `most` is what a person can have in all, `limit` a limit.

    A sum has a row for each person and place; a count has as many as are counted. Where `is_each`, each row is a
    person.
    """
    columns = {
        "value": Column("value", Kind.INTEGER, Fraction(0), Fraction(2 ** int(cell.totals.max()).bit_length()), False),
        "place": Column("place", Kind.TEXT, nullable=False, keys=tuple(f"g{each}" for each in range(cell.groups))),
    }
    at_most, limits = AtMost(), Limits()
    if most is not None:
        at_most = AtMost(None, {"value": Fraction(most)}) if cell.is_sum else AtMost(most)
    if limit is not None:
        limits = Limits(totals={"value": Fraction(limit)}) if cell.is_sum else Limits(limit)
    source = Source("frame", Path("coverage"), TABLE)
    owner = EachRow() if is_each else OwnColumn("person")
    unit = Unit(Relation.ADD_REMOVE, "one person", None if is_each else "person")
    budget = budget_from(_BUDGET.exact_epsilon, _BUDGET.exact_delta)
    tables = {TABLE: Table(TABLE, source, columns, owner, limits, at_most)}
    return Description("coverage", Path("coverage.toml"), unit, budget, _BUDGET, tables)


def question_sql(cell: Cell) -> str:
    """The question about the cell."""
    what = "SUM(value)" if cell.is_sum else "COUNT(*)"
    return f"SELECT {what} FROM {TABLE}" if cell.groups == 1 else f"SELECT place, {what} FROM {TABLE} GROUP BY place"


@dataclass(frozen=True, eq=False)
class Counted:
    """The sums within one limit, in units of the law, and the block that they are of."""

    sums: Integers
    block: TallyBlock


@dataclass(frozen=True, eq=False)
class Model:
    """A cell with the plan and the price of its releases."""

    cell: Cell
    plan: Plan
    price: Price
    _counted: dict[Fraction, Counted] = field(default_factory=dict)

    @classmethod
    def of(cls, cell: Cell, description: Description, interval: IntervalKind = IntervalKind.USUAL) -> Model:
        catalogue = Catalogue(description)
        question = read_question(question_sql(cell), catalogue)
        price = price_of(description.budget, description.promise, EPSILON, DELTA, question.has_private_keys)
        return cls(cell, make_plan(question, catalogue, not price.is_pure, interval), price)

    @cached_property
    def part(self) -> Measure:
        (part,) = self.plan.measures
        return part

    @cached_property
    def block(self) -> FindingBlock | None:
        return finding(self.plan, self.price)

    @cached_property
    def people(self) -> Integers:
        """The number of people in each bin of their amount."""
        if self.block is None:
            raise TypeError("no limit is to be found")
        factor, _ = amount_of(self.part, self.plan.question.keys, not self.price.is_pure).units
        bins = self.block.bins
        return np.bincount(bins.index(np.floor(factor * self.cell.norms).astype(np.int64)), minlength=len(bins))

    def histogram(self, bits: Bits) -> Integers:
        """The noisy numbers of people, in units of the law."""
        if self.block is None:
            raise TypeError("no limit is to be found")
        return with_noise(self.people * self.block.unit, self.block.noise, bits)

    def clipped(self, histogram: Integers) -> ClippedLimit:
        """The limit chosen from a histogram, and its clipping bias."""
        if self.block is None:
            raise TypeError("no limit is to be found")
        return find_usual(self.plan, self.price, self.block, histogram[None])[self.part]

    @property
    def norm(self) -> Fraction:
        """The limit where it need not be found."""
        return norm_of(self.plan, self.part)

    def counted(self, norm: Fraction) -> Counted:
        """The sums within a limit, as the SQL of a tally adds them up: they are kept, for limits are few."""
        if norm not in self._counted:
            block = program(self.plan.with_limits({self.part: norm}), self.price).tally
            if block is None:
                raise TypeError("there is a sum")
            self._counted[norm] = Counted(_sums(self.cell, block), block)
        return self._counted[norm]

    def sums(self, norm: Fraction, bits: Bits, many: int = 1) -> Integers:
        """The noisy sums of so many releases, one after the other, in units of the law."""
        counted = self.counted(norm)
        return with_noise(np.tile(counted.sums, many), counted.block.noise, bits)

    def read(self, sums: Integers, norm: Fraction, bias: ClippingBias | None) -> Estimates:
        """The answers and their intervals."""
        (aggregate,) = self.plan.question.aggregates.values()
        block = self.counted(norm).block
        noisy = self.part.noisy(sums, block.noise.law, block.scalings[0].scale, bias)
        return aggregate.read({self.part: noisy}).at(CONFIDENCE)

    def release(self, bits: Bits) -> tuple[ClippedLimit, Estimates]:
        """One usual release; an interval is of the noise alone where the limit certainly cuts nothing."""
        found = self.clipped(self.histogram(bits))
        sums = self.sums(found.norm, bits)
        return found, self.read(sums, found.norm, None if found.is_sure else found.bias)

    def releases(self, bits: Bits, many: int) -> Estimates:
        """So many releases at a limit that need not be found, one after the other."""
        return self.read(self.sums(self.norm, bits, many), self.norm, None)


def most_of(cell: Cell, times: float) -> int:
    """A multiple of the most that any person has in all groups together."""
    return ceil(times * float(cell.totals.sum(axis=1).max()))


def _sums(cell: Cell, block: TallyBlock) -> Integers:
    """All people's totals, cut to the limit and scaled; over groups, shrunk where their norm is beyond the radius."""
    (scaling,) = block.scalings
    totals = cell.totals.astype(np.int64)
    scaled = (totals if block.is_joint else np.clip(totals, -scaling.cap, scaling.cap)) * scaling.times
    scaled = np.sign(scaled) * (np.abs(scaled) // scaling.over)
    if cell.groups == 1:
        return np.asarray(scaled.sum(axis=0))
    limit = block.noise.radius**2
    near = np.flatnonzero((scaled.astype(np.float64) ** 2).sum(axis=1) > limit * _NEAR)
    squares = (scaled[near].astype(object) ** 2).sum(axis=1)
    is_beyond = squares > limit
    factors = np.sqrt(limit * tally._SLACK / squares[is_beyond].astype(np.float64))
    beyond = near[is_beyond.astype(np.bool_)]
    scaled[beyond] = np.trunc(scaled[beyond] * factors[:, None]).astype(np.int64)
    return np.asarray(scaled.sum(axis=0))
