"""The registry of kinds of models: the name of each, and where its entry is. Entries load when they are first used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from tacit.errors import Refused

if TYPE_CHECKING:
    from tacit.learn.model_kind import ModelData, ModelKind

KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "additive": ("tacit.learn.sums.additive_kind", "AdditiveKind"),
    "logistic": ("tacit.learn.convex.convex_kind", "LogisticKind"),
    "softmax": ("tacit.learn.convex.convex_kind", "SoftmaxKind"),
    "hinge": ("tacit.learn.convex.convex_kind", "HingeKind"),
    "linear": ("tacit.learn.sums.linear_plan", "LinearKind"),
    "naive-bayes": ("tacit.learn.sums.naive_bayes", "NaiveBayesKind"),
    "multinomial": ("tacit.learn.sums.multinomial", "MultinomialKind"),
    "kmeans": ("tacit.learn.sums.kmeans", "KMeansKind"),
    "pca": ("tacit.learn.sums.pca", "PcaKind"),
}
"""By name, the module and the class of the entry. Models say their kind in the field "kind" of their JSON."""


def model_kind(name: str) -> ModelKind:
    """The entry of a kind of model."""
    if name not in KINDS:
        raise Refused(f"a model called {name}", "There is no such kind of model.", ", ".join(KINDS) + ".")
    module, entry = KINDS[name]
    found: ModelKind = getattr(import_module(module), entry)()
    return found


def read_fields(said: Mapping[str, Any]) -> ModelData:
    """The model in JSON fields, of whatever kind it says; refused where it is none."""
    name = said.get("kind") if isinstance(said, Mapping) else None
    if not isinstance(name, str) or name not in KINDS:
        raise Refused("this model", "It cannot be read.", "a file that `tacit learn fit` wrote.")
    return model_kind(name).model(said)
