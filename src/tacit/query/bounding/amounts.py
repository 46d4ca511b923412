"""The amount of one person in a part: its bounds, its SQL, and the norm that a limit of it stands for.

An amount is a whole number: of rows, of keys, of values, or of the steps of a total or of a norm. It is what is binned
where a limit must be found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import singledispatch
from math import ceil, sqrt

from tacit.query.aggregates.aggregate import Distinct, Measure, Part, Ranks, noise_deviation, root_up
from tacit.query.aggregates.aggregate_calls import VAST
from tacit.query.aggregates.quantile import Quantile
from tacit.query.bounding.amount import FEW_ROWS, Amount
from tacit.query.bounding.objectives import Objective, RankError, TotalError
from tacit.query.lowering.ranks import cells_sql, squares_sql
from tacit.query.plans.group_keys import KeyColumn
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price, noise_share
from tacit.query.sql.clamp import Cut, cut, total
from tacit.query.sql.rows import UNIT, Ownership, Rows
from tacit.schema.description import AtMost, Limits

NORM_STEPS = 4  # of an ℓ₂ norm, to one step of its measure


class TotalAmount(Amount[Measure]):
    """The norm of a person's totals over groups; where a person counts once in a group, the number of groups."""

    @property
    def _is_squared(self) -> bool:
        """Whether groups add up in squares: the norm of n keys held once is √n then."""
        return self.is_gaussian and bool(self.keys)

    def constructed(self, ownership: Ownership) -> Fraction | None:
        if ownership is Ownership.MANY:
            return Fraction(1) if self.part.once and not self.keys else None
        is_bounded = ownership is Ownership.EACH or self.part.size < VAST  # otherwise its total has no bound
        return Fraction(self.part.size) if is_bounded else None

    def declared(self, limits: Limits) -> Fraction | None:
        part, held = self.part, limits.keys or limits.rows
        if part.once:
            return None if held is None else (root_up(held) if self.is_gaussian else Fraction(held))
        if part.subject is not None and part.subject.startswith("total "):
            declared = limits.totals.get(part.subject.removeprefix("total "))
            if declared is not None:
                return max(Fraction(1), declared / part.step)
        return None if limits.rows is None or part.size >= VAST else Fraction(limits.rows * max(1, part.size))

    def possible(self, at_most: AtMost) -> Fraction | None:
        part, rows = self.part, at_most.rows
        if part.once:  # in a group it is 0 or 1, and a group has a row
            return None if rows is None else (root_up(rows) if self._is_squared else Fraction(rows))
        known = [] if rows is None or part.size >= VAST else [Fraction(rows * part.size)]
        if part.subject is not None and part.subject.startswith("total "):
            total = at_most.totals.get(part.subject.removeprefix("total "))
            known += [] if total is None else [total / part.step]
        return max(Fraction(1), min(known)) if known else None

    def norm(self, amount: int) -> Fraction:
        if not self._is_squared:
            return Fraction(amount)
        return root_up(amount) if self.part.once else max(Fraction(1), Fraction(amount, NORM_STEPS))

    def unseen(self, rows: Fraction | None) -> int:
        if self.part.once or self.part.subject == "rows":
            return FEW_ROWS
        steps = NORM_STEPS if self._is_squared else 1
        return max(1, ceil(self.part.size * (rows or FEW_ROWS) * steps))  # a constant has no size

    @property
    def units(self) -> tuple[float, int]:
        if not self._is_squared:
            return 1.0, 1
        return (1.0, 2) if self.part.once else (float(NORM_STEPS), 1)

    def noise_per_norm(self, plan: Plan, price: Price) -> float:
        noise = noise_share(price, plan.share("tally"), plan.relation)
        return noise_deviation(noise.law) / noise.split(len(plan.measures))

    def objective(self, plan: Plan, price: Price) -> Objective:
        return TotalError(self.noise_per_norm(plan, price), len(plan.groups or ()) or 1)

    def profiled(self, key: str | None) -> str | None:
        return f"keys {key}" if self.part.once else None

    def sql(self, measures: Sequence[Measure], most: int) -> str:
        if self.part.once:
            return super().sql(measures, most)
        return norm_sql(cut(f"v{list(measures).index(self.part)}", -most, most), self._is_squared)

    def source(self, rows: Rows, table: str, norms: Mapping[Ranks, str]) -> str:
        return f"{table} GROUP BY {UNIT}"


class RankAmount(Amount[Ranks]):
    """The number of a person's rows; on an even grid, under Gaussian noise, the norm of their counts in the tree."""

    @property
    def _is_by_norm(self) -> bool:
        """Whether the norm is more than a number of rows."""
        return self.is_gaussian and bool(self.part.edges)

    @property
    def _row_norm(self) -> Fraction:
        return self.part.row_norm(self.is_gaussian)

    def constructed(self, ownership: Ownership) -> Fraction | None:
        return None if ownership is Ownership.MANY else self._row_norm

    def declared(self, limits: Limits) -> Fraction | None:
        return None if limits.rows is None else limits.rows * self._row_norm

    def possible(self, at_most: AtMost) -> Fraction | None:
        return None if at_most.rows is None else at_most.rows * self._row_norm

    def norm(self, amount: int) -> Fraction:
        return Fraction(amount, NORM_STEPS) if self._is_by_norm else amount * self._row_norm

    def unseen(self, rows: Fraction | None) -> int:
        return ceil(FEW_ROWS * NORM_STEPS * self._row_norm) if self._is_by_norm else FEW_ROWS

    @property
    def units(self) -> tuple[float, int]:
        return (float(NORM_STEPS) if self._is_by_norm else 1 / float(self._row_norm)), 1

    def noise_per_norm(self, plan: Plan, price: Price) -> float:
        noise = noise_share(price, plan.share(self.part), plan.relation)
        return noise_deviation(noise.law) / noise.radius * sqrt(self.part.counts_in_a_rank)

    def objective(self, plan: Plan, price: Price) -> Objective:
        """The error of all quantiles that are read from the tree, for a limit in steps of the norm, or else in rows."""
        quantiles = (each for each in plan.question.aggregates.values() if isinstance(each, Quantile))
        shares = tuple(dict.fromkeys(each.share for each in quantiles if each.ranks == self.part))
        one = Fraction(1, NORM_STEPS) if self._is_by_norm else self._row_norm
        deviation = self.noise_per_norm(plan, price) * float(one)
        steps = NORM_STEPS if self._is_by_norm else None
        return RankError(deviation, shares, len(plan.groups or ()) or 1, self.part.levels, steps)

    def profiled(self, key: str | None) -> str | None:
        return self.part.subject if self.part.edges else "rows"

    def sql(self, measures: Sequence[Measure], most: int) -> str:
        return root_sql("squares") if self._is_by_norm else super().sql(measures, most)

    def source(self, rows: Rows, table: str, norms: Mapping[Ranks, str]) -> str:
        if self._is_by_norm:
            return norms[self.part]
        return f'({cells_sql(rows, self.keys, self.part)}) AS "__counted" GROUP BY {UNIT}'

    def norms(self, rows: Rows) -> Mapping[Ranks, str]:
        return {self.part: squares_sql(rows, self.keys, self.part)} if self._is_by_norm else {}


class ValueAmount(Amount[Distinct]):
    """The number of a person's different values, in all groups together."""

    def constructed(self, ownership: Ownership) -> Fraction | None:
        return None if ownership is Ownership.MANY else Fraction(1)

    def declared(self, limits: Limits) -> Fraction | None:
        most = limits.keys or limits.rows
        return None if most is None else Fraction(most)

    def possible(self, at_most: AtMost) -> Fraction | None:
        return None if at_most.rows is None else Fraction(at_most.rows)

    def noise_per_norm(self, plan: Plan, price: Price) -> float:
        noise = noise_share(price, plan.share(self.part), plan.relation)
        return noise_deviation(noise.law) / noise.radius

    def source(self, rows: Rows, table: str, norms: Mapping[Ranks, str]) -> str:
        listed = ", ".join([UNIT, *(f"{key.sql} AS k{place}" for place, key in enumerate(self.keys))])
        valued = f"{listed}, {self.part.sql} AS value"
        read = f'(SELECT {valued} FROM ({rows.under(valued)}) AS "__rows") AS "__valued"'
        return f'(SELECT DISTINCT * FROM {read} WHERE value IS NOT NULL) AS "__counted" GROUP BY {UNIT}'


@singledispatch
def amount_of(part: Part, keys: tuple[KeyColumn, ...], is_gaussian: bool) -> Amount[Part]:
    """The amount of a person in this part."""
    raise TypeError(f"{type(part).__name__} is no part")


amount_of.register(Measure, TotalAmount)
amount_of.register(Ranks, RankAmount)
amount_of.register(Distinct, ValueAmount)


def norm_sql(value: Cut, is_squared: bool) -> str:
    """The norm of a person's totals over groups: ℓ₁ as a whole number, or ℓ₂ in quarters, rounded down."""
    return root_sql(total(value.squared())) if is_squared else total(value.absolute())


def root_sql(squares: str) -> str:
    """The root of a sum of squares, in quarters, rounded down."""
    return f"CAST(floor({NORM_STEPS}.0 * sqrt(CAST({squares} AS DOUBLE))) AS HUGEINT)"
