"""Ridge regression from noisy sums of products, with the error that the noise leaves in each coefficient.

Let A be the sums of products of features, b those with the target, E and e their noise, λ the ridge, and β the ridge
coefficients (A + λ)β = b of the exact sums. From (A + E + λ)β̂ = b + e follows, without any approximation,
β̂ − β = (A + E + λ)⁻¹(e − Eβ). The bracket is linear in independent Gaussian draws, so that its covariance is known
up to β, for which β̂ is put (delta method). The inverse is public. λ is chosen from the noisy sums so that A + E + λ is
not closer to singular than noise alone could make it; where no ridge is needed, λ = 0 and β are the least-squares
coefficients. The identity holds for a λ that depends on the noise, as this one does, with β taken at that λ.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from tacit.frozen import frozen
from tacit.learn.sums.moments import UNIT_PRODUCT, Moments

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@frozen(eq=False)
class RidgeFit:
    """Coefficients of scaled columns, the covariance of their errors from noise, and the ridge."""

    coefficients: Floats
    covariance: Floats
    ridge: float


def ridge_fit(moments: Moments, noisy: Integers, width: float) -> RidgeFit:
    """The fit from sums with noise of this standard deviation, in steps."""
    whole, noise = moments.matrix(noisy), width / UNIT_PRODUCT
    target = len(moments.design.numbers)
    features = np.delete(np.arange(moments.columns), target)
    products, with_target = whole[np.ix_(features, features)], whole[features, target]
    values, vectors = np.linalg.eigh(products)
    ridge = max(0.0, noise_norm_up(len(features), noise) - float(values[0]))
    inverse = (vectors / (values + ridge)) @ vectors.T
    found = inverse @ with_target
    spread = _noise_map(moments.places, features, target, found)
    left = inverse @ spread
    return RidgeFit(found, noise**2 * (left @ left.T), ridge)


def noise_norm_up(columns: int, noise: float) -> float:
    """About the largest spectral norm of a symmetric matrix of so many columns with independent noise."""
    return noise * (2 * sqrt(columns) + 3)


def _noise_map(places: NDArray[np.intp], features: NDArray[np.intp], target: int, found: Floats) -> Floats:
    """The matrix that makes e − Eβ̂ of the independent draws: a draw may stand in several places of E."""
    own = places[np.ix_(features, features)]
    rows, columns = np.nonzero(own >= 0)
    entries = np.concatenate([-found[columns], np.ones(len(features))])
    at = np.concatenate([rows, np.arange(len(features))])
    draws = np.concatenate([own[rows, columns], places[features, target]])
    shape = (len(features), int(places.max()) + 1)
    mapped = csr_matrix((entries, (at, draws)), shape=shape)
    used = np.unique(draws)
    return np.asarray(mapped[:, used].toarray())
