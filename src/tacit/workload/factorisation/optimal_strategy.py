"""The strategy for a set of questions, rounded, with both ends of its distance from the best certified.

The lower end says that no Gaussian noise, however correlated, has less weighted error at this price.

Claim: for every r ≥ 0, opt(W) ≥ ‖W R‖_*²/Σ r_j², R = diag r, ‖·‖_* the sum of singular values. Proof: let X ⪰ 0 with
X_jj ≤ 1. Σ r_j² ≥ tr(R X R). So tr(V X⁻¹)·Σ r² ≥ tr((R X R)⁻¹ R V R)·tr(R X R) ≥ (tr (R V R)^½)², by Cauchy and
Schwarz for ⟨Y^−½ K, Y^½⟩ with Y = R X R and K = (R V R)^½. ∎

How r was found proves nothing and needs no proof; the norm is bounded as a computed number (`floating_bounds`).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np

from tacit.frozen import frozen
from tacit.noise.ball import ball, up
from tacit.workload.factorisation.fixed_point import DualPoint, best_point
from tacit.workload.factorisation.floating_bounds import ROUNDED, gamma, nuclear_norm_down
from tacit.workload.factorisation.integer_strategy import IntegerStrategy, rounded_strategy
from tacit.workload.factorisation.question_matrix import QuestionMatrix

BITS = 18  # of a column's norm: rounding then adds about a part in ten thousand to the error, and sums fit a word


@frozen(eq=False)
class OptimalStrategy:
    """A strategy of whole numbers and a certified lower end of opt(W)."""

    strategy: IntegerStrategy
    optimum_down: Fraction

    @cached_property
    def ratio_up(self) -> float:
        """An upper bound of this strategy's error over the least weighted error of any Gaussian noise at this price."""
        if not self.optimum_down > 0:
            return float("inf")
        return up(ball(self.strategy.error_up / self.optimum_down))


def optimal_strategy(questions: QuestionMatrix) -> OptimalStrategy:
    """The best strategy for the weighted sum of variances; as near as the search comes in ten or twenty steps."""
    primal, dual = best_point(questions.weighted)
    return OptimalStrategy(rounded_strategy(questions, primal, BITS), optimum_down(questions, dual))


def optimum_down(questions: QuestionMatrix, point: DualPoint) -> Fraction:
    """The lower end of opt(W) from a point of the dual, rounded down; 0 where it gives no bound."""
    root = np.sqrt(point.diagonal)
    matrix = questions.weighted * root
    reach = nuclear_norm_down(matrix, point.singular, point.vectors)
    spread = float((root * root).sum()) * (1 + gamma(len(root) + 2))
    return Fraction(max(reach, 0.0) ** 2 / spread * (1 - ROUNDED))
