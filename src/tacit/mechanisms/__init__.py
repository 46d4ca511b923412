"""Mechanisms that release one value, by kind. Names load when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.lazy import lazily

if TYPE_CHECKING:
    from tacit.mechanisms.additive.ball_mean import BallMean as BallMean
    from tacit.mechanisms.additive.euclidean_laplace import EuclideanLaplace as EuclideanLaplace
    from tacit.mechanisms.additive.gaussian import DiscreteGaussian as DiscreteGaussian
    from tacit.mechanisms.additive.gaussian import Gaussian as Gaussian
    from tacit.mechanisms.additive.laplace import Laplace as Laplace
    from tacit.mechanisms.additive.laplace import TruncatedGeometric as TruncatedGeometric
    from tacit.mechanisms.additive.staircase import Staircase as Staircase
    from tacit.mechanisms.continual.continual_sum import ContinualSum as ContinualSum
    from tacit.mechanisms.mechanism import Answer as Answer
    from tacit.mechanisms.mechanism import Mechanism as Mechanism
    from tacit.mechanisms.response.binary import Forced as Forced
    from tacit.mechanisms.response.binary import OptimalResponse as OptimalResponse
    from tacit.mechanisms.response.binary import Warner as Warner
    from tacit.mechanisms.response.randomized_response import Kary as Kary
    from tacit.mechanisms.robust.inverse_median import InverseMedian as InverseMedian
    from tacit.mechanisms.robust.propose_test_release import ProposeTestRelease as ProposeTestRelease
    from tacit.mechanisms.robust.public_range import PublicRange as PublicRange
    from tacit.mechanisms.robust.sample_and_aggregate import SampleAndAggregate as SampleAndAggregate
    from tacit.mechanisms.robust.smooth_median import SmoothMedian as SmoothMedian
    from tacit.mechanisms.selection.above_threshold import AboveThreshold as AboveThreshold
    from tacit.mechanisms.selection.above_threshold import SparseVector as SparseVector
    from tacit.mechanisms.selection.candidates import Exponential as Exponential
    from tacit.mechanisms.selection.candidates import NoisyMax as NoisyMax
    from tacit.mechanisms.selection.candidates import PermuteAndFlip as PermuteAndFlip
    from tacit.mechanisms.selection.key_selection import KeySelection as KeySelection
    from tacit.mechanisms.selection.stability_histogram import StabilityHistogram as StabilityHistogram
    from tacit.mechanisms.statistics.bounded_mean import BoundedMean as BoundedMean
    from tacit.mechanisms.statistics.bounded_sum import BoundedSum as BoundedSum
    from tacit.mechanisms.statistics.bounded_variance import BoundedVariance as BoundedVariance
    from tacit.mechanisms.statistics.counts import Count as Count
    from tacit.mechanisms.statistics.histogram import Histogram as Histogram
    from tacit.mechanisms.statistics.quantiles import Quantiles as Quantiles
    from tacit.mechanisms.weights.mwem import Mwem as Mwem
    from tacit.mechanisms.weights.online_weights import OnlineWeights as OnlineWeights

_HOME = {
    "BallMean": "additive.ball_mean",
    "DiscreteGaussian": "additive.gaussian",
    "EuclideanLaplace": "additive.euclidean_laplace",
    "Gaussian": "additive.gaussian",
    "Laplace": "additive.laplace",
    "Staircase": "additive.staircase",
    "TruncatedGeometric": "additive.laplace",
    "Answer": "mechanism",
    "ContinualSum": "continual.continual_sum",
    "KeySelection": "selection.key_selection",
    "StabilityHistogram": "selection.stability_histogram",
    "Mechanism": "mechanism",
    "Forced": "response.binary",
    "Kary": "response.randomized_response",
    "OptimalResponse": "response.binary",
    "Warner": "response.binary",
    "InverseMedian": "robust.inverse_median",
    "ProposeTestRelease": "robust.propose_test_release",
    "PublicRange": "robust.public_range",
    "SampleAndAggregate": "robust.sample_and_aggregate",
    "SmoothMedian": "robust.smooth_median",
    "Exponential": "selection.candidates",
    "NoisyMax": "selection.candidates",
    "PermuteAndFlip": "selection.candidates",
    "BoundedMean": "statistics.bounded_mean",
    "BoundedSum": "statistics.bounded_sum",
    "BoundedVariance": "statistics.bounded_variance",
    "Count": "statistics.counts",
    "Histogram": "statistics.histogram",
    "Quantiles": "statistics.quantiles",
    "AboveThreshold": "selection.above_threshold",
    "SparseVector": "selection.above_threshold",
    "Mwem": "weights.mwem",
    "OnlineWeights": "weights.online_weights",
}

__all__ = sorted(_HOME)
__getattr__, __dir__ = lazily(__name__, _HOME)
