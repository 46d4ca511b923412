"""The noise of tables compared with the least possible, certified, with the class that the bound holds for.

It is known for counts and sums where no unit is scaled: one row per unit, or a limit by at_most. The residual basis has
the least variance of all Gaussian noise (`optimality.tables_optimum`), and any unbiased release at this ρ at least
2ρ/(e^{2ρ} − 1) of that. For tables by levels of a hierarchy the least is certified (`levels_optimum`), under
add/remove. Each measure is held against what its own share of ρ permits, and of several the farthest is told. Values of
private keys are taken as they are shown: noise on counts is independent of the noise that chose them. Means are not
linear, and no bound of theirs is known; nor where public totals or impossible cells are: these take kinds of rows away.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isfinite, prod

import numpy as np

from tacit.loss.families.loss import Loss, Relation
from tacit.mechanisms.least_error import NO_BOUND, LeastVariance
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.aggregate import Aggregate, Measure
from tacit.query.aggregates.moments import Total
from tacit.query.plans.limit import IntervalKind
from tacit.workload.helmert import squared_norms
from tacit.workload.known_cells import known_cells
from tacit.workload.levels_optimum import levels_optimum_down
from tacit.workload.noisy_contrasts import NoisyTables
from tacit.workload.optimality.reached_bounds import reaches_its_bounds
from tacit.workload.optimality.tables_optimum import tables_optimum_down
from tacit.workload.optimality.unbiased import MOST_RHO, least_unbiased
from tacit.workload.residual_basis import Attributes, ResidualStrategy, Weighting, subsets
from tacit.workload.table_estimates import TableLaw
from tacit.workload.tables_plan import TablesPlan

_FLOATS = 1 + 2.0**-30  # more than the rounding error of sums of floats


def objective_variance(strategy: ResidualStrategy, weighting: Weighting, variance: Fraction) -> float:
    """The weighted sum of all cells' variances, of the multipliers as they are rounded; a little more.

    The cells of a residual together have Σ_r variance/(c_r²·‖r‖²); a table spreads it evenly over what it adds. Over
    levels of a hierarchy cells differ, and each has its variance.
    """
    if strategy.tree.places:
        law, weigh = TableLaw(strategy, variance, Fraction(1)), weighting.of
        tables = strategy.tables
        return _FLOATS * sum(float(weigh(strategy.shape(each))) * float(law.variances(each).sum()) for each in tables)
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


def optimality_words(plan: TablesPlan, tables: NoisyTables, charge: Loss) -> str:
    """The sentences about the noise of tables: of the counts and sums of which a bound is known, and of the others."""
    if plan.structure.impossible or any(known_cells(plan, tables).values()):
        return NO_BOUND
    question = plan.base.question
    compared = {
        name: _compared(plan, each, tables, charge) if reaches_its_bounds(question, name) else None
        for name, each in question.aggregates.items()
    }
    known = [found for found in compared.values() if found is not None]
    if not known:
        return NO_BOUND
    least, ours = max(known, key=lambda each: each[0].variance_factor_up(each[1]))  # a bound for it holds for all
    over = f" over all {plan.weighting.value}"
    if len(known) == len(compared):
        return least.words(ours, over)
    named, lacking = (", ".join(name for name in compared if (compared[name] is None) is no) for no in (False, True))
    return f"{least.words(ours, f' of {named}{over}')} No bound is known of {lacking}."


def _compared(
    plan: TablesPlan, aggregate: Aggregate, tables: NoisyTables, charge: Loss
) -> tuple[LeastVariance, Fraction] | None:
    """The least variance of a count or sum over all tables that show it, and the one that it has."""
    if not (isinstance(aggregate, Total) and isinstance(aggregate.part, Measure) and _cuts_nobody(plan, tables)):
        return None
    measured = tables.measures[plan.base.identity(aggregate.part)]
    strategy = measured.strategy
    weights = {table: plan.weighting.of(strategy.shape(table)) for table in strategy.tables}
    optimum = _optimum_down(strategy, weights, is_replaced=plan.relation is Relation.REPLACE)
    rho, noise = tables.strength / 2, RoundedGaussian(measured.variance).mean_square_up / measured.scale**2
    ours = objective_variance(strategy, plan.weighting, noise)
    if not (optimum * measured.norm > 0 and measured.scale.denominator == 1 and rho <= MOST_RHO and isfinite(ours)):
        return None
    cells = "cells of the values shown" if plan.private else "cells"
    return least_unbiased(optimum * measured.norm**2, rho, of=cells, charge=charge), Fraction(ours)


def _optimum_down(strategy: ResidualStrategy, weights: Mapping[Attributes, Fraction], *, is_replaced: bool) -> Fraction:
    """The least weighted variance of Gaussian noise, at most; 0 where nothing is known of it."""
    if not strategy.tree.places:
        return tables_optimum_down(strategy.sizes, weights, is_replaced=is_replaced)
    sizes = dict(enumerate(strategy.sizes))
    return Fraction(0) if is_replaced else levels_optimum_down(strategy.tree, sizes, weights) or Fraction(0)


def _cuts_nobody(plan: TablesPlan, tables: NoisyTables) -> bool:
    """Whether no unit within at_most is scaled; one measure would scale all others.

    Proof, where people have several rows: within the limit a person's units add up to at most `RADIUS`, none being
    negative; so the exact form is at most `RADIUS`² times its sum, by the triangle inequality, and so is what rounding
    its coefficients up adds to it, for no margin has a norm above `RADIUS`.
    """
    if not plan.is_scaled:
        return True
    kinds = {tables.measures[plan.base.identity(part)].kind for part in plan.measures}
    return kinds == {IntervalKind.GUARANTEED.value} and all(part.least >= 0 for part in plan.measures)
