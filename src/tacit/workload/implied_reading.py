"""A query's aggregates read from tables: sums of combined measures, and the noise of each.

Claim: the deviation of a combination Σ mᵢ·Sᵢ of sums of different measures is √(Σ mᵢ²·Var Sᵢ). Proof: every measure has
noise of its own, independent of that of the others, and public numbers condition each measure for itself. A mean about
c is c + S/n of two such sums; moving c to c' takes (c' − c)·n off S, so that Fieller's interval from S − r·n is the
same set of means whichever centre the sums were measured about, if r counts from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacit.query.aggregates.aggregate import Measure, Part
from tacit.query.aggregates.moments import Mean
from tacit.query.post_noise.estimates import Groups
from tacit.workload.cell_share import CellShare
from tacit.workload.implied import ImpliedGroups
from tacit.workload.noisy_contrasts import NoisyTables
from tacit.workload.table_reading import ReadSum, TableReader, read_aggregate

Floats = NDArray[np.float64]


class ImpliedReading:
    """Reads the aggregates of groups; each sum of cells is computed once for all aggregates."""

    def __init__(
        self, reader: TableReader, tables: NoisyTables, identity: Callable[[Part], str], groups: ImpliedGroups
    ) -> None:
        self._reader, self._tables, self._identity, self._groups = reader, tables, identity, groups
        self._found: dict[tuple[Part, bytes], ReadSum] = {}

    @property
    def tells_cuts(self) -> bool:
        """Whether the clipping bias of each sum is known: not for several measures together whose limits cut."""
        ways = self._groups.ways.values()
        combined = [each for way in ways for each in way.sums.values() if len(each) > 1 or way.value]
        identities = {self._identity(part) for each in combined for part, _ in each}
        return all(self._tables.measures[each].masses is None for each in identities)

    def groups(self, *, is_bounded: bool) -> Groups:
        """The query's groups, every aggregate read."""
        groups = self._groups
        read = {
            name: self._share(name)
            if self._is_share(name)
            else read_aggregate(way.aggregate, self.sums(name, is_bounded=is_bounded))
            for name, way in groups.ways.items()
        }
        return Groups(groups.keys, read, groups.size)

    def sums(self, name: str, *, is_bounded: bool = True) -> dict[Part, ReadSum]:
        """The parts of an aggregate by the query's groups; of a mean of cells' own numbers, its rows alone."""
        way = self._groups.ways[name]
        if self._is_share(name):
            return {way.aggregate.parts[-1]: self._share(name).rows}
        return {
            part: _combined([(self._sum(each, name, is_bounded), times) for each, times in measures])
            for part, measures in self._groups.ways[name].sums.items()
        }

    def deviations(self, name: str) -> Floats:
        """The standard deviation of a sum.

        For a mean, that of S − (mean − c)·n, from which its interval is computed.
        """
        if self._is_share(name):
            return self._span(name) * self._share(name).deviations
        sums, aggregate = self.sums(name), self._groups.ways[name].aggregate
        first, *others = (_largest(sums[part]) for part in aggregate.parts)
        if not isinstance(aggregate, Mean):
            return np.full(self._groups.size, first)
        return np.asarray(np.hypot(first, (self.means(name) - aggregate.centre) * others[0]))

    def means(self, name: str) -> Floats:
        """The means that are read, in steps, within their bounds: halfway where there are no rows."""
        mean = self._mean(name)
        if self._is_share(name):
            return mean.low + self._span(name) * self._share(name).shares
        sums = self.sums(name)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = mean.centre + sums[mean.total].steps / sums[mean.rows].steps
        return np.clip(np.nan_to_num(found, nan=(mean.low + mean.high) / 2), mean.low, mean.high)

    def rows_deviation(self, name: str) -> float:
        """The standard deviation of the number of rows of a mean."""
        mean = self._groups.ways[name].aggregate
        return _largest(self.sums(name)[mean.rows]) if isinstance(mean, Mean) else 0.0

    def _mean(self, name: str) -> Mean:
        mean = self._groups.ways[name].aggregate
        if not isinstance(mean, Mean):
            raise TypeError("it is not a mean")
        return mean

    def _is_share(self, name: str) -> bool:
        """Whether it is a mean of numbers that cells have themselves."""
        return name in self._groups.values and isinstance(self._groups.ways[name].aggregate, Mean)

    def _span(self, name: str) -> int:
        """The highest less the lowest value of a mean, in steps."""
        return self._mean(name).high - self._mean(name).low

    def _share(self, name: str) -> CellShare:
        """The mean as a share of the way from its lowest value to its highest."""
        mean, numbers = self._mean(name), self._groups.values[name]
        rows = (self._groups.kept[name] & ~np.isnan(numbers)).astype(np.float64)
        top = rows * np.nan_to_num((numbers - mean.low) / self._span(name))
        ((counted, _),) = self._groups.ways[name].sums[mean.rows]
        above, below, both = (self._cells(counted, weights) for weights in (top, rows, top + rows))
        step = float(mean.total.step)
        return CellShare(above, below, both, mean.low * step, mean.high * step)

    def _sum(self, part: Measure, name: str, is_bounded: bool) -> ReadSum:
        """A measure over the cells of each group that an aggregate keeps."""
        groups = self._groups
        weights = groups.kept[name].astype(np.float64)
        if name in groups.values:
            weights *= np.nan_to_num(groups.values[name])
        found = self._cells(part, weights)
        return replace(found, bias=None, raised=found.steps) if is_bounded else found

    def _cells(self, part: Measure, weights: Floats) -> ReadSum:
        """A measure over the cells of each group, with multiplicities; cached."""
        groups, key = self._groups, (part, weights.tobytes())
        if key not in self._found:
            questions = groups.cells * weights
            self._found[key] = self._reader.questions(self._identity(part), groups.attributes, questions)
        return self._found[key]


def _combined(sums: Sequence[tuple[ReadSum, int]]) -> ReadSum:
    """The sum of sums of different measures, each so many times; of one, itself."""
    (first, times), *others = sums
    if not others and times == 1:
        return first
    steps = sum((times * each.steps for each, times in sums), np.zeros(len(first.steps)))
    squares = sum(((times * each.deviations) ** 2 for each, times in sums), np.zeros(len(first.steps)))
    return ReadSum(steps, np.sqrt(squares), None, steps)


def _largest(read: ReadSum) -> float:
    return float(read.deviations.max(initial=0.0))
