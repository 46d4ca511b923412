"""A plan of tables: the measures and keys of its tables, how much of one unit counts, and the shares of the price.

It has no data: the sizes of private keys, and limits to be found, are known only after stages of their own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import ceil, prod

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.aggregate import Measure
from tacit.query.bounding.limit_choice import make_plan
from tacit.query.plans.limit import IntervalKind, Origin
from tacit.query.plans.plan import KEYS, Plan
from tacit.query.plans.price import Price
from tacit.schema.catalogue import Catalogue
from tacit.workload.grouping_sets import TablesQuestion
from tacit.workload.key_structure import KeyStructure, key_structure
from tacit.workload.residual_basis import Attributes, ResidualStrategy, Weighting, best_strategy, is_fine
from tacit.workload.scaled_rows import TableKey
from tacit.workload.shared_scans import shared_scans
from tacit.workload.tree import LevelTree

RADIUS = 2**16  # units that one person counts for: how finely a person's cells are scaled
MOST_CELLS = 2**24  # of all tables together: some fifty octets each while they are made
_PLAIN_BITS, _SCALED_BITS = 28, 20  # of multipliers: 2^33 rows or people, of any size, add up to a word


@frozen(eq=False)
class TablesPlan:
    """Tables over one question. `base` is the plan of the question by all keys: its rows, unit, limits and kinds.

    Tables are `closed`: a table by wards is by their regions too, where both are levels among the keys.
    """

    asked: TablesQuestion
    base: Plan
    weighting: Weighting
    structure: KeyStructure

    @property
    def relation(self) -> Relation:
        return self.base.relation

    @cached_property
    def measured(self) -> Mapping[Measure, tuple[Attributes, ...]]:
        """For each measure, the tables that show it."""
        return {part: tuple(dict.fromkeys(map(self.closed, sets))) for part, sets in self.asked.measured().items()}

    @property
    def tree(self) -> LevelTree:
        """The levels of a hierarchy among the keys."""
        return self.structure.tree

    def closed(self, attributes: Attributes) -> Attributes:
        """These keys and the levels that they determine."""
        return self.tree.closed(attributes)

    def cells(self, attributes: Attributes) -> int:
        """The cells of a table by its public keys."""
        whole, keys = self.closed(attributes), self.public_keys()
        own = [key for place in self.tree.flat(whole) if (key := keys[place]) is not None]
        return self.tree.size(self.tree.depth(whole)) * prod(len(key.domain) for key in own)

    @property
    def measures(self) -> tuple[Measure, ...]:
        return tuple(self.measured)

    @cached_property
    def largest_tables(self) -> tuple[Attributes, ...]:
        """The tables that are margins of no other: together they hold every cell."""
        sets = sorted({self.closed(table.attributes) for table in self.asked.tables}, key=len, reverse=True)
        largest: list[frozenset[int]] = []
        for each in map(frozenset, sets):
            if not any(each <= other for other in largest):
                largest.append(each)
        return tuple(tuple(sorted(each)) for each in largest)

    def scans(self, keys: Sequence[TableKey | None]) -> tuple[Attributes, ...]:
        """The tables that are added up from rows, each in one pass; all others are margins of them."""
        sizes = [len(key.domain) for key in keys if key is not None]
        return shared_scans(self.largest_tables, sizes) if len(sizes) == len(keys) else self.largest_tables

    @property
    def private(self) -> tuple[int, ...]:
        """The places of keys whose values are private."""
        return tuple(place for place, key in enumerate(self.base.question.keys) if key.domain is None)

    @property
    def is_scaled(self) -> bool:
        """Whether people are scaled: elsewhere each is one row, within bounds that hold by construction."""
        return any(self.base.limits[part].origin is not Origin.CONSTRUCTION for part in self.measures)

    @property
    def binned(self) -> tuple[Measure, ...]:
        """The measures for which people are counted by amount, in an order that does not depend on the query."""
        return tuple(sorted((part for part in self.measures if part in self.base.binned), key=self.base.identity))

    def share(self, block: str) -> Fraction:
        """The share of the price of a block: "finding", "keys" (of each private key), "table" (a measure)."""
        finding = self.base.share("finding") if self.binned else Fraction(0)
        if block == "finding":
            return finding
        each = (1 - finding) / (len(self.measures) + KEYS * len(self.private))
        return each * KEYS if block == "keys" else each

    def strength(self, price: Price) -> Fraction:
        """The strength of the noise on each measure at a price."""
        return price.strength * self.share("table")

    def public_keys(self) -> tuple[TableKey | None, ...]:
        """The keys with their values; None for private ones, whose values are not chosen yet."""
        return tuple(None if key.domain is None else TableKey(key, key.domain) for key in self.base.question.keys)

    def strategies(self, keys: Sequence[TableKey]) -> Mapping[Measure, ResidualStrategy]:
        """The best strategy of each measure over the tables that show it."""
        sizes, bits = [len(key.domain) for key in keys], _SCALED_BITS if self.is_scaled else _PLAIN_BITS
        known = {
            tables: best_strategy(tables, sizes, self.weighting, bits, self.tree)
            for tables in set(self.measured.values())
        }
        return {measure: known[tables] for measure, tables in self.measured.items()}

    def law(self, measure: Measure, strategy: ResidualStrategy, price: Price) -> RoundedGaussian:
        """The noise on each contrast of a measure.

        Claim: it costs `share("table")` of the price. Proof: one person's measured vector has the squared norm
        Δ² = limit²·`squared_norm`: by construction a row is within the measure's size, and else the emitted SQL scales
        people to `RADIUS` units in the rounded form, which is `form_excess` times the exact one (`ScaledRows`). Under
        replace two people move: twice the norm. μ² is that over the variance.
        """
        if self.is_scaled:
            squared = RADIUS**2 * strategy.squared_norm * strategy.form_excess()
        else:
            squared = max(1, measure.size) ** 2 * strategy.squared_norm
        worlds = 2 if self.relation is Relation.REPLACE else 1
        return RoundedGaussian(Fraction(ceil(worlds**2 * squared / self.strength(price))))

    @cached_property
    def digest(self) -> str:
        """What the plan counts: rows that fit, unit, keys, tables, measures with their limits, and the weighting."""
        tables = {self.base.identity(part): sorted(sets) for part, sets in self.measured.items()}
        question = self.base.question
        rows = [self.base.unit, str(self.relation), question.rows.sql, question.rows.ownership.value]
        keys = [
            [key.sql, str(key.kind), key.scale, [repr(value) for value in key.domain or ()]] for key in question.keys
        ]
        most = self.base.most_keys if self.private else 0
        fitting = self.structure.conditions([key.sql for key in question.keys])
        fitting += [*self.structure.counted([key.sql for key in question.keys]).values()]
        text = json.dumps([rows, keys, most, tables, self.weighting.value, fitting], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def plan_tables(
    asked: TablesQuestion, catalogue: Catalogue, interval: IntervalKind, weighting: Weighting
) -> TablesPlan:
    """The plan of tables; refused where they are too many cells, or too large to be measured."""
    structure = key_structure(asked.question, catalogue)
    plan = TablesPlan(asked, make_plan(asked.question, catalogue, True, interval), weighting, structure)
    keys = plan.public_keys()
    for table in asked.tables:
        _refuse_repeated(plan, table.attributes)
    cells = sum(plan.cells(table.attributes) for table in asked.tables)
    if not cells <= MOST_CELLS:
        raise Refused(
            f"tables of {cells:,} cells",
            "Every combination of public keys is shown, empty ones too.",
            f"at most {MOST_CELLS:,} cells in all: coarser keys, or fewer of them together.",
        )
    known = [key for key in keys if key is not None]
    bits = _SCALED_BITS if plan.is_scaled else _PLAIN_BITS
    if len(known) == len(keys) and not all(is_fine(each, bits) for each in plan.strategies(known).values()):
        raise Refused(
            "a table of so many cells",
            "Its contrasts would be too coarse where people have several rows.",
            "coarser keys, or fewer of them in one table.",
        )
    return plan


def _refuse_repeated(plan: TablesPlan, attributes: Attributes) -> None:
    """Refuses a level without those above it, if a value (NULL) lies in several of its nodes."""
    tree, whole = plan.tree, plan.closed(attributes)
    axes = [axis for axis, place in enumerate(tree.places[: tree.depth(whole)]) if place in attributes]
    shown = [tuple(path[axis] for axis in axes) for path in tree.paths(tree.depth(whole))]
    if len(set(shown)) < len(shown):
        names = [plan.base.question.keys[place].name for place in tree.places[: tree.depth(whole)]]
        raise Refused(
            f"a table by {names[axes[-1]]} without {names[0]}",
            f"NULL of {names[axes[-1]]} lies in each of several groups of {names[0]}, which are cells of their own.",
            f"ROLLUP({', '.join(names)}) or GROUPING SETS; or nullable = false for {names[axes[-1]]}.",
        )


def most_chosen(plan: TablesPlan) -> int:
    """How many values of a private key are shown at most, so that all tables fit for every choice."""
    public = plan.public_keys()
    most = 2**10
    for table in plan.asked.tables:
        private = sum(public[place] is None for place in table.attributes)
        cells = plan.cells(table.attributes)
        room = MOST_CELLS // len(plan.asked.tables) // cells
        limit = min(room, 2 ** (_SCALED_BITS - 1) // cells if plan.is_scaled else room)
        if private:
            most = min(most, int(max(limit, 2) ** (1 / private)))
    return max(1, most - 1)  # NULL stands for the rest
