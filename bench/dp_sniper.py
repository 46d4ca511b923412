"""The mechanisms that DP-Sniper (Bichsel, Steffen, Bogunovic, Vechev 2021) was measured on, each claimed to be ε=0.1.

Vectors of answers to queries come in; neighbours differ by at most 1 in every coordinate, of a histogram in one only.
Sparse vector variants: Lyu, Su, Li (2017), algorithms 3 to 6 with one positive answer and threshold 1. Noisy maximum
and histogram: Ding et al. (2018), algorithms 7, 8, 10. The noise is of floating point, as there; except for the last,
which is about that, answers are rounded to a grid, so that only the named fault is visible.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tacit.audit.neighbours import Domain, Vectors
from tacit.audit.subject import AuditSubject, Data, Outputs
from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits

_EPSILON = 0.1
_THRESHOLD = 1.0
_BELOW, _STOPPED = -1000.0, -2000.0
_STEP = 2.0**-10

Sampled = Callable[[Any, tuple[int, int], np.random.Generator], Outputs]


@frozen(eq=False)
class Target:
    """A broken mechanism with the lower bound that DP-Sniper gave for it, from 2·10⁸ samples per side at 90%."""

    subject: AuditSubject
    published: float


def _rounded(values: Outputs) -> Outputs:
    return np.round(values / _STEP) * _STEP


def _first_above(data: Data, shape: tuple[int, int], generator: np.random.Generator, share: float, scale: float) -> Any:
    """Noisy values, which of them pass the noisy threshold, and which come after the first that does."""
    level = _THRESHOLD + generator.laplace(0, 1 / share, (shape[0], 1))
    values = data + generator.laplace(0, scale, shape)
    above = values >= level
    return values, above, np.cumsum(above, axis=1) - above > 0


def _svt3(data: Data, shape: tuple[int, int], generator: np.random.Generator) -> Outputs:
    values, above, after = _first_above(data, shape, generator, _EPSILON / 2, 2 / _EPSILON)
    return np.where(after, _STOPPED, np.where(above, _rounded(values), _BELOW))


def _svt4(data: Data, shape: tuple[int, int], generator: np.random.Generator) -> Outputs:
    _, above, after = _first_above(data, shape, generator, _EPSILON / 4, 4 / (3 * _EPSILON))
    return np.where(after, -1, above)


def _svt5(data: Data, shape: tuple[int, int], generator: np.random.Generator) -> Outputs:
    return np.asarray(data >= _THRESHOLD + generator.laplace(0, 2 / _EPSILON, (shape[0], 1)), np.int64)


def _svt6(data: Data, shape: tuple[int, int], generator: np.random.Generator) -> Outputs:
    return np.asarray(_first_above(data, shape, generator, _EPSILON / 2, 2 / _EPSILON)[1], np.int64)


def _noisy_max3(data: Data, shape: tuple[int, int], generator: np.random.Generator) -> Outputs:
    return _rounded((data + generator.laplace(0, 2 / _EPSILON, shape)).max(axis=1))


def _noisy_max4(data: Data, shape: tuple[int, int], generator: np.random.Generator) -> Outputs:
    return _rounded((data + generator.exponential(2 / _EPSILON, shape)).max(axis=1))


def _noisy_histogram2(data: Data, shape: tuple[int, int], generator: np.random.Generator) -> Outputs:
    return _rounded(data + generator.laplace(0, _EPSILON, shape))


def _float_laplace(data: Data, shape: tuple[int, int], generator: np.random.Generator) -> Outputs:
    return generator.laplace(data, 1 / _EPSILON, shape)


def _target(name: str, note: str, sampled: Sampled, domain: Domain, published: float) -> Target:
    def many(data: Data, count: int, bits: Bits) -> Outputs:
        generator = np.random.Generator(np.random.PCG64(bits.integer(64)))
        vector = np.asarray(data, np.float64)
        return sampled(vector, (count, len(vector)), generator)

    def release(data: Data, bits: Bits) -> Any:
        return many(data, 1, bits)[0]

    pairs = domain.patterns()[:1]
    subject = AuditSubject(name, Pure("0.1"), Relation.ADD_REMOVE, release, pairs, many=many, note=note, domain=domain)
    return Target(subject, published)


_TEN, _FIVE = Vectors(-10, 10, (10, 10)), Vectors(-10, 10, (5, 5))

DP_SNIPER = (
    _target("SVT3", "Releases the noisy value that was compared.", _svt3, _TEN, 0.1716),
    _target("SVT4", "The queries' noise is too small by a factor of 2.", _svt4, _TEN, 0.1687),
    _target("SVT5", "The queries have no noise.", _svt5, _TEN, 1.7612),
    _target("SVT6", "Never stops.", _svt6, _TEN, 0.2720),
    _target("NoisyHist2", "Scale ε instead of 1/ε.", _noisy_histogram2, Vectors(0, 10, (5, 5), False, True), 4.602),
    _target("ReportNoisyMax3", "Releases the largest noisy value.", _noisy_max3, _FIVE, 0.2478),
    _target("ReportNoisyMax4", "The same with exponential noise.", _noisy_max4, _FIVE, 0.3463),
    _target("ReportNoisyMax3 of 10", "The same of ten queries, not five.", _noisy_max3, _TEN, 0.2478),
    _target("float Laplace", "The noise has floating-point holes.", _float_laplace, Vectors(-10, 10, (1, 1)), 0.2521),
)
