"""What a kind of model is to the door: how its training is planned, what a plan runs, and how a model is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.learn.training_text import TrainingTarget
from tacit.loss.families.loss import Relation
from tacit.query.engines.protocol import Stage
from tacit.query.plans.price import Price
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Unit
from tacit.schema.kind import Key

_Settings = TypeVar("_Settings")


class ModelData(Protocol):
    """A trained model: plain data, which may be published."""

    @property
    def target(self) -> TrainingTarget: ...

    @property
    def digest(self) -> str:
        """What tells the model from any other."""
        ...

    def fields(self) -> dict[str, Any]:
        """The model for JSON; "kind" is its kind's name."""
        ...

    def predict(self, columns: Mapping[str, Sequence[Any]]) -> list[Key] | NDArray[np.float64]:
        """The likeliest value of the target, or the number that is expected."""
        ...

    def probabilities(self, columns: Mapping[str, Sequence[Any]]) -> NDArray[np.float64] | None:
        """A column for each value of the target; None where the model gives no probabilities."""
        ...

    def judged_sql(self) -> str:
        """What evaluation averages over rows, in the analyst's SQL."""
        ...


class LearnedText(Protocol):
    """What a model is learned from, and what it predicts."""

    @property
    def sql(self) -> str: ...

    @property
    def target(self) -> TrainingTarget: ...


class ModelFit(Protocol):
    """A plan of training with the stages that carry it out; its digest tells it from any other."""

    @property
    def training(self) -> LearnedText: ...

    @property
    def relation(self) -> Relation: ...

    @property
    def unit(self) -> str: ...

    @property
    def digest(self) -> str: ...

    @property
    def notes(self) -> str:
        """What is learned and how, in words."""
        ...

    @property
    def claims(self) -> tuple[str, ...]:
        """What the release rests on, beside what every release of a model rests on."""
        ...

    @property
    def blocks(self) -> tuple[Mapping[str, str], ...]:
        """What noise is added to, each with its share of the price."""
        ...

    @property
    def rows_sql(self) -> str:
        """The statement that reads rows: the engine must have words for it."""
        ...

    def stages(self, price: Price) -> tuple[Stage, ...]:
        """What is run; the last stage gives the model's fields as JSON. All together cost the price."""
        ...


@runtime_checkable
class ReadableModel(Protocol):
    """A model that can be read as text: coefficients, centres."""

    @property
    def told(self) -> str:
        """The model in lines of text, with what its intervals are of."""
        ...


@runtime_checkable
class ChoosingKeys(Protocol):
    """A plan that may choose private keys, for which a part of δ is set aside."""

    @property
    def chooses_keys(self) -> bool: ...


def chooses_keys(fit: ModelFit) -> bool:
    """Whether a plan chooses private keys."""
    return isinstance(fit, ChoosingKeys) and fit.chooses_keys


class ModelKind(Protocol):
    """An entry of the registry."""

    def fit(self, sql: str, target: str, catalogue: Catalogue, unit: Unit, settings: Mapping[str, Any]) -> ModelFit:
        """The plan of training with these settings; refused, before any row is read, where there is none."""
        ...

    def model(self, said: Mapping[str, Any]) -> ModelData:
        """The model read from JSON fields; refused where it is none."""
        ...


def settings_of(kind: type[_Settings], given: Mapping[str, Any]) -> _Settings:
    """Settings by their names; those that are not given have the defaults of the class."""
    known = kind.__annotations__
    unknown = [name for name in given if name not in known]
    if unknown:
        raise Refused(f"the setting {unknown[0]}", "This kind of model has none of this name.", ", ".join(known) + ".")
    return kind(**given)
