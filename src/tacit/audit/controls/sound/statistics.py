"""Statistics of records."""

from __future__ import annotations

from tacit.audit.controls.sound.subject_of import of_tally
from tacit.audit.subject import Subject
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.statistics.bounded_mean import BoundedMean
from tacit.mechanisms.statistics.bounded_sum import BoundedSum
from tacit.mechanisms.statistics.bounded_variance import BoundedVariance
from tacit.mechanisms.statistics.counts import Count
from tacit.mechanisms.statistics.histogram import Histogram
from tacit.mechanisms.statistics.quantiles import Quantiles

_OPEN, _PUBLIC = Relation.ADD_REMOVE, Relation.REPLACE
_NAN, _INFINITE = float("nan"), float("inf")
_ROWS = (0.0, 2.5, 10.0, 777.0, _NAN, -_INFINITE)
_ONE_LESS = (([1.0, 10.0], [1.0]), ([1.0, _NAN], [1.0]), ([1.0, _INFINITE], [1.0]))
_ONE_OTHER = (([1.0, 10.0], [1.0, 0.0]), ([1.0, _NAN], [1.0, 777.0]))
_KEYS = ("a", "b", "c")
_KEYS_LESS, _KEYS_OTHER = ((["a", "b", "b"], ["b", "b"]),), ((["a", "b"], ["b", "b"]),)

STATISTICS: tuple[Subject, ...] = (
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
