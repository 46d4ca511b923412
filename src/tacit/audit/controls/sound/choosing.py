"""Selections, thresholds and keys: answers that are no numbers."""

from __future__ import annotations

from tacit.audit.controls.sound.subject_of import Pairs, of_mechanism
from tacit.audit.subject import Subject
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.selection.above_threshold import AboveThreshold
from tacit.mechanisms.selection.candidates import Exponential, NoisyMax, PermuteAndFlip
from tacit.mechanisms.selection.key_selection import KeySelection
from tacit.mechanisms.selection.sparse_vector import SparseVector
from tacit.mechanisms.selection.stability_histogram import StabilityHistogram

_OPEN, _PUBLIC = Relation.ADD_REMOVE, Relation.REPLACE
_SCORES = (((0, 1, 1, 1), (1, 0, 0, 0)), ((3, 3, 0, 0), (4, 3, 1, 0)))
_RISING = (((0, 1, 1, 1), (1, 2, 1, 1)),)
_QUESTIONS = (((0, 0, 0, 2), (1, 1, 1, 1)), ((2, 0, 2, 0), (1, 1, 1, 1)))
_KEYS: Pairs = ((["a", "a", "b"], ["a", "a"]), ([], ["c"]))
_TARGET = Approx(1, "0.01")

CHOOSING: tuple[Subject, ...] = (
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
    of_mechanism("key selection", KeySelection(_TARGET, _OPEN), _KEYS),
    of_mechanism("stability histogram", StabilityHistogram(_TARGET, _OPEN), _KEYS),
    of_mechanism("stability histogram, Gaussian", StabilityHistogram(_TARGET, _OPEN, gaussian=True), _KEYS),
)
