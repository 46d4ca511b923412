"""The amount of one person in a part: its bounds, its SQL, and the norm that a limit of it stands for.

An amount is a whole number: of rows, of keys, of values, or of the steps of a total or of a norm. It is what is binned
where a limit must be found.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import singledispatch
from math import ceil, sqrt
from typing import Generic, TypeVar

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Distinct, Measure, Part, Ranks, noise_deviation, root_up
from tacit.query.aggregates.aggregate_calls import VAST
from tacit.query.aggregates.quantile import Quantile
from tacit.query.bounding.objectives import ManyKeys, Objective, RankError, TotalError
from tacit.query.lowering.ranks import cells_sql, squares_sql
from tacit.query.plans.group_keys import KeyColumn
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price, noise_share
from tacit.query.sql.clamp import Cut, cut, total
from tacit.query.sql.rows import UNIT, Ownership, Rows
from tacit.schema.description import AtMost, Limits

NORM_STEPS = 4  # of an ℓ₂ norm, to one step of its measure
MANY_SMALL = ManyKeys(Fraction(2, 5))  # of the people stay within the limit where groups are many and small
_FEW_ROWS = 4  # of one person, where nothing is known

_P = TypeVar("_P", bound=Part, covariant=True)


@frozen
class Amount(ABC, Generic[_P]):
    """How much one person adds to a part, over all groups of these keys, as noise of this kind measures it."""

    part: _P
    keys: tuple[KeyColumn, ...]
    is_gaussian: bool

    @abstractmethod
    def constructed(self, ownership: Ownership) -> Fraction | None:
        """The norm that holds by construction; None where there is none."""

    @abstractmethod
    def declared(self, limits: Limits) -> Fraction | None:
        """The norm that follows from declared limits; None where these do not bound it."""

    @abstractmethod
    def possible(self, at_most: AtMost) -> Fraction | None:
        """The norm of the most that one person can have in these rows; None where that is not known.

        Claim: whoever has at most `rows` of them, and totals within `totals`, has a norm within it, in however many
        groups. Proof: over groups an ℓ₂ norm is at most the ℓ₁ norm, which is the sum over all rows.
        """

    def norm(self, amount: int) -> Fraction:
        """The norm that an amount stands for."""
        return Fraction(amount)

    def unseen(self, rows: Fraction | None) -> int:
        """The amount that counts where nobody can be seen above the noise: that of `rows` rows, each at its largest."""
        return _FEW_ROWS

    def objective(self, plan: Plan, price: Price) -> Objective:
        """What the limit is to be good for, where all groups are public."""
        return MANY_SMALL

    def profiled(self, key: str | None) -> str | None:
        """The subject that a profile has this very amount by; None where totals and rows speak of it together."""
        return self.part.subject

    def sql(self, measures: Sequence[Measure], most: int) -> str:
        """The amount of each person of `source`; no total that it is made of is more than `most`."""
        return "COUNT(*)"

    @abstractmethod
    def source(self, rows: Rows, table: str, norms: Mapping[Ranks, str]) -> str:
        """What follows FROM: `table` holds people's totals of all measures, and `norms` says which holds norms."""

    def norms(self, rows: Rows) -> Mapping[Ranks, str]:
        """The SELECT of people's norms, where the limit cuts them next."""
        return {}


class TotalAmount(Amount[Measure]):
    """The norm of a person's totals over groups; where a person counts once in a group, the number of groups."""

    @property
    def _is_squared(self) -> bool:
        """Whether groups add up in squares: the norm of n keys held once is √n then."""
        return self.is_gaussian and bool(self.keys)

    def constructed(self, ownership: Ownership) -> Fraction | None:
        if ownership is Ownership.MANY:
            return Fraction(1) if self.part.once and not self.keys else None
        is_bounded = ownership is Ownership.EACH or self.part.size < VAST  # else it is a total that nobody bounded
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
            return _FEW_ROWS
        steps = NORM_STEPS if self._is_squared else 1
        return max(1, ceil(self.part.size * (rows or _FEW_ROWS) * steps))  # a constant has no size

    def objective(self, plan: Plan, price: Price) -> Objective:
        noise = noise_share(price, plan.share("tally"), plan.relation)
        per_limit = noise_deviation(noise.law) / noise.split(len(plan.measures))
        return TotalError(per_limit, len(plan.groups or ()) or 1)

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
        return ceil(_FEW_ROWS * NORM_STEPS * self._row_norm) if self._is_by_norm else _FEW_ROWS

    def objective(self, plan: Plan, price: Price) -> Objective:
        """The error of all quantiles that are read from the tree, for a limit in steps of the norm, or else in rows."""
        noise = noise_share(price, plan.share(self.part), plan.relation)
        quantiles = (each for each in plan.question.aggregates.values() if isinstance(each, Quantile))
        shares = tuple(dict.fromkeys(each.share for each in quantiles if each.ranks == self.part))
        one = Fraction(1, NORM_STEPS) if self._is_by_norm else self._row_norm
        deviation = noise_deviation(noise.law) / noise.radius * float(one) * sqrt(self.part.counts_in_a_rank)
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
