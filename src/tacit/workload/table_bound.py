"""How near the error of tables is to the least that is possible, certified, with the class that it holds for.

Known where nobody is scaled and one count is asked for: then the residual basis has the least variance of all Gaussian
noise (`optimality.tables_optimum`), and any unbiased release at this price is within e^{2ρ} − 1 over 2ρ of that.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np

from tacit.workload.helmert import squared_norms
from tacit.workload.noisy_contrasts import NoisyTables
from tacit.workload.optimality.least_variance import NO_BOUND
from tacit.workload.optimality.tables_optimum import tables_optimum_down
from tacit.workload.optimality.unbiased import least_unbiased
from tacit.workload.residual_basis import Attributes, ResidualStrategy, Weighting, subsets
from tacit.workload.tables_plan import TablesPlan

_FLOATS = 1 + 2.0**-30  # more than the additions of floats can be off


def objective_variance(strategy: ResidualStrategy, weighting: Weighting, variance: Fraction) -> float:
    """The weighted sum of all cells' variances, of the multipliers as they are rounded; a little more.

    The cells of a residual together have Σ_r variance/(c_r²·‖r‖²); a table spreads it evenly over what it adds.
    """
    sums: dict[Attributes, float] = {}
    for residual in strategy.scales:
        norms = squared_norms(strategy.shape(residual)).astype(np.float64)
        sums[residual] = float((1 / (strategy.multipliers(residual).astype(np.float64) ** 2 * norms)).sum())
    total = 0.0
    for table in strategy.tables:
        weight = float(weighting.of(strategy.shape(table)))
        for residual in subsets(table):
            if residual in sums:
                total += (
                    weight * sums[residual] / prod(strategy.sizes[place] for place in table if place not in residual)
                )
    return total * float(variance) * _FLOATS


def optimality_words(plan: TablesPlan, tables: NoisyTables) -> str:
    """The sentence about the error of tables, or that no bound is known."""
    measures = list(plan.measured)
    if plan.is_scaled or plan.private or len(measures) != 1 or measures[0].subject != "rows":
        return NO_BOUND
    if plan.tree.places:  # the residual basis is the best for tables without levels
        return NO_BOUND
    contrasts = tables.measures[plan.base.identity(measures[0])]
    strategy = contrasts.strategy
    weights = {table: plan.weighting.of(strategy.shape(table)) for table in strategy.tables}
    worlds = 4 if str(plan.relation) != "add/remove" else 1
    if worlds > 1:
        return NO_BOUND
    optimum = tables_optimum_down(strategy.sizes, weights)
    least = least_unbiased(optimum, tables.strength / 2)
    return least.words(Fraction(objective_variance(strategy, plan.weighting, contrasts.variance)))
