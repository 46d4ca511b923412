"""Noise added to numbers."""

from __future__ import annotations

import numpy as np

from tacit.audit.controls.sound.subject_of import Pairs, of_additive, of_mechanism
from tacit.audit.subject import Data, Subject
from tacit.loss.families.approx import Approx
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.additive.ball_mean import BallMean
from tacit.mechanisms.additive.euclidean_laplace import EuclideanLaplace
from tacit.mechanisms.additive.gaussian import DiscreteGaussian, Gaussian
from tacit.mechanisms.additive.laplace import Laplace, TruncatedGeometric
from tacit.mechanisms.additive.staircase import Staircase
from tacit.noise.bits import Integers
from tacit.noise.grid import Grid

_OPEN, _PUBLIC = Relation.ADD_REMOVE, Relation.REPLACE
_COUNTS: Pairs = (([0, 1, 1], [0, 1]), ([1], []))
_VECTORS: Pairs = (([(1, 0, 1)], []), ([(1, 1, 1), (0, 1, 0)], [(0, 1, 0)]))
_CUBE = tuple((a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1))
_REALS = ((0.0, 1.0), (1 / 3, 2.0**-20))


def _sum(data: Data) -> int:
    return int(sum(data))


def _vector(data: Data) -> Integers:
    total: Integers = np.array(list(data), np.int64).reshape(-1, 3).sum(axis=0)
    return total


ADDITIVE: tuple[Subject, ...] = (
    of_additive("Laplace", Laplace.for_epsilon("0.5", 1, _OPEN), _COUNTS, _sum, (0, 1)),
    of_additive("Laplace, a vector", Laplace.for_epsilon(1, 3, _OPEN), _VECTORS, _vector, _CUBE),
    of_additive("Gaussian", Gaussian.for_loss(Approx(1, "1e-5"), 1, _OPEN), _COUNTS, _sum, (0, 1)),
    of_additive("Gaussian at ε = 20", Gaussian.for_loss(Approx(20, "1e-5"), 1, _OPEN), _COUNTS, _sum, (0, 1)),
    of_additive("Gaussian, a vector", Gaussian.for_loss(Gdp("0.5"), 2, _OPEN), _VECTORS, _vector, _CUBE),
    of_additive("discrete Gaussian", DiscreteGaussian.for_loss(Zcdp("0.1"), 1, _OPEN), _COUNTS, _sum, (0, 1)),
    of_mechanism("Laplace of reals", Laplace.for_reals("0.1", 1, _OPEN), _REALS),
    of_mechanism("Gaussian of reals", Gaussian.for_loss(Approx(1, "1e-5"), 1, _OPEN, grid=Grid(-20)), _REALS),
    of_mechanism("staircase", Staircase.for_epsilon(2, 5, _OPEN), ((0, 5), (3, 0))),
    of_mechanism("truncated geometric", TruncatedGeometric.for_epsilon("0.5", 3, _PUBLIC), ((0, 1), (3, 2))),
    of_mechanism("ℓ₂-Laplace", EuclideanLaplace.for_epsilon(1, 5, _OPEN, dimension=2), (((0, 0), (3, 4)),)),
    of_mechanism(
        "mean in a ball",
        BallMean.for_loss(Approx(1, "1e-5"), 1, _PUBLIC, dimension=2, people=2),
        (([(1.0, 0.0), (0.0, 9.0)], [(1.0, 0.0), (float("nan"), 0.0)]),),
    ),
)
