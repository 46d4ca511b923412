"""The strategy for a set of questions, rounded, with both ends of its distance from the best certified.

The lower end says that no Gaussian noise, however correlated, has less weighted error at this price.

Claim: for every r ≥ 0, opt(W) ≥ ‖W R‖_*²/Σ r_j², R = diag r, ‖·‖_* the sum of singular values. Proof: let X ⪰ 0 with
X_jj ≤ 1. Σ r_j² ≥ tr(R X R). So tr(V X⁻¹)·Σ r² ≥ tr((R X R)⁻¹ R V R)·tr(R X R) ≥ (tr (R V R)^½)², by Cauchy and
Schwarz for ⟨Y^−½ K, Y^½⟩ with Y = R X R and K = (R V R)^½. ∎ And ‖M‖_* ≥ ⟨M, U⟩/‖U‖₂ for every U: the norms are dual.

So both the scalar product and ‖U‖₂ are bounded as computed numbers (`floating_bounds`), and how r and U were found
proves nothing and needs no proof.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np

from tacit.frozen import frozen
from tacit.noise.ball import ball, up
from tacit.workload.factorisation.fixed_point import DualPoint, best_point, is_by_question
from tacit.workload.factorisation.floating_bounds import gamma, inner_product_down, largest_singular_up
from tacit.workload.factorisation.integer_strategy import IntegerStrategy, rounded_strategy
from tacit.workload.factorisation.question_matrix import QuestionMatrix

BITS = 18  # of a column's norm: rounding then adds about a part in ten thousand to the error, and sums fit a word

_ROUNDED = 2.0**-48  # more than the relative error of a root, a weight and two products
_USED = 1e-4  # of the mean singular value: smaller ones are left out, which only lowers the bound


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
    used = point.singular > _USED * point.singular.mean()
    vectors, singular = point.vectors[:, used], point.singular[used]
    if is_by_question(matrix):
        polar = vectors @ ((vectors / singular).T @ matrix)
    else:
        polar = ((matrix @ vectors) / singular) @ vectors.T
    reach = inner_product_down(matrix, polar) / (largest_singular_up(polar) * (1 + _ROUNDED))
    # the entries of `matrix` are within _ROUNDED of those of W R: ⟨·, U⟩ moves by that part of ‖M‖_F·‖U‖_F at most
    reach -= _ROUNDED * float(np.sqrt((matrix**2).sum() * (polar**2).sum())) * (1 + gamma(2 * matrix.size))
    spread = float((root * root).sum()) * (1 + gamma(len(root) + 2))
    return Fraction(max(reach, 0.0) ** 2 / spread * (1 - _ROUNDED))
