"""Proven error bounds for sums of products in double precision: norms and products with directed rounding.

For a sum of n products of doubles, in any order and with or without fused operations, the computed number is within
γ_n·Σ|a_i||b_i| of the exact one, γ_n = n·u/(1 − n·u), u = 2^−53 (Higham, "Accuracy and stability", 3.1; no product here
is anywhere near underflow). So fl(A·B) is within γ_n‖A‖·‖B‖ of A·B in the norm of Frobenius, by Cauchy and Schwarz.
Libraries that multiply matrices by fewer products than that (Strassen) would need a wider bound; BLAS does not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROUNDED = 2.0**-48
"""More than the relative error of a root, a weight and two products."""

_UNIT = 2.0**-53
_SCALAR = 1 + 2.0**-40  # more than the rounding error of a few operations
_USED = 1e-4  # of the mean singular value: smaller ones are left out, which only lowers the bound
_OTHER = 2.0**-900  # more than the underflow error in sums of 2^24 products


def gamma(terms: int) -> float:
    """γ_n, a little more."""
    return terms * _UNIT / (1 - terms * _UNIT) * _SCALAR


def norm_up(matrix: Floats) -> float:
    """The norm of Frobenius, rounded up."""
    return float(np.sqrt((matrix * matrix).sum())) * (1 + gamma(matrix.size + 2)) * _SCALAR + _OTHER


def product_error_up(left: Floats, right: Floats) -> float:
    """The largest error of a product of two matrices, in the norm of Frobenius."""
    return gamma(left.shape[1]) * norm_up(left) * norm_up(right) * _SCALAR


def residual_up(left: Floats, right: Floats) -> float:
    """‖I − left·right‖, rounded up."""
    product = left @ right
    error = product_error_up(left, right)
    product[np.diag_indices_from(product)] -= 1.0  # rounded once: within u of the entry
    return (norm_up(product) * (1 + 2 * _UNIT) + error) * _SCALAR


def largest_singular_up(matrix: Floats) -> float:
    """‖U‖₂ of a matrix whose singular values are about 1 or 0, rounded up.

    Proof: let K be symmetric, within e of U·Uᵀ. An eigenvalue λ > 1 of K has λ − 1 ≤ λ(λ − 1) ≤ ‖K² − K‖, so no
    eigenvalue of U·Uᵀ exceeds 1 + ‖K² − K‖ + e. ∎
    """
    narrow = matrix if matrix.shape[0] <= matrix.shape[1] else np.ascontiguousarray(matrix.T)
    below = np.tril(narrow @ narrow.T)
    square = below + np.tril(below, -1).T
    error = product_error_up(narrow, narrow.T)
    excess = norm_up(square @ square - square) * (1 + 2 * _UNIT) + product_error_up(square, square)
    return float(np.sqrt(1 + (excess + 2 * _UNIT * norm_up(square) + error) * _SCALAR)) * _SCALAR


def inner_product_down(first: Floats, second: Floats) -> float:
    """⟨A, B⟩, rounded down."""
    found = float((first * second).sum())
    error = gamma(first.size + 1) * norm_up(first) * norm_up(second)
    return found - (error + abs(found) * (1 - 1 / _SCALAR)) * _SCALAR


def nuclear_norm_down(matrix: Floats, singular: Floats, vectors: Floats) -> float:
    """‖M‖_*, the sum of singular values, rounded down, of any M with entries within `ROUNDED` of those of the matrix.

    `singular` and `vectors` (of its smaller side) may be anything. Proof: the norms are dual, so that ‖M‖_* ≥ ⟨M, U⟩/
    ‖U‖₂ for every U. ⟨·, U⟩ moves by `ROUNDED`·‖matrix‖·‖U‖ at most, in the norm of Frobenius. ∎
    """
    used = singular > _USED * singular.mean()
    vectors, singular = vectors[:, used], singular[used]
    if len(matrix) < len(matrix.T):
        polar = vectors @ ((vectors / singular).T @ matrix)
    else:
        polar = ((matrix @ vectors) / singular) @ vectors.T
    reach = inner_product_down(matrix, polar) / (largest_singular_up(polar) * (1 + ROUNDED))
    moved = float(np.sqrt((matrix**2).sum() * (polar**2).sum())) * (1 + gamma(2 * matrix.size))
    return reach - ROUNDED * moved
