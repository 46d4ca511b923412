"""The amount that one person has in a part: what is binned where a limit must be found, and the norm it stands for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Generic, TypeVar

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Measure, Part, Ranks
from tacit.query.bounding.objectives import ManyKeys, Objective
from tacit.query.plans.group_keys import KeyColumn
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.sql.rows import Ownership, Rows
from tacit.schema.description import AtMost, Limits

MANY_SMALL = ManyKeys(Fraction(2, 5))  # of the people stay within the limit where groups are many and small
MANY_SMALL_WIDE = ManyKeys(Fraction(2, 5), is_below=True)  # the same in wide bins
FEW_ROWS = 4  # of one person, where nothing is known

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

        Claim: a person with at most `rows` of them, and totals within `totals`, has a norm within it, in any number of
        groups. Proof: over groups an ℓ₂ norm is at most the ℓ₁ norm, which is the sum over all rows.
        """

    def norm(self, amount: int) -> Fraction:
        """The norm that an amount stands for."""
        return Fraction(amount)

    @property
    def units(self) -> tuple[float, int]:
        """(factor, power): the amount that a norm stands for is factor · norm^power."""
        return 1.0, 1

    @abstractmethod
    def noise_per_norm(self, plan: Plan, price: Price) -> float:
        """The standard deviation of the noise on the answer where the limit is a norm of 1."""

    def unseen(self, rows: Fraction | None) -> int:
        """The limit where no count exceeds the noise: that of `rows` rows, each at its largest."""
        return FEW_ROWS

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
