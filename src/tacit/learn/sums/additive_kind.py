"""The additive model as a kind of model: its settings, and its plan in the terms of the door."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.learn.additive_model import AdditiveModel
from tacit.learn.additive_plan import WEIGHTS_SHARE, AdditivePlan
from tacit.learn.additive_run import AdditiveRun
from tacit.learn.feature_pairs import with_pairs
from tacit.learn.model_kind import ModelFit, settings_of
from tacit.learn.sums.chosen_bins import EVEN, FeatureSettings, fit_on_features
from tacit.learn.training_text import Task, Training
from tacit.loss.families.loss import Relation
from tacit.query.engines.protocol import Stage
from tacit.query.plans.price import Price
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Unit

_RESIDUALS: Final = "residuals are cut to whole numbers in the query itself, row by row"
_ROWS: Final = "each person is one row"
_WEIGHTS: Final = "one person's rows weigh as much as a fixed number of rows at most, in the query itself"
_CLIP: Final = {Task.CLASSIFICATION: Fraction(1, 2), Task.REGRESSION: Fraction(1, 4)}


@frozen
class Settings:
    """How a model is trained: levels of a number, steps, rows that one person counts for, where residuals are cut.

    `cuts` are "even", bins of equal width, or "quantiles"; `pairs` are of features, as "age*ward, age*region";
    `private` are columns whose keys are chosen privately first, as "ward, region".
    """

    bins: int = 16
    steps: int = 20
    rows_each: int = 1
    clip: Number | None = None
    cuts: str = EVEN
    pairs: str = ""
    private: str = ""


@frozen(eq=False)
class AdditiveFit:
    """The plan of an additive model."""

    plan: AdditivePlan

    @property
    def training(self) -> Training:
        return self.plan.training

    @property
    def relation(self) -> Relation:
        return self.plan.relation

    @property
    def unit(self) -> str:
        return self.plan.unit

    @property
    def digest(self) -> str:
        return self.plan.digest

    @property
    def notes(self) -> str:
        plan, training = self.plan, self.plan.training
        columns = len(training.features) - 1
        learned = f"Additive {training.target.task.value} of {training.target.name} by {columns} columns"
        many = "one row" if plan.rows_each == 1 else f"{plan.rows_each:,} rows"
        weighted = f" All rows of one person weigh as much as {many} at most." if plan.coded.is_weighted else ""
        return f"{learned}, in {plan.steps} steps. Hidden: {plan.unit} ({plan.relation}).{weighted}"

    @property
    def claims(self) -> tuple[str, ...]:
        return _RESIDUALS, _WEIGHTS if self.plan.coded.is_weighted else _ROWS

    @property
    def blocks(self) -> tuple[Mapping[str, str], ...]:
        counts = {"counts": "rows by level", "noise": "rounded Gaussian", "share": str(WEIGHTS_SHARE)}
        return counts, {
            "counts": f"residuals by level, {self.plan.steps} times",
            "share": str(1 - WEIGHTS_SHARE),
        }

    @property
    def rows_sql(self) -> str:
        return self.plan.coded.coded_sql()

    def stages(self, price: Price) -> tuple[Stage, ...]:
        return AdditiveRun(self.plan, price).stages


class AdditiveKind:
    """Additive models."""

    def fit(self, sql: str, target: str, catalogue: Catalogue, unit: Unit, settings: Mapping[str, Any]) -> ModelFit:
        chosen = settings_of(Settings, settings)

        def make(training: Training) -> AdditiveFit:
            clip = _CLIP[training.target.task] if chosen.clip is None else positive(chosen.clip, "clip")
            learned = with_pairs(training, chosen.pairs)
            return AdditiveFit(AdditivePlan(learned, unit.relation, unit.hides, chosen.rows_each, chosen.steps, clip))

        features = FeatureSettings(chosen.bins, chosen.cuts, chosen.private, 2)
        return fit_on_features(sql, target, catalogue, features, chosen.rows_each, make)

    def model(self, said: Mapping[str, Any]) -> AdditiveModel:
        return AdditiveModel.from_fields(said)
