"""The limit of a person's norm over stacked tables, and its clipping bias: from one noisy histogram of people.

An amount is a person's norm over all tables of a measure, where one row of size 1 has 1. The limit is the one at which
the tables' intervals, which join noise and cut, are narrowest on the whole; each table counts alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import exp, prod, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.query.aggregates.aggregate import Measure
from tacit.query.aggregates.clipping_bias import LEVELS, PART, UNEVEN, ClippingBias
from tacit.query.bounding.amount_histogram import seen
from tacit.query.bounding.histogram_sql import WIDE_BINS
from tacit.query.bounding.objectives import EVENNESS
from tacit.query.bounding.tail_posterior import CHOICE, TailPosterior, tail_posterior, weighted_quantiles
from tacit.query.bounding.usual_limits import NEAR
from tacit.query.plans.price import Price
from tacit.workload.residual_basis import Attributes, ResidualStrategy, subsets
from tacit.workload.table_estimates import TableLaw
from tacit.workload.tables_plan import TablesPlan

Floats = NDArray[np.float64]

STEPS = 4  # of an amount, to one step of its measure (or `over` of them)
_UNSEEN = 4  # rows of a person that count where no count exceeds the noise
_SPREAD = 1.5  # rows of a person to one of the norm over tables, about, where rows lie in several cells
_NOTHING: Floats = np.zeros(len(LEVELS))
_ROW_BITS = 22  # of a row's size in units: larger steps are counted in coarser units


@frozen(eq=False)
class TableLimit:
    """A limit of a person's norm, in steps of the measure, and the posterior of what it cuts off at `LEVELS`.

    `masses` are infinite where no count exceeds the noise, and None where the limit cuts no one; `kept` is the total
    within it.
    """

    norm: Fraction
    masses: Floats | None
    kept: float


def coarse(measure: Measure) -> int:
    """Steps of a measure in a unit in which amounts are counted."""
    return max(1, measure.size >> _ROW_BITS)


def unit_variance(strategy: ResidualStrategy, table: Attributes) -> float:
    """The mean variance of the cells of a table, relative to that of the noise on a contrast of norm β."""
    if strategy.tree.depth(table):
        return float(TableLaw(strategy, Fraction(1), Fraction(1)).variances(table).mean())
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
    found = {
        measure: _found(plan, strategies[measure], measure, price, people[measure], deviation)
        if measure in people
        else known_limit(plan, measure)
        for measure in plan.measures
    }
    return _scaled_together(found)


def _scaled_together(found: Mapping[Measure, TableLimit]) -> Mapping[Measure, TableLimit]:
    """One factor scales all totals of a person, so a limit on one measure cuts all of them in part."""
    cut = [ClippingBias(limit.masses, limit.kept, True) for limit in found.values() if limit.masses is not None]
    if not cut:
        return found
    joined = {}
    for measure, limit in found.items():
        masses, kept = (_NOTHING if limit.masses is None else limit.masses), limit.kept or 1.0
        bias = ClippingBias(masses, kept, True)
        for other in cut:
            bias = bias.with_part_of(other)
        joined[measure] = TableLimit(limit.norm, bias.masses, kept)
    return joined


def known_limit(plan: TablesPlan, measure: Measure) -> TableLimit:
    """The limit of a measure that is declared, or that holds by construction."""
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
    """The limit, as an amount, at which the geometric mean of the tables' widths is least.

    A cell has roughly its part of the clipping bias (`ClippingBias`): its interval includes the uncertainty of the
    whole bias and of the cell's part.
    """
    nodes = posterior.nodes
    quantiles = weighted_quantiles(
        posterior.masses, posterior.weights, np.array([(1 - CHOICE) / 2, 0.5, (1 + CHOICE) / 2])
    )
    across = NormalDist().inv_cdf((1 + CHOICE) / 2)
    uneven = exp(PART + UNEVEN * across) - exp(PART - UNEVEN * across)
    logs = np.zeros(len(nodes))
    for table in strategy.tables:
        groups = prod(strategy.shape(table))
        noise = 2 * across * noise_per_norm(plan, strategy, table, price) * nodes
        unknown = quantiles[2] - quantiles[0] + (uneven * quantiles[1] if groups > 1 else 0.0)
        logs += np.log(np.maximum(np.hypot(noise, _SPREAD * unknown * groups**-EVENNESS), 1e-300))
    best = int(np.argmin(np.where(nodes >= STEPS, logs, np.inf)))
    return max(STEPS, int(nodes[best]))
