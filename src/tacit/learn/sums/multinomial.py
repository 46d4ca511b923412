"""A multinomial additive model: a score for each class at each level, by private gradient steps."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.coded_rows import SCORE, CodedRows
from tacit.learn.feature_pairs import with_pairs
from tacit.learn.model_kind import ModelFit, settings_of
from tacit.learn.sums.bounded_sums import KeyedBlock
from tacit.learn.sums.chosen_bins import EVEN, FeatureSettings, fit_on_features
from tacit.learn.sums.class_residuals import RESIDUAL, class_residuals_sql, residual_cuts, row_squared
from tacit.learn.sums.class_scores import ClassScores
from tacit.learn.sums.design import check_rows
from tacit.learn.sums.sums_stage import SumsReader, read_sums, sums_law
from tacit.learn.sums.weighted_sums import WeightedSums
from tacit.learn.training_text import Task, Training
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.engines.protocol import Session, Stage
from tacit.query.plans.price import Price
from tacit.query.sql.clamp import ONE
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Unit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_CLASSES: Final = 32
MOST_STEPS: Final = 64
_COUNTS_SHARE: Final = Fraction(1, 30)  # of the price, for the numbers of rows by level
_CURVATURE: Final = 0.15  # of the loss in one row's score, about
_DAMPING: Final = 2.0  # deviations of noise that are added to a curvature
_FARTHEST: Final = 8.0  # a score of one level


@frozen(eq=False)
class MultinomialPlan:
    """One release of weights of rows by level, then `steps` of residuals by level and class.

    Claim: all together cost μ² = `price.strength`, whatever each step makes of the ones before. Proof: each is a
    release of `WeightedSums`, whose limit is n·most² for n features, and n·most²·`row_squared` for residuals, as
    `class_residuals` keeps each row to. `sums_law` has the noise for a share of the price, shares add up to 1, and μ²
    adds up under adaptive composition. The number of steps is fixed before the first.
    """

    training: Training
    relation: Relation
    unit: str
    rows_each: int
    steps: int

    def __post_init__(self) -> None:
        check_rows(self.rows_each)
        if not 1 <= self.steps <= MOST_STEPS:
            raise Refused(f"{self.steps} steps", "All are paid for together.", f"1 to {MOST_STEPS} steps.")
        if self.training.target.task is not Task.CLASSIFICATION:
            raise Refused(
                f"{self.training.target.name} as a class", "It is a number.", "a target with declared values."
            )

    @cached_property
    def coded(self) -> CodedRows:
        return CodedRows(self.training, self.rows_each, 1)

    @property
    def classes(self) -> int:
        return len(self.training.target.values or ())

    @property
    def counts(self) -> WeightedSums:
        """Weights of rows by level."""
        return WeightedSums(self._blocks(1), len(self.training.features), self.coded.most)

    def residuals(self, scores: Floats) -> WeightedSums:
        """Residuals by level and class at these scores."""
        squared = len(self.training.features) * row_squared(self.classes)
        source = class_residuals_sql([part.tolist() for part in self.by_feature(scores)], self.classes)
        return WeightedSums(self._blocks(self.classes), squared, self.coded.most, source)

    def _blocks(self, values: int) -> tuple[KeyedBlock, ...]:
        cuts = (ONE,) if values == 1 else residual_cuts(values)
        return tuple(
            KeyedBlock(f"c{place}", feature.levels, cuts) for place, feature in enumerate(self.training.features)
        )

    def law(self, price: Price, step: int) -> RoundedGaussian:
        """The noise of the release of weights, which is step 0, or of a later step."""
        if step == 0:
            return sums_law(self.counts.limit, self.relation, price, _COUNTS_SHARE)
        squared = self.coded.most**2 * len(self.training.features) * row_squared(self.classes)
        return sums_law(squared, self.relation, price, (1 - _COUNTS_SHARE) / self.steps)

    def stages(self, price: Price) -> tuple[Stage, ...]:
        """A stage for the weights and one for each step; the last gives the model as JSON."""
        reader = SumsReader(self.rows_sql)

        def count(session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
            return reader.noisy(session, self.counts, self.law(price, 0), bits).tobytes()

        def step(session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
            scores = self.path(read_sums(released), price)[-1]
            return reader.noisy(session, self.residuals(scores), self.law(price, 1), bits).tobytes()

        def last(session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
            path = self.path(read_sums([*released, step(session, bits, released)]), price)[1:]
            return json.dumps(self.model(np.mean(path[len(path) // 2 :], axis=0)).fields()).encode()

        return (count, *[step] * (self.steps - 1), last)

    def path(self, released: Sequence[Integers], price: Price) -> list[Floats]:
        """The scores of levels and classes after so many steps, from what was released: post-processing."""
        weights, *steps = released
        noise = self.law(price, 1).width / RESIDUAL
        curvature = (np.maximum(weights, 0) * _CURVATURE + _DAMPING * noise)[:, None]
        rate = 1 / sqrt(len(self.training.features))
        found = [np.zeros((len(weights), self.classes))]
        for residuals in steps:
            moved = found[-1] + rate * residuals.reshape(-1, self.classes) / (RESIDUAL * curvature)
            found.append(np.clip(moved, -_FARTHEST, _FARTHEST))
        return found

    def by_feature(self, scores: Floats) -> list[Integers]:
        """Scores in steps, feature by feature."""
        ends = np.cumsum([feature.levels for feature in self.training.features])
        return np.split(np.round(scores * SCORE).astype(np.int64), ends[:-1])

    def model(self, scores: Floats) -> ClassScores:
        """The model with these scores."""
        listed = tuple(tuple(tuple(level) for level in part.tolist()) for part in self.by_feature(scores))
        return ClassScores("multinomial", self.training.target, self.training.features, listed)

    @property
    def rows_sql(self) -> str:
        return self.coded.coded_sql()

    @property
    def notes(self) -> str:
        many = "one row" if self.rows_each == 1 else f"{self.rows_each:,} rows"
        weighted = f" All rows of one person weigh as much as {many} at most." if self.coded.is_weighted else ""
        learned = f"Multinomial model of {self.training.target.name} by {len(self.training.features) - 1} columns"
        return f"{learned}, in {self.steps} steps. Hidden: {self.unit} ({self.relation}).{weighted}"

    @property
    def claims(self) -> tuple[str, ...]:
        return "a row's residuals have a limited norm", "the weights of one person's rows add up to a limit"

    @property
    def blocks(self) -> tuple[Mapping[str, str], ...]:
        counts = {"counts": "rows by level", "noise": "rounded Gaussian", "share": str(_COUNTS_SHARE)}
        return counts, {"counts": f"residuals by level, {self.steps} times", "share": str(1 - _COUNTS_SHARE)}

    @property
    def digest(self) -> str:
        said = f"multinomial {self.training.digest} {self.relation} {self.unit} {self.rows_each} {self.steps}"
        return hashlib.sha256(said.encode()).hexdigest()


@frozen
class MultinomialSettings:
    """Levels of a number, steps, rows that one person counts for at most; `cuts` and `pairs` as in additive models."""

    bins: int = 16
    steps: int = 20
    rows_each: int = 1
    cuts: str = EVEN
    pairs: str = ""
    private: str = ""


class MultinomialKind:
    """Multinomial additive models."""

    def fit(self, sql: str, target: str, catalogue: Catalogue, unit: Unit, settings: Mapping[str, Any]) -> ModelFit:
        chosen = settings_of(MultinomialSettings, settings)

        def make(training: Training) -> MultinomialPlan:
            learned = with_pairs(training, chosen.pairs)
            return MultinomialPlan(learned, unit.relation, unit.hides, chosen.rows_each, chosen.steps)

        features = FeatureSettings(chosen.bins, chosen.cuts, chosen.private, MOST_CLASSES)
        return fit_on_features(sql, target, catalogue, features, chosen.rows_each, make)

    def model(self, said: Mapping[str, Any]) -> ClassScores:
        return ClassScores.from_fields(said)
