"""How one value is made private: one idea a file, by kind. Names load when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.names import lazily

if TYPE_CHECKING:
    from tacit.mechanisms.additive.ball_mean import BallMean as BallMean
    from tacit.mechanisms.additive.discrete_gaussian import DiscreteGaussian as DiscreteGaussian
    from tacit.mechanisms.additive.euclidean_laplace import EuclideanLaplace as EuclideanLaplace
    from tacit.mechanisms.additive.gaussian import Gaussian as Gaussian
    from tacit.mechanisms.additive.laplace import Laplace as Laplace
    from tacit.mechanisms.additive.staircase import Staircase as Staircase
    from tacit.mechanisms.additive.truncated_geometric import TruncatedGeometric as TruncatedGeometric
    from tacit.mechanisms.answer import Answer as Answer
    from tacit.mechanisms.keys.key_selection import KeySelection as KeySelection
    from tacit.mechanisms.keys.stability_histogram import StabilityHistogram as StabilityHistogram
    from tacit.mechanisms.mechanism import Mechanism as Mechanism
    from tacit.mechanisms.response.forced import Forced as Forced
    from tacit.mechanisms.response.kary import Kary as Kary
    from tacit.mechanisms.response.optimal_response import OptimalResponse as OptimalResponse
    from tacit.mechanisms.response.warner import Warner as Warner
    from tacit.mechanisms.robust.inverse_median import InverseMedian as InverseMedian
    from tacit.mechanisms.robust.propose_test_release import ProposeTestRelease as ProposeTestRelease
    from tacit.mechanisms.robust.public_range import PublicRange as PublicRange
    from tacit.mechanisms.robust.sample_and_aggregate import SampleAndAggregate as SampleAndAggregate
    from tacit.mechanisms.robust.smooth_median import SmoothMedian as SmoothMedian
    from tacit.mechanisms.selection.exponential import Exponential as Exponential
    from tacit.mechanisms.selection.noisy_max import NoisyMax as NoisyMax
    from tacit.mechanisms.selection.permute_and_flip import PermuteAndFlip as PermuteAndFlip
    from tacit.mechanisms.statistics.bounded_mean import BoundedMean as BoundedMean
    from tacit.mechanisms.statistics.bounded_sum import BoundedSum as BoundedSum
    from tacit.mechanisms.statistics.bounded_variance import BoundedVariance as BoundedVariance
    from tacit.mechanisms.statistics.count import Count as Count
    from tacit.mechanisms.statistics.histogram import Histogram as Histogram
    from tacit.mechanisms.statistics.quantiles import Quantiles as Quantiles
    from tacit.mechanisms.threshold.above_threshold import AboveThreshold as AboveThreshold
    from tacit.mechanisms.threshold.sparse_vector import SparseVector as SparseVector

_HOME = {
    "BallMean": "additive.ball_mean",
    "DiscreteGaussian": "additive.discrete_gaussian",
    "EuclideanLaplace": "additive.euclidean_laplace",
    "Gaussian": "additive.gaussian",
    "Laplace": "additive.laplace",
    "Staircase": "additive.staircase",
    "TruncatedGeometric": "additive.truncated_geometric",
    "Answer": "answer",
    "KeySelection": "keys.key_selection",
    "StabilityHistogram": "keys.stability_histogram",
    "Mechanism": "mechanism",
    "Forced": "response.forced",
    "Kary": "response.kary",
    "OptimalResponse": "response.optimal_response",
    "Warner": "response.warner",
    "InverseMedian": "robust.inverse_median",
    "ProposeTestRelease": "robust.propose_test_release",
    "PublicRange": "robust.public_range",
    "SampleAndAggregate": "robust.sample_and_aggregate",
    "SmoothMedian": "robust.smooth_median",
    "Exponential": "selection.exponential",
    "NoisyMax": "selection.noisy_max",
    "PermuteAndFlip": "selection.permute_and_flip",
    "BoundedMean": "statistics.bounded_mean",
    "BoundedSum": "statistics.bounded_sum",
    "BoundedVariance": "statistics.bounded_variance",
    "Count": "statistics.count",
    "Histogram": "statistics.histogram",
    "Quantiles": "statistics.quantiles",
    "AboveThreshold": "threshold.above_threshold",
    "SparseVector": "threshold.sparse_vector",
}

__all__ = sorted(_HOME)
__getattr__, __dir__ = lazily(__name__, _HOME)
