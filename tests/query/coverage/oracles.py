"""Oracles: intervals that use the truth, so that only the noise is uncertain."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from tests.query.coverage.releases import CONFIDENCE, Exact, Floats

from tacit.loss.families.loss import Relation
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.statistics.noise_intervals import reach
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.aggregate import Aggregate, Law, Measure
from tacit.query.aggregates.moments import Mean, Total
from tacit.query.aggregates.variance import Variance


def truth_and_width(exact: Exact, aggregate: Aggregate) -> tuple[Floats, Floats]:
    """The exact value in each group, and the width of the oracle's interval."""
    if isinstance(aggregate, Mean):
        return true_mean(exact, aggregate), mean_oracle(exact, aggregate)
    if isinstance(aggregate, Variance):
        return true_variance(exact, aggregate), variance_oracle(exact, aggregate)
    assert isinstance(aggregate, Total)
    step = float(aggregate.part.step) if isinstance(aggregate.part, Measure) else 1.0
    column = exact.column(aggregate.part)
    truth = exact.true(aggregate.part) * step
    half = column.law.spread(CONFIDENCE) / float(column.scale) * step  # the exact quantile of the noise
    return truth, half + np.minimum(half, truth)


def as_mechanism(law: Law) -> Laplace | Gaussian:
    if isinstance(law, RoundedGaussian):
        return Gaussian(Fraction(1), Relation.ADD_REMOVE, variance=law.variance)
    return Laplace(Fraction(1), Relation.ADD_REMOVE, scale=law.scale)


def exact_reach(exact: Exact, parts: Sequence[Measure], weights: Sequence[float]) -> float:
    """The quantile of |Σ weight·(noise of part, in steps)|, by the exact law of the sum."""
    columns = [exact.column(part) for part in parts]
    scaled = tuple(weight / float(column.scale) for weight, column in zip(weights, columns, strict=True))
    return reach(as_mechanism(columns[0].law), scaled, CONFIDENCE)


def true_mean(exact: Exact, mean: Mean) -> Floats:
    return (exact.true(mean.total) / exact.true(mean.rows) + mean.centre) * float(mean.total.step)


def mean_oracle(exact: Exact, mean: Mean) -> Floats:
    """The width of truth ± reach of (dS − truth·dN)/N, as far as it lies within the bounds."""
    tops, rows = exact.true(mean.total), exact.true(mean.rows)
    low, high = (float(end - mean.centre) for end in (mean.low, mean.high))
    widths = []
    for top, many in zip(tops, rows, strict=True):
        half = exact_reach(exact, (mean.total, mean.rows), (1.0, -top / many)) / many
        widths.append(min(top / many + half, high) - max(top / many - half, low))
    return np.array(widths) * float(mean.total.step)


def true_variance(exact: Exact, spec: Variance) -> Floats:
    """The variance (or its root) from the exact sums."""
    found = _population(exact, spec)
    if spec.is_sample:
        found = found * exact.true(spec.rows) / (exact.true(spec.rows) - 1)
    found = found * float(spec.total.step) ** 2
    return np.sqrt(found) if spec.is_root else found


def variance_oracle(exact: Exact, spec: Variance) -> Floats:
    """The width of the interval by the tangent at the true sums, as far as it is not negative."""
    square = float(spec.squares.step / spec.total.step**2)
    means, found = exact.true(spec.total) / exact.true(spec.rows), _population(exact, spec)
    widths = []
    for mean, value, many in zip(means, found, exact.true(spec.rows), strict=True):
        weights = (square, -2 * mean, mean**2 - value)
        half = exact_reach(exact, (spec.squares, spec.total, spec.rows), weights) / many
        ends = np.array([max(value - half, 0.0), value + half]) * float(spec.total.step) ** 2
        widths.append(float(np.diff(np.sqrt(ends) if spec.is_root else ends)[0]))
    return np.array(widths)


def _population(exact: Exact, spec: Variance) -> Floats:
    rows = exact.true(spec.rows)
    square = float(spec.squares.step / spec.total.step**2)
    return np.asarray(exact.true(spec.squares) * square / rows - (exact.true(spec.total) / rows) ** 2)
