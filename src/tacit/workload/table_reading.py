"""Tables read from noisy contrasts: estimates with intervals, consistent margins, and the column for publication.

Where one table holds all others as margins, its cells are rounded to a public grid and added up: then margins are
sums of cells to the last digit. Elsewhere each table is read by itself, and they agree up to the rounding of doubles.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor, log2, prod
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.aggregate import Aggregate, Measure, NoisySum, Part
from tacit.query.aggregates.clipping_bias import LEVELS, ClippingBias, Sign
from tacit.query.aggregates.moments import Mean, Total
from tacit.query.plans.limit import IntervalKind
from tacit.query.post_noise.estimates import Estimates, Noisy
from tacit.workload.known_cells import blocks
from tacit.workload.noisy_contrasts import NoisyContrasts, NoisyTables
from tacit.workload.published import published
from tacit.workload.residual_basis import Attributes
from tacit.workload.table_estimates import KnownSum, TableEstimates

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_FINEST, _FINE = 2.0**-10, 2.0**-6  # of the grid of cells: the least step, and the part of their deviation that it is
_FEW = 3  # 4^3 cells, for whose sum that is small enough
_EXACT = 52  # bits of a sum of cells, on which doubles are exact
_LAW_BITS = 20  # of the deviation of the law that stands for the noise of a cell


@frozen(eq=False)
class ReadSum:
    """One measure over some groups: unbiased sums of the bounded question, the deviation of each, and the cut.

    `raised` are the sums plus the median clipping bias: every cell is raised by the same share.
    """

    steps: Floats
    deviations: Floats
    bias: ClippingBias | None
    raised: Floats

    def noisy_sum(self) -> NoisySum:
        """The same as a sum with one law: that of the least certain group."""
        deviation = float(self.deviations.max(initial=0.0)) or 1.0
        scale = Fraction(2) ** (_LAW_BITS - ceil(log2(deviation)))
        law = RoundedGaussian(Fraction(ceil(deviation**2 * float(scale) ** 2)))
        return NoisySum(self.steps, law, scale, self.bias)


class TableReader:
    """Reads tables, and linear questions over them, from a stored release."""

    def __init__(self, tables: NoisyTables, known: Mapping[str, tuple[KnownSum, ...]]) -> None:
        self._tables, self._known = tables, known
        self._conditioned: dict[str, TableEstimates] = {}
        self._cells: dict[tuple[str, Attributes, float], Floats] = {}
        self._published: dict[str, Integers | None] = {}

    def table(self, identity: str, attributes: Attributes, *, is_bounded: bool = False) -> ReadSum:
        """One measure by the cells of a table, in the order of its keys' values."""
        deviations = np.sqrt(self._estimates(identity).variances(attributes)).ravel()
        bias, shift = self._cut(identity, bool(attributes)) if not is_bounded else (None, 0.0)
        steps, raised = (self._values(identity, attributes, by).ravel() for by in (0.0, shift))
        return ReadSum(steps, deviations, bias, raised)

    def questions(
        self, identity: str, attributes: Attributes, questions: Floats, *, is_bounded: bool = False
    ) -> ReadSum:
        """Sums of cells of a table, a row of coefficients each: their variances are those of the joint law."""
        _, variances = self._estimates(identity).answers(attributes, questions)
        is_whole = len(questions) == 1 and bool((questions == 1).all())
        bias, shift = self._cut(identity, not is_whole) if not is_bounded else (None, 0.0)
        steps, raised = (questions @ self._values(identity, attributes, by).ravel() for by in (0.0, shift))
        return ReadSum(steps, np.sqrt(variances), bias, raised)

    def published(self, identity: str, finest: Attributes) -> Integers | None:
        """The cells for publication of the table that holds all others; None where nothing is known of the cut."""
        if identity not in self._published:  # computed once, for all tables that are its margins
            read, shape = self.table(identity, finest), self._tables.shape(finest)
            known = [places for places, _ in self.blocks(identity, finest)]
            is_unknown = read.bias is not None and read.bias.is_unknown
            self._published[identity] = None if is_unknown else published(read.raised.reshape(shape), known)
        return self._published[identity]

    def _estimates(self, identity: str) -> TableEstimates:
        """The estimates of a measure, made when it is first read."""
        if identity not in self._conditioned:
            contrasts, known = self._tables.measures[identity], self._known.get(identity)
            self._conditioned[identity] = contrasts.conditioned(known) if known else contrasts.estimates
        return self._conditioned[identity]

    def _values(self, identity: str, attributes: Attributes, shift: float) -> Floats:
        """The cells of a table, raised: sums of the largest one's on a grid, where that holds all."""
        finest, estimates = finest_of(self._tables.measures[identity]), self._estimates(identity)
        if finest is None:
            return self._settled(identity, attributes, estimates.table(attributes) * (1 + shift))
        if (identity, finest, shift) not in self._cells:
            cells = estimates.table(finest) * (1 + shift)
            grid = _grid(float(estimates.variances(finest).max(initial=0.0)) ** 0.5, cells)
            cells = np.round(cells / grid) * grid
            self._cells[identity, finest, shift] = self._settled(identity, finest, cells)
        return self._tables.tree.margin(self._cells[identity, finest, shift], finest, attributes)

    def blocks(self, identity: str, attributes: Attributes) -> list[tuple[Integers, Fraction]]:
        """Sets of cells of a table whose sums are known."""
        known = [each for each in self._known.get(identity, ()) if each.attributes == attributes]
        return blocks(known, prod(self._tables.shape(attributes)))

    def _settled(self, identity: str, attributes: Attributes, cells: Floats) -> Floats:
        """The cells with exact known sums: the rounding difference is put into one cell of each block."""
        found = cells.ravel().copy()
        for places, value in self.blocks(identity, attributes):
            if value:
                found[places[0]] += float(value) - float(found[places].sum())
            else:
                found[places] = 0.0
        return np.asarray(found.reshape(cells.shape))

    def _cut(self, identity: str, is_grouped: bool) -> tuple[ClippingBias | None, float]:
        """What the limit cut off, in steps of the sums, and its median as a part of what is left.

        Amounts are norms over tables; a person's rows are more than that where they lie in several cells. The ratio of
        sums to norms within the limit gives the mean factor, which is assumed for the amounts cut off too.
        """
        contrasts = self._tables.measures[identity]
        if contrasts.masses is None:
            return None, 0.0
        total = abs(float(contrasts.table(())))
        ratio = max(1.0, total / max(contrasts.kept, 1e-12))
        bias = ClippingBias(np.array(contrasts.masses) * ratio, contrasts.kept * ratio, is_grouped)
        if bias.is_unknown:
            return bias, 0.0
        median = float(np.interp(0.5, LEVELS, bias.masses))
        return bias, median / max(bias.kept, 1e-12)


def _grid(deviation: float, cells: Floats) -> float:
    """A step far below the noise, a power of two: sums of cells are exact, and so are a few decimals of them.

    A sum of n cells is off by √(n/12) steps for their rounding: where there are many, the step is so much smaller that
    this adds a thousandth to its variance, if it is as certain as a cell.
    """
    many = max(0, ceil(log2(max(1, cells.size)) / 2) - _FEW)
    fine = 2.0 ** (floor(log2(min(1.0, max(_FINEST, deviation * _FINE)))) - many)
    whole = float(np.abs(cells).sum())
    return max(fine, 2.0 ** (ceil(log2(whole)) - _EXACT)) if whole else fine


def finest_of(contrasts: NoisyContrasts) -> Attributes | None:
    """The table of which all others are margins, if there is one."""
    largest = max(contrasts.strategy.tables, key=len)
    return largest if all(set(table) <= set(largest) for table in contrasts.strategy.tables) else None


@frozen(eq=False)
class TableTotal:
    """A COUNT or SUM of a table: linear in the noisy contrasts, so that margins add up; it may be negative."""

    sum: ReadSum
    step: Fraction
    sign: Sign

    def at(self, confidence: Fraction) -> Estimates:
        steps, deviations, value = self.sum.steps, self.sum.deviations, self.sum.raised
        if self.sum.bias is None:
            reach = -NormalDist().inv_cdf(float(1 - confidence) / 2) * deviations
            low, high = steps - reach, steps + reach
        else:
            largest = float(deviations.max(initial=0.0)) or 1.0
            _, below, above = self.sum.bias.joined(steps, largest, confidence, self.sign, laplace=False)
            low, high = np.minimum(steps + below, value), np.maximum(steps + above, value)
            if self.sum.bias.is_unknown:
                value, low, high = value + np.nan, steps + below, steps + above
        certain = deviations == 0  # a sum of no cells, or of such as are known: nothing was cut off there
        value, low, high = (np.where(certain, steps, each) for each in (value, low, high))
        many, parts = self.step.numerator, self.step.denominator  # a quotient is the nearest double to its decimals
        return Estimates(value * many / parts, low * many / parts, high * many / parts)


def read_aggregate(aggregate: Aggregate, sums: Mapping[Part, ReadSum]) -> Noisy:
    """An aggregate of tables from the sums of its parts."""
    if isinstance(aggregate, Total) and isinstance(aggregate.part, Measure):
        sign = Sign.ADDS if aggregate.part.least >= 0 else Sign.EITHER
        return TableTotal(sums[aggregate.part], aggregate.part.step, sign)
    if not isinstance(aggregate, Mean):
        raise TypeError("tables hold counts, sums and means")
    return aggregate.read({part: sums[part].noisy_sum() for part in aggregate.parts})


def kinds_of(tables: NoisyTables) -> set[IntervalKind]:
    """The kinds of intervals of a release."""
    return {IntervalKind(each.kind) for each in tables.measures.values()}
