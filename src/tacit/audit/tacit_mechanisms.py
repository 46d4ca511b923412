"""Tacit's own mechanisms as audit subjects: the claim, the release and the structure of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tacit.audit import subject as audited
from tacit.audit.subject import AuditSubject, Data, Outputs
from tacit.local.frequencies.hadamard import HadamardOracle
from tacit.local.frequencies.hashing import HashingOracle
from tacit.local.frequencies.oracle import Oracle
from tacit.local.frequencies.set_reports import SubsetOracle, UnaryOracle
from tacit.local.means.optimal_mean import one_bit
from tacit.local.randomizers.randomizer import Randomizer, WeightTable, odds_within
from tacit.local.randomizers.subset_selection import KaryResponse, SubsetSelection
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.additive.additive_mechanism import Additive
from tacit.mechanisms.additive.ball_mean import BallMean
from tacit.mechanisms.additive.euclidean_laplace import EuclideanLaplace
from tacit.mechanisms.additive.gaussian import DiscreteGaussian, Gaussian
from tacit.mechanisms.additive.laplace import Laplace, TruncatedGeometric
from tacit.mechanisms.additive.staircase import Staircase
from tacit.mechanisms.mechanism import Mechanism
from tacit.mechanisms.response.binary import Forced, OptimalResponse, Warner
from tacit.mechanisms.response.randomized_response import Kary, Response
from tacit.mechanisms.robust.inverse_median import InverseMedian
from tacit.mechanisms.robust.propose_test_release import ProposeTestRelease, stable_median
from tacit.mechanisms.robust.public_range import PublicRange
from tacit.mechanisms.robust.sample_and_aggregate import SampleAndAggregate
from tacit.mechanisms.robust.smooth_median import SmoothMedian
from tacit.mechanisms.selection.above_threshold import AboveThreshold, SparseVector
from tacit.mechanisms.selection.candidates import Exponential, NoisyMax, PermuteAndFlip
from tacit.mechanisms.selection.key_selection import KeySelection
from tacit.mechanisms.selection.stability_histogram import StabilityHistogram
from tacit.mechanisms.statistics.bounded_mean import BoundedMean
from tacit.mechanisms.statistics.bounded_sum import BoundedSum
from tacit.mechanisms.statistics.bounded_variance import BoundedVariance
from tacit.mechanisms.statistics.counts import Count, Tally
from tacit.mechanisms.statistics.histogram import Histogram
from tacit.mechanisms.statistics.quantiles import Quantiles
from tacit.noise.bits import Bits, Integers
from tacit.noise.grid import Grid

Pairs = Sequence[tuple[Data, Data]]


def of_mechanism(
    name: str,
    mechanism: Mechanism[Any, Any],
    pairs: Pairs,
    *,
    query: Callable[[Data], Any] = lambda data: data,
    universe: Sequence[Any] = (),
    inside: audited.AdditiveStructure | None = None,
) -> AuditSubject:
    """A mechanism applied to a query of the data."""

    def release(data: Data, bits: Bits) -> Any:
        return mechanism.privatize(query(data), bits)

    return AuditSubject(name, mechanism.loss, mechanism.relation, release, pairs, None, inside, universe)


def of_additive(
    name: str, mechanism: Additive, pairs: Pairs, query: Callable[[Data], Any], universe: Sequence[Any] = ()
) -> AuditSubject:
    """Noise on whole numbers: its structure is known, and many releases are made at once."""

    def statistic(data: Data) -> list[int]:
        return [int(part) for part in np.atleast_1d(query(data))]

    def many(data: Data, count: int, bits: Bits) -> Outputs:
        base = np.array(statistic(data), np.int64)
        rows = np.broadcast_to(base, (count, base.size))
        noisy: Outputs = np.asarray(mechanism.law.add(rows.ravel(), bits)).reshape(rows.shape)
        return noisy if np.ndim(query(data)) else noisy[:, 0]

    norm: audited.Norm = "l1" if isinstance(mechanism, Laplace) else "l2"
    inside = audited.AdditiveStructure(statistic, mechanism.sensitivity, norm, mechanism.law, mechanism.law.draw)
    plain = of_mechanism(name, mechanism, pairs, query=query, universe=universe, inside=inside)
    return AuditSubject(name, plain.claim, plain.relation, plain.release, pairs, many, inside, universe)


def of_tally(name: str, mechanism: Tally, pairs: Pairs, universe: Sequence[Any] = ()) -> AuditSubject:
    """Whole numbers counted over records, and noise on all of them."""
    noise = mechanism.noise
    norm: audited.Norm = "l1" if isinstance(noise, Laplace) else "l2"
    inside = audited.AdditiveStructure(mechanism.tally, Fraction(noise.sensitivity), norm, noise.law, noise.law.draw)
    return of_mechanism(name, mechanism, pairs, universe=universe, inside=inside)


def of_response(name: str, mechanism: Response, one: int, other: int) -> AuditSubject:
    """One respondent's answer."""

    def many(data: Data, count: int, bits: Bits) -> Outputs:
        return mechanism.randomize(np.full(count, data, np.int64), bits)

    plain = of_mechanism(name, mechanism, ((one, other),))
    return AuditSubject(name, plain.claim, plain.relation, plain.release, plain.pairs, many)


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


ADDITIVE: tuple[AuditSubject, ...] = (
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

_NAN, _INFINITE = float("nan"), float("inf")
_ROWS = (0.0, 2.5, 10.0, 777.0, _NAN, -_INFINITE)
_ONE_LESS = (([1.0, 10.0], [1.0]), ([1.0, _NAN], [1.0]), ([1.0, _INFINITE], [1.0]))
_ONE_OTHER = (([1.0, 10.0], [1.0, 0.0]), ([1.0, _NAN], [1.0, 777.0]))
_KEYS = ("a", "b", "c")
_KEYS_LESS, _KEYS_OTHER = ((["a", "b", "b"], ["b", "b"]),), ((["a", "b"], ["b", "b"]),)

STATISTICS: tuple[AuditSubject, ...] = (
    of_tally("count", Count.for_epsilon("0.5", _OPEN), (([True, False, None], [True, False]),), (True, False, None)),
    of_tally("count under replace", Count.for_epsilon(1, _PUBLIC), (([True, False], [True, None]),), (True, False)),
    of_tally("bounded sum", BoundedSum.for_epsilon(1, _OPEN, 0, 10), _ONE_LESS, _ROWS),
    of_tally("bounded sum under replace", BoundedSum.for_epsilon(1, _PUBLIC, -5, 10), _ONE_OTHER, _ROWS),
    of_tally("bounded mean", BoundedMean.for_epsilon(1, _OPEN, 0, 10), _ONE_LESS, _ROWS),
    of_tally("bounded mean under replace", BoundedMean.for_epsilon(1, _PUBLIC, 0, 10, 2), _ONE_OTHER, _ROWS),
    of_tally("bounded mean, Gaussian", BoundedMean(Approx(1, "1e-5"), _OPEN, 0, 10), _ONE_LESS, _ROWS),
    of_tally("bounded variance", BoundedVariance(Pure(1), _OPEN, 0, 10), _ONE_LESS, _ROWS),
    of_tally("bounded variance, Gaussian", BoundedVariance(Approx(1, "1e-5"), _PUBLIC, 0, 10, 2), _ONE_OTHER, _ROWS),
    of_tally("histogram", Histogram.for_epsilon(1, _OPEN, _KEYS), _KEYS_LESS, (*_KEYS, "d")),
    of_tally("histogram under replace", Histogram.for_epsilon(1, _PUBLIC, _KEYS), _KEYS_OTHER, (*_KEYS, "d")),
    of_tally("histogram, Gaussian", Histogram(Approx(1, "1e-6"), _PUBLIC, _KEYS), _KEYS_OTHER, (*_KEYS, "d")),
    of_tally("quantiles", Quantiles.for_epsilon(1, _OPEN, 0, 10), _ONE_LESS, (0.0, 3.0, _NAN)),
    of_tally("quantiles under replace", Quantiles.for_epsilon(1, _PUBLIC, 0, 10, people=2), _ONE_OTHER, (0.0, _NAN)),
)

_SCORES = (((0, 1, 1, 1), (1, 0, 0, 0)), ((3, 3, 0, 0), (4, 3, 1, 0)))
_RISING = (((0, 1, 1, 1), (1, 2, 1, 1)),)
_QUESTIONS = (((0, 0, 0, 2), (1, 1, 1, 1)), ((2, 0, 2, 0), (1, 1, 1, 1)))
_KEY_PAIRS: Pairs = ((["a", "a", "b"], ["a", "a"]), ([], ["c"]))
_TARGET = Approx(1, "0.01")

CHOOSING: tuple[AuditSubject, ...] = (
    of_mechanism("exponential", Exponential.for_loss(Pure(1), 4, 1, _PUBLIC), _SCORES),
    of_mechanism("exponential, rising", Exponential.for_loss(Pure(1), 4, 1, _OPEN, monotonic=True), _RISING),
    of_mechanism("noisy max", NoisyMax.for_loss(Pure(1), 4, 1, _PUBLIC), _SCORES),
    of_mechanism("noisy max, rising", NoisyMax.for_loss(Pure(1), 4, 1, _OPEN, monotonic=True), _RISING),
    of_mechanism("permute and flip", PermuteAndFlip.for_loss(Pure(1), 4, 1, _PUBLIC), _SCORES),
    of_mechanism("above threshold", AboveThreshold.for_epsilon(1, 1, 1, _PUBLIC), _QUESTIONS),
    of_mechanism("sparse vector", SparseVector.for_epsilon(1, 1, 1, _PUBLIC, positives=2), _QUESTIONS),
    of_mechanism(
        "sparse vector with numbers",
        SparseVector.for_epsilon(1, 1, 1, _PUBLIC, positives=2, epsilon_numbers=1),
        _QUESTIONS,
    ),
    of_mechanism("key selection", KeySelection(_TARGET, _OPEN), _KEY_PAIRS),
    of_mechanism("stability histogram", StabilityHistogram(_TARGET, _OPEN), _KEY_PAIRS),
    of_mechanism("stability histogram, Gaussian", StabilityHistogram(_TARGET, _OPEN, gaussian=True), _KEY_PAIRS),
)

_SPAN = PublicRange(0, 8, Grid(0))
_MEDIAN_ONE_LESS: Pairs = (([1.0, 4.0, 4.0], [1.0, 4.0]), ([float("nan")], []))
_MEDIAN_ONE_OTHER = (([1.0, 4.0, 4.0], [1.0, 4.0, 0.0]), ([4.0, 4.0, 4.0], [4.0, 4.0, float("inf")]))

ROBUST: tuple[AuditSubject, ...] = (
    of_mechanism("inverse median", InverseMedian(Fraction(1), _SPAN, _OPEN), _MEDIAN_ONE_LESS),
    of_mechanism("inverse median under replace", InverseMedian(Fraction(1), _SPAN, _PUBLIC), _MEDIAN_ONE_OTHER),
    of_mechanism("inverse upper quartile", InverseMedian(Fraction(1), _SPAN, _OPEN, Fraction(3, 4)), _MEDIAN_ONE_LESS),
    of_mechanism("smooth median", SmoothMedian.for_epsilon(1, _SPAN, _PUBLIC), _MEDIAN_ONE_OTHER),
    of_mechanism(
        "propose, test, release",
        ProposeTestRelease(Laplace.for_epsilon(1, 1, _PUBLIC, grid=Grid(0)), _PUBLIC, Fraction(1), Fraction("0.05")),
        _MEDIAN_ONE_OTHER,
        query=lambda data: stable_median(data, _SPAN, 1),
    ),
    of_mechanism(
        "sample and aggregate",
        SampleAndAggregate.by_median(1, np.mean, 3, _SPAN, _OPEN),
        (([1.0, 4.0, 4.0, 8.0], [1.0, 4.0, 4.0]), ([1.0], [])),
    ),
)


def _of_randomizer(name: str, randomizer: Randomizer[int] | Randomizer[tuple[int, ...]]) -> AuditSubject:
    return AuditSubject(name, randomizer.loss, Relation.REPLACE, randomizer.draw, ((0, 1),))


def _of_oracle(name: str, oracle: Oracle) -> AuditSubject:
    def many(data: Data, count: int, bits: Bits) -> Outputs:
        return oracle.randomize(np.full(count, data, np.int64), bits)

    return AuditSubject(name, oracle.loss, Relation.REPLACE, lambda data, bits: many(data, 1, bits)[0], ((0, 1),), many)


def _one_bit() -> AuditSubject:
    response = one_bit(1)
    draw = response.table.draw  # at −1 and 1, where rounding is not random
    return AuditSubject("one-bit mean", response.loss, Relation.REPLACE, draw, ((0, len(response.table.weights) - 1),))


LOCAL: tuple[AuditSubject, ...] = (
    of_response("Warner", Warner.for_epsilon(1), 0, 1),
    of_response("forced response", Forced(Fraction(4, 6), Fraction(1, 6), Fraction(1, 6)), 0, 1),
    of_response("K-ary response", Kary(Fraction(1), 8), 0, 5),
    of_response("optimal response", OptimalResponse(Fraction(1), Fraction("0.05")), 0, 1),
    _of_randomizer("K-ary on a device", KaryResponse.within(1, 200)),
    _of_randomizer("subset on a device", SubsetSelection(8, 2, odds_within(1))),
    _of_randomizer("table on a device", WeightTable.of([["3/4", "1/4"], ["1/4", "3/4"]])),
    _of_oracle("unary oracle", UnaryOracle.within(1, 8)),
    _of_oracle("hashing oracle", HashingOracle.within(1, 8)),
    _of_oracle("Hadamard oracle", HadamardOracle.within(1, 8)),
    _of_oracle("subset oracle", SubsetOracle.within(1, 16)),
    _one_bit(),
)

SOUND = (*ADDITIVE, *STATISTICS, *CHOOSING, *ROBUST, *LOCAL)
