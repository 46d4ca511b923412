"""A certified lower end of opt(W): no Gaussian noise, however correlated, has less weighted error at this price.

Claim: for every r ≥ 0, opt(W) ≥ ‖W R‖_*²/Σ r_j², R = diag r, ‖·‖_* the sum of singular values. Proof: let X ⪰ 0 with
X_jj ≤ 1. Σ r_j² ≥ tr(R X R). So tr(V X⁻¹)·Σ r² ≥ tr((R X R)⁻¹ R V R)·tr(R X R) ≥ (tr (R V R)^½)², by Cauchy and
Schwarz for ⟨Y^−½ K, Y^½⟩ with Y = R X R and K = (R V R)^½. ∎ And ‖M‖_* ≥ ⟨M, U⟩/‖U‖₂ for every U: the norms are dual.

So both the scalar product and ‖U‖₂ are bounded as computed numbers (`floating_bounds`), and how r and U were found
proves nothing and needs no proof.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.workload.factorisation.fixed_point import DualPoint, is_by_question
from tacit.workload.factorisation.floating_bounds import gamma, inner_product_down, largest_singular_up
from tacit.workload.factorisation.question_matrix import QuestionMatrix

_ROUNDED = 2.0**-48  # more than a root, a weight and two products are off by, as a part of an entry
_USED = 1e-4  # of the mean singular value: smaller ones are left out, which only lowers the bound


def optimum_down(questions: QuestionMatrix, point: DualPoint) -> Fraction:
    """The lower end of opt(W) that a point of the dual gives, rounded down; 0 where it proves nothing."""
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
