"""Medians and functions whose sensitivity depends on the data."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.audit.controls.sound.subject_of import Pairs, of_mechanism
from tacit.audit.subject import Subject
from tacit.loss.families.loss import Relation
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.robust.inverse_median import InverseMedian
from tacit.mechanisms.robust.propose_test_release import ProposeTestRelease, stable_median
from tacit.mechanisms.robust.public_range import PublicRange
from tacit.mechanisms.robust.sample_and_aggregate import SampleAndAggregate
from tacit.mechanisms.robust.smooth_median import SmoothMedian
from tacit.noise.grid import Grid

_OPEN, _PUBLIC = Relation.ADD_REMOVE, Relation.REPLACE
_SPAN = PublicRange(0, 8, Grid(0))
_ONE_LESS: Pairs = (([1.0, 4.0, 4.0], [1.0, 4.0]), ([float("nan")], []))
_ONE_OTHER = (([1.0, 4.0, 4.0], [1.0, 4.0, 0.0]), ([4.0, 4.0, 4.0], [4.0, 4.0, float("inf")]))

ROBUST: tuple[Subject, ...] = (
    of_mechanism("inverse median", InverseMedian(Fraction(1), _SPAN, _OPEN), _ONE_LESS),
    of_mechanism("inverse median under replace", InverseMedian(Fraction(1), _SPAN, _PUBLIC), _ONE_OTHER),
    of_mechanism("inverse upper quartile", InverseMedian(Fraction(1), _SPAN, _OPEN, Fraction(3, 4)), _ONE_LESS),
    of_mechanism("smooth median", SmoothMedian.for_epsilon(1, _SPAN, _PUBLIC), _ONE_OTHER),
    of_mechanism(
        "propose, test, release",
        ProposeTestRelease(Laplace.for_epsilon(1, 1, _PUBLIC, grid=Grid(0)), _PUBLIC, Fraction(1), Fraction("0.05")),
        _ONE_OTHER,
        query=lambda data: stable_median(data, _SPAN, 1),
    ),
    of_mechanism(
        "sample and aggregate",
        SampleAndAggregate.by_median(1, np.mean, 3, _SPAN, _OPEN),
        (([1.0, 4.0, 4.0, 8.0], [1.0, 4.0, 4.0]), ([1.0], [])),
    ),
)
