"""An aggregate: the parts it needs counted, the same parts after the noise, and how its answer is read.

Parts are sums of measures, ranks on a grid, and distinct values. A noisy part has numbers by group, and the law of
their noise.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.slabs import AdditiveLaw
from tacit.query.aggregates.clipping_bias import ClippingBias
from tacit.query.post_noise.estimates import Noisy
from tacit.query.sql.clamp import Cut
from tacit.query.sql.fixed_point import cut_steps
from tacit.schema.kind import Kind

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Law = RoundedGaussian | DiscreteLaplace


@frozen
class ColumnSum:
    """The sum of a measure where every row counts: x − centre of a column's values, or 1 for each (centre None).

    Without a column it is 1 for each row.
    """

    column: str | None = None
    centre: int | None = None


class Summed:
    """A part that is one number per group."""

    def noisy(self, values: Integers, law: Law, scale: Fraction, bias: ClippingBias | None = None) -> NoisySum:
        """The part after the noise, from units of the law: `scale` of them are one step."""
        return NoisySum(values.astype(np.float64) / float(scale), law, scale, bias)


@frozen
class Measure(Summed):
    """One number per row, in whole steps, added up over each person's rows of a group.

    `value` is cut to the bounds that are priced, in its own SQL. Where `once` is set a person counts once in a group:
    the largest of its 0s and 1s is taken instead of the sum. `subject` is the name of its totals in a profile; `of` is
    the same in terms of a column, where that is possible.
    """

    value: Cut
    step: Fraction
    once: bool = False
    subject: str | None = None
    of: ColumnSum | None = None

    @property
    def sql(self) -> str:
        return self.value.sql

    @property
    def size(self) -> int:
        """The largest absolute value of one row."""
        return self.value.size

    @property
    def least(self) -> int:
        """The least value of one row."""
        return self.value.low

    def limited(self, norm: Fraction, is_gaussian: bool) -> tuple[str, Fraction]:
        """The quantity that a limit of this norm is stated in, by its subject, and the amount."""
        if self.subject == "rows":
            return "rows", norm
        if self.once:
            return "keys", Fraction(round(float(norm) ** 2)) if is_gaussian else norm
        return self.subject or "", norm * self.step


@frozen
class Ranks:
    """The number of rows in each cell of a public grid, from which quantiles are read.

    `sql` is a value as it is stored (see `Steps`), or NULL for rows that do not count; cell i holds the values from
    low + i·width on, the first and the last also the values beyond, by `value`.
    `column` is the one whose values they are, where every row counts. Where `edges` are given, cells are
    as many between each two of them instead, because about as many rows lie there: see `rank_grid`.
    """

    sql: str
    step: Fraction
    low: int
    width: int
    levels: int
    high: int
    column: str | None = None
    edges: tuple[int, ...] = ()
    is_float: bool = False

    def value(self, stored: str) -> Cut:
        """A stored value that is not NULL in steps, within the grid."""
        return cut_steps(stored, self.step, self.low, self.high, self.low, is_float=self.is_float)

    @property
    def counts_in_a_rank(self) -> float:
        """The number of noisy counts whose sum is about as uncertain as the rank of a median read from all of them."""
        return 4 + 2.5 * (self.levels - 1)

    def noisy(self, values: Integers, law: Law, scale: Fraction, bias: ClippingBias | None = None) -> NoisyRanks:
        """The part after the noise, from units of the law: `scale` of them are one row."""
        return NoisyRanks(values, law, scale, self.levels, bias)

    @property
    def subject(self) -> str:
        """The name of people's norms on an even grid in a profile."""
        return f"ranks {self.column}"

    def row_norm(self, is_gaussian: bool) -> Fraction:
        """The norm of one row over all levels of the tree: the root of their number, or their number for Laplace."""
        return root_up(self.levels) if is_gaussian else Fraction(self.levels)

    def limited(self, norm: Fraction, is_gaussian: bool) -> tuple[str, Fraction]:
        """What a limit of this norm is counted in, and how much of it."""
        return "rows of one value" if self.edges else "rows", norm / self.row_norm(is_gaussian)


@frozen
class Distinct(Summed):
    """How many different values a group has; `sql` is a value, NULL for rows that do not count."""

    sql: str

    @property
    def subject(self) -> str:
        """The subject for a profile, though no profile counts values."""
        return "values"

    @property
    def step(self) -> Fraction:
        return Fraction(1)

    @property
    def least(self) -> int:
        return 0

    def limited(self, norm: Fraction, is_gaussian: bool) -> tuple[str, Fraction]:
        """What a limit of this norm is counted in, and how much of it."""
        return "different values", norm


Part: TypeAlias = Measure | Ranks | Distinct

_ROOT_STEPS = 1024  # the resolution of the root of a number of keys


def root_up(number: int) -> Fraction:
    """√n, rounded up a little."""
    return Fraction(ceil(isqrt(number * _ROOT_STEPS**2 - 1) + 1), _ROOT_STEPS) if number > 1 else Fraction(1)


@frozen(eq=False)
class NoisySum:
    """A noisy sum in each group, in steps of its measure; one step is `scale` units of the noise's law.

    `bias` is the clipping bias of its limit, where intervals include it.
    """

    steps: Floats
    law: Law
    scale: Fraction
    bias: ClippingBias | None = None

    def reach(self, confidence: Fraction) -> float:
        """The error of one of them in steps, with this confidence: the exact quantile of the noise."""
        return spread(self.law, confidence) / float(self.scale)

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise, in steps."""
        return noise_deviation(self.law) / float(self.scale)


def noise_deviation(law: Law) -> float:
    """The standard deviation of a law, up to the rounding of a large one."""
    return law.width if isinstance(law, RoundedGaussian) else float(law.scale) * 2**0.5


@lru_cache(maxsize=256)
def spread(law: AdditiveLaw, confidence: Fraction) -> int:
    """The exact quantile of the noise."""
    return law.spread(confidence)


@frozen(eq=False)
class NoisyRanks:
    """A tree of noisy counts for each group, the coarsest level first; a row counts `scale` units of the law."""

    counts: Integers  # groups × nodes
    law: Law
    scale: Fraction
    levels: int
    bias: ClippingBias | None = None


NoisyParts: TypeAlias = Mapping[Part, NoisySum | NoisyRanks]


class Aggregate(ABC):
    """One aggregate of a query. Subclasses are frozen dataclasses; they hold no data."""

    kind: Kind = Kind.FLOAT
    """FLOAT for any number; a time is counted in the noisy parts as a number."""

    @property
    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """The parts to count below the noise; equal parts of several aggregates are counted once."""

    @abstractmethod
    def read(self, noisy: NoisyParts) -> Noisy:
        """The aggregate after the noise: post-processing."""

    @abstractmethod
    def describe(self) -> str:
        """Its meaning in words, where SQL does not show it; otherwise empty."""
