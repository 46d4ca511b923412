"""Differentially private answers to queries about people.

The names below are loaded when they are first used, so that `import tacit` is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.lazy import lazily

if TYPE_CHECKING:
    from tacit.curator.dataset import Dataset as Dataset
    from tacit.curator.dataset import open_dataset
    from tacit.curator.estimators import AdditiveClassifier as AdditiveClassifier
    from tacit.curator.estimators import AdditiveRegressor as AdditiveRegressor
    from tacit.errors import Failed as Failed
    from tacit.errors import Refused as Refused
    from tacit.loss.composition.sequential import compose as compose
    from tacit.loss.families.approx import Approx as Approx
    from tacit.loss.families.approx import Pure as Pure
    from tacit.loss.families.gdp import Gdp as Gdp
    from tacit.loss.families.loss import Loss as Loss
    from tacit.loss.families.loss import Relation as Relation
    from tacit.loss.families.rdp import Rdp as Rdp
    from tacit.loss.families.zcdp import Zcdp as Zcdp
    from tacit.loss.interpretation import describe as describe
    from tacit.mechanisms.additive.gaussian import Gaussian as Gaussian
    from tacit.mechanisms.additive.laplace import Laplace as Laplace
    from tacit.mechanisms.mechanism import Answer as Answer
    from tacit.mechanisms.statistics.bounded_mean import BoundedMean as BoundedMean
    from tacit.mechanisms.statistics.bounded_sum import BoundedSum as BoundedSum
    from tacit.mechanisms.statistics.counts import Count as Count
    from tacit.mechanisms.statistics.histogram import Histogram as Histogram

    open = open_dataset  # noqa: A001  (tacit.open, as in gzip.open)

_HOME = {
    "AdditiveClassifier": "curator.estimators",
    "AdditiveRegressor": "curator.estimators",
    "Dataset": "curator.dataset",
    "open": "curator.dataset:open_dataset",
    "Failed": "errors",
    "Refused": "errors",
    "Approx": "loss.families.approx",
    "Pure": "loss.families.approx",
    "compose": "loss.composition.sequential",
    "Gdp": "loss.families.gdp",
    "Loss": "loss.families.loss",
    "Rdp": "loss.families.rdp",
    "Relation": "loss.families.loss",
    "describe": "loss.interpretation",
    "Zcdp": "loss.families.zcdp",
    "Answer": "mechanisms.mechanism",
    "BoundedMean": "mechanisms.statistics.bounded_mean",
    "BoundedSum": "mechanisms.statistics.bounded_sum",
    "Count": "mechanisms.statistics.counts",
    "Gaussian": "mechanisms.additive.gaussian",
    "Histogram": "mechanisms.statistics.histogram",
    "Laplace": "mechanisms.additive.laplace",
}

__all__ = sorted(_HOME.keys() - {"open"})  # a star must not hide the built-in
__getattr__, __dir__ = lazily(__name__, _HOME)
