"""The table of an evaluation: measures of all rows and of each group, with their intervals and numbers of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Failed
from tacit.frozen import frozen
from tacit.learn.evaluation.class_counts import ClassCounts, MeasuredShare
from tacit.learn.evaluation.noisy_ratio import CellNoise
from tacit.learn.evaluation.score_bins import ScoreBins
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.query.aggregates.aggregate import NoisySum
from tacit.query.aggregates.clipping_bias import ClippingBias, Sign, mean_bias
from tacit.query.aggregates.moments import NoisyTotal
from tacit.query.post_noise.estimates import Estimates, Groups, Keys, OutputColumn, Rendered
from tacit.schema.kind import Key, Kind

Floats = NDArray[np.float64]

ALL = "(all)"
"""What stands for all rows in the columns of groups."""


@frozen(eq=False)
class EvaluatedCounts:
    """A released query of numbers of rows by class, bin and groups: the first two keys, and the rest."""

    groups: Groups
    bins: ScoreBins
    positive: str
    by: tuple[str, ...]

    def rendered(self, confidence: Fraction) -> Rendered:
        """The table: what is measured, of which groups, for which predicted probabilities; then numbers and rows."""
        lines, bias = self._lines(float(1 - confidence) / 2), self._sum.bias
        measured = [each for _, each, _ in lines]
        keys = [_key("measure", [each.name for each in measured])]
        keys += [_key(name, [group[place] for group, _, _ in lines]) for place, name in enumerate(self.by)]
        keys.append(_key("predicted", [each.predicted for each in measured]))
        ends = np.array([[each.value, each.low, each.high] for each in measured])
        values = Estimates(ends[:, 0], ends[:, 1], ends[:, 2])
        rows = _joined([_rows(each, cells, confidence, None) for _, each, cells in lines])
        if bias is None:
            return Rendered((*keys, OutputColumn("value", values), OutputColumn("rows", rows)))
        usual = _joined([_rows(each, cells, confidence, bias) for _, each, cells in lines])
        moved = _with_bias(values, np.array([each.most for each in measured]), bias, confidence)
        return Rendered((*keys, OutputColumn("value", moved, values), OutputColumn("rows", usual, rows)))

    @property
    def _sum(self) -> NoisySum:
        (total,) = self.groups.aggregates.values()
        if not isinstance(total, NoisyTotal):
            raise Failed
        return total.sum

    def _lines(self, miss: float) -> list[tuple[tuple[str, ...], MeasuredShare, ClassCounts]]:
        """Each measure with its group, and the cells that it is read from; all rows come first."""
        by_group, noise = self._by_group(), CellNoise(self._sum.law, self._sum.scale)
        whole = replace(noise, copies=len(by_group))
        cells = ClassCounts(np.sum(list(by_group.values()), axis=0), self.bins, whole)
        groups = [(tuple(ALL for _ in self.by), cells)]
        if self.by:
            groups += [(group, ClassCounts(counts, self.bins, noise)) for group, counts in by_group.items()]
        return [
            (group, each, cells)
            for place, (group, cells) in enumerate(groups)
            for each in cells.measures(self.positive, miss, is_by_bin=place == 0)
        ]

    def _by_group(self) -> Mapping[tuple[str, ...], Floats]:
        """The cells of each group, which are those of a class and a bin; rows without a class are in none."""
        classes, places, *groups = (column.values for column in self.groups.keys.values())
        found: dict[tuple[str, ...], Floats] = {}
        for row, (label, place) in enumerate(zip(classes, places, strict=True)):
            if isinstance(label, int) and isinstance(place, int):
                group = tuple(_text(column[row]) for column in groups)
                cells = found.setdefault(group, np.zeros((2, self.bins.count)))
                cells[label, place] = self._sum.steps[row]
        return found


def _rows(each: MeasuredShare, cells: ClassCounts, confidence: Fraction, bias: ClippingBias | None) -> Estimates:
    """The number of rows that a measure is about."""
    many, miss = float((each.rows * cells.counts).sum()), float(1 - confidence) / 2
    if bias is None:
        reach = cells.noise.reach(each.rows, miss)
        ends = many, many - reach, many + reach
    else:
        deviation = cells.noise.deviation * float(np.sqrt((each.rows**2).sum()))
        is_laplace = isinstance(cells.noise.law, DiscreteLaplace)
        added = bias.joined(np.array([many]), deviation, confidence, Sign.ADDS, laplace=is_laplace)
        ends = many + float(added[0][0]), many + float(added[1][0]), many + float(added[2][0])
    value, low, high = np.maximum(np.array(ends), 0.0)[:, None]
    return Estimates(np.round(value), np.floor(low), np.ceil(high), True)


def _with_bias(values: Estimates, most: Floats, bias: ClippingBias, confidence: Fraction) -> Estimates:
    """The intervals for all rows: rows that were cut off may be predicted better or worse than those left.

    As for means, measures of rows that were cut off deviate from those left by a part of what a measure can be; this
    is independent of the noise, so that squares add up.
    """
    _, deviation = mean_bias(bias, bias, is_positive=True)
    quantile = -NormalDist().inv_cdf(float(1 - confidence) / 2)
    with np.errstate(invalid="ignore"):
        reach = quantile * deviation * np.where(most == 1.0, 1.0, values.value)
        low = values.value - np.hypot(values.value - values.low, reach)  # nan, and so 0, where there is no value
        high = values.value + np.hypot(values.high - values.value, reach)
    if not np.isfinite(deviation):  # nothing is known of what was cut off
        return Estimates(np.full(len(most), np.nan), np.zeros(len(most)), most)
    return Estimates(values.value, np.fmax(low, 0.0), np.fmin(high, most))


def _key(name: str, texts: list[str]) -> OutputColumn:
    return OutputColumn(name, Keys(tuple(texts), Kind.TEXT))


def _joined(each: Sequence[Estimates]) -> Estimates:
    value, low, high = (np.concatenate([getattr(one, end) for one in each]) for end in ("value", "low", "high"))
    return Estimates(value, low, high, True)


def _text(value: Key | float | None) -> str:
    """A value of a group as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "NULL" if value is None else str(value)
