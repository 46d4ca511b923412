"""The released numbers of groups: their values, what they estimate without a cut at 0, and their errors."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import NoisyRanks, NoisySum
from tacit.query.aggregates.moments import NoisyTotal
from tacit.query.aggregates.noise_intervals import Powers, WeightedReach
from tacit.query.post_noise.estimates import Estimates, Floats, Groups, Noisy
from tacit.query.post_noise.joint_intervals import ReleasedNumbers


@frozen(eq=False)
class Numbers:
    """Numbers of all groups, aggregate after aggregate.

    `shown` are the values of the released table. A count is never shown below 0, so that many small ones would add up
    to too much: `plain` are the same without that cut, around which intervals of sums lie. `is_positive` marks those
    that are cut.
    """

    shown: Floats
    plain: Floats
    is_positive: NDArray[np.bool_]
    errors: ReleasedNumbers


def numbers_of(groups: Groups, names: Sequence[str], confidence: Fraction, noise: Groups | None) -> Numbers:
    """The numbers of these aggregates; `noise` are the same groups with intervals of the noise alone.

    Claim: noises in different groups, and of aggregates without a common part, are independent. Proof: every noisy
    integer is an independent draw, and a part is one integer (or tree) in each group. Where an estimate is of another
    kind, such as one implied by other releases, all of its errors may depend on one another.
    """
    sets, many = _dependent(groups, names)
    level = 1 - (1 - confidence) / many
    columns = [_column(groups, name, level, noise) for name in names]
    shown, plain, positive, *ends = (np.concatenate(part) for part in zip(*columns, strict=True))
    below, above, bias_below, bias_above = ends
    errors = ReleasedNumbers(below, above, bias_below, bias_above, sets)
    return Numbers(shown, plain, positive.astype(np.bool_), errors)


def _column(groups: Groups, name: str, level: Fraction, noise: Groups | None) -> tuple[Floats, ...]:
    """The numbers of one aggregate: shown, plain, whether they are cut, and how far noise and clipping reach."""
    noisy = groups.aggregates[name]
    shown, plain = noisy.at(level), _uncut(noisy, level)
    ends = [_finite(plain.value - plain.low), _finite(plain.high - plain.value)]
    if noise is None:
        reach = [np.maximum(end, _sum_reach(noisy, level)) for end in ends]
    else:
        alone = _uncut(noise.aggregates[name], level)
        own = np.maximum(_finite((alone.high - alone.low) / 2), _sum_reach(noise.aggregates[name], level))
        reach = [np.minimum(end, own) for end in ends]
    with np.errstate(invalid="ignore"):
        biases = [_finite(np.where(np.isinf(end), np.inf, end - own)) for end, own in zip(ends, reach, strict=True)]
    is_cut = isinstance(noisy, NoisyTotal) and noisy.is_cut
    return shown.value, plain.value, np.full(groups.size, is_cut), *reach, *biases


def _uncut(noisy: Noisy, level: Fraction) -> Estimates:
    return noisy.uncut(level) if isinstance(noisy, NoisyTotal) else noisy.at(level)


def _sum_reach(noisy: Noisy, level: Fraction) -> float:
    """The reach of one noise as a part of a sum: sums of Laplace noise reach farther, in deviations, than one."""
    if not isinstance(noisy, NoisyTotal):
        return 0.0
    reach = WeightedReach(noisy.sum.law).beyond((1 - level) / 2, Powers.of(np.array([1 / float(noisy.sum.scale)])))
    return float(reach[0]) * float(noisy.step)


def _finite(errors: Floats) -> Floats:
    """Errors without those that are not known, which have no end."""
    return np.where(np.isnan(errors), np.inf, np.maximum(errors, 0.0))


def _dependent(groups: Groups, names: Sequence[str]) -> tuple[NDArray[np.int64], int]:
    """The set of each number, and the most aggregates that share one in a group."""
    parts = [_parts(groups.aggregates[name]) for name in names]
    if any(not each for each in parts):
        return np.zeros(len(names) * groups.size, np.int64), max(1, len(names) * groups.size)
    marks = list(range(len(names)))
    for place, own in enumerate(parts):
        for other in range(place):
            if own & parts[other]:
                marks = [marks[other] if mark == marks[place] else mark for mark in marks]
    order = {mark: place for place, mark in enumerate(dict.fromkeys(marks))}
    sets = [order[mark] * groups.size + np.arange(groups.size) for mark in marks]
    return np.concatenate(sets).astype(np.int64), max(marks.count(mark) for mark in marks)


def _parts(noisy: object) -> frozenset[int]:
    """The noisy parts that an aggregate is read from; none for an estimate of another kind."""
    values = getattr(noisy, "__dict__", {}).values()
    return frozenset(id(value) for value in values if isinstance(value, NoisySum | NoisyRanks))


def estimates(value: Floats, low: Floats, high: Floats, *, whole: bool) -> Estimates:
    """Estimates with ends that hold their values, of whole numbers where they are."""
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    if whole:
        return Estimates(np.round(value), np.floor(low), np.ceil(high), True)
    return Estimates(value, low, high)
