"""The limit of a person's norm over stacked tables, and what it cuts off: from one noisy histogram of people.

An amount is a person's norm over all tables of a measure, where one row of size 1 has 1. The limit is the one at which
the tables' intervals, which join noise and cut, are narrowest on the whole; each table counts alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import prod, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.query.aggregates.aggregate import Measure
from tacit.query.aggregates.clipping_bias import LEVELS
from tacit.query.bounding.amount_histogram import seen
from tacit.query.bounding.histogram_sql import WIDE_BINS
from tacit.query.bounding.objectives import EVENNESS
from tacit.query.bounding.tail_posterior import TailPosterior, tail_posterior
from tacit.query.bounding.usual_limits import NEAR
from tacit.query.plans.price import Price
from tacit.workload.residual_basis import Attributes, ResidualStrategy, subsets
from tacit.workload.tables_plan import TablesPlan

Floats = NDArray[np.float64]

STEPS = 4  # of an amount, to one step of its measure (or `over` of them)
_UNSEEN = 4  # rows of a person that count where nobody can be seen
_ROW_BITS = 22  # of a row's size in units: larger steps are counted in coarser units


@frozen(eq=False)
class TableLimit:
    """A limit of a person's norm, in steps of the measure, and the posterior of what it cuts off at `LEVELS`.

    `masses` are infinite where nobody can be seen, and None where the limit cuts nobody; `kept` is what is left.
    """

    norm: Fraction
    masses: Floats | None
    kept: float


def coarse(measure: Measure) -> int:
    """Steps of a measure in a unit in which amounts are counted."""
    return max(1, measure.size >> _ROW_BITS)


def unit_variance(strategy: ResidualStrategy, table: Attributes) -> float:
    """The variance of a cell of a table, relative to that of the noise on a contrast of norm β."""
    found = 0.0
    for residual in subsets(table):
        if residual in strategy.scales:
            rest = prod(strategy.sizes[place] for place in table if place not in residual)
            found += float(strategy.part(residual)) / (strategy.scales[residual] * rest) ** 2
    return found


def noise_per_norm(plan: TablesPlan, strategy: ResidualStrategy, table: Attributes, price: Price) -> float:
    """The deviation of a cell's noise where the limit is a norm of 1."""
    worlds = 2 if plan.relation is Relation.REPLACE else 1
    norm = float(strategy.squared_norm * strategy.form_excess())
    return worlds * sqrt(norm * unit_variance(strategy, table) / float(plan.strength(price)))


def find_limits(
    plan: TablesPlan,
    strategies: Mapping[Measure, ResidualStrategy],
    price: Price,
    people: Mapping[Measure, Floats],
    deviation: float,
) -> Mapping[Measure, TableLimit]:
    """The limits of all measures: found for those that were binned, as declared or constructed for the others."""
    return {
        measure: _found(plan, strategies[measure], measure, price, people[measure], deviation)
        if measure in people
        else _known(plan, measure)
        for measure in plan.measures
    }


def _known(plan: TablesPlan, measure: Measure) -> TableLimit:
    norm = plan.base.limits[measure].norm
    if norm is None:
        raise TypeError("a limit is still to be found")
    return TableLimit(norm, None, 0.0)


def _found(
    plan: TablesPlan, strategy: ResidualStrategy, measure: Measure, price: Price, people: Floats, deviation: float
) -> TableLimit:
    unit = Fraction(coarse(measure), STEPS)  # steps of the measure for one of the amount
    declared, most = plan.base.limits[measure].norm, plan.base.at_most.get(measure)
    counts, edges = people[1:], WIDE_BINS.edges()[1:].astype(np.float64)
    span = seen(counts, deviation, False)
    if span is None:
        if most is not None and declared is None:
            return TableLimit(most, None, float(most))
        norm = declared or Fraction(_UNSEEN * max(1, measure.size))
        return TableLimit(norm, np.full(len(LEVELS), np.inf), float(norm))
    farthest = np.inf if most is None else float(most / unit)
    posterior = tail_posterior(edges, counts, deviation, span.first, span.last, farthest)
    norm = declared or unit * _least_wide(plan, strategy, price, posterior)
    if most is not None and declared is None and most <= NEAR * norm:
        return TableLimit(most, None, float(most))
    limit = float(norm / unit)
    middles = np.sqrt(edges * np.append(edges[1:] - 1, edges[-1]))
    kept = (np.maximum(counts, 0.0) * np.minimum(middles, limit))[: span.last + 1].sum()
    return TableLimit(norm, posterior.beyond(limit) * float(unit), max(float(kept), limit) * float(unit))


def _least_wide(plan: TablesPlan, strategy: ResidualStrategy, price: Price, posterior: TailPosterior) -> int:
    """The limit, as an amount, at which the geometric mean of the tables' widths is least."""
    logs = np.zeros(len(posterior.nodes))
    for table in strategy.tables:
        noise = noise_per_norm(plan, strategy, table, price) * posterior.nodes
        groups = prod(strategy.shape(table))
        logs += np.log(np.maximum(posterior.widths(noise, groups**-EVENNESS), 1e-300))
    best = int(np.argmin(np.where(posterior.nodes >= STEPS, logs, np.inf)))
    return max(STEPS, int(posterior.nodes[best]))
