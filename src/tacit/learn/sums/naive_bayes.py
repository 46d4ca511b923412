"""Naive Bayes from one release of counts by class and level."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.coded_rows import SCORE, CodedRows
from tacit.learn.feature_pairs import with_pairs
from tacit.learn.model_kind import ModelFit, settings_of
from tacit.learn.sums.bounded_sums import BoundedSums, KeyedBlock
from tacit.learn.sums.chosen_bins import EVEN, FeatureSettings, fit_on_features
from tacit.learn.sums.class_scores import ClassScores
from tacit.learn.sums.design import check_rows
from tacit.learn.sums.sums_stage import ONE_FACTOR, SumsReader, sums_law
from tacit.learn.training_text import Task, Training
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.engines.protocol import Session, Stage
from tacit.query.plans.price import Price
from tacit.query.sql.clamp import ONE
from tacit.query.sql.rows import Ownership
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Unit

Floats = NDArray[np.float64]

MOST_CLASSES: Final = 64
COUNTED: Final = 2**16  # steps of one row
_BEHIND: Final = 4.0  # deviations of noise that the shares of all classes together count for, in each class


@frozen(eq=False)
class NaiveBayesPlan:
    """Numbers of rows by class and level, for each feature, released once.

    Claim: the release costs μ² = `price.strength`. Proof: a row is in one cell of each of n features, so that its
    squared norm is n, and a person's is at most `rows_each`²·n, whatever rows they have: `BoundedSums` keeps to the
    limit, and `sums_law` has the noise for it. Shares and scores are computed from the noisy counts alone.
    """

    training: Training
    relation: Relation
    unit: str
    rows_each: int

    def __post_init__(self) -> None:
        check_rows(self.rows_each)
        if self.training.target.task is not Task.CLASSIFICATION:
            raise Refused(
                f"{self.training.target.name} as a class", "It is a number.", "a target with declared values."
            )

    @property
    def is_many(self) -> bool:
        return self.training.rows.ownership is Ownership.MANY

    @property
    def classes(self) -> int:
        return len(self.training.target.values or ())

    @property
    def bounded(self) -> BoundedSums:
        """The sums of rows by class and level; features without the intercept."""
        one = ONE.scaled(COUNTED, 1)
        blocks = [
            KeyedBlock(f"t * {feature.levels} + c{place}", self.classes * feature.levels, (one,))
            for place, feature in enumerate(self.training.features)
            if feature.name
        ]
        rows = self.rows_each if self.is_many else 1
        return BoundedSums(tuple(blocks), rows**2 * len(blocks) * COUNTED**2, self.is_many)

    def law(self, price: Price) -> RoundedGaussian:
        """The noise on every count, in steps."""
        return sums_law(self.bounded.limit, self.relation, price)

    def stages(self, price: Price) -> tuple[Stage, ...]:
        """The one stage: the model as JSON."""

        def release(session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
            law = self.law(price)
            noisy = SumsReader(self.rows_sql).noisy(session, self.bounded, law, bits)
            return json.dumps(self.model(noisy / COUNTED, law.width / COUNTED).fields()).encode()

        return (release,)

    def model(self, counts: Floats, noise: float) -> ClassScores:
        """The model from noisy counts.

        A class's share of a level is that of its own rows, beside which the shares of all classes together count for
        1 + `_BEHIND`·noise rows: where counts are small against the noise, all classes have nearly the same.
        """
        levels = [feature.levels for feature in self.training.features if feature.name]
        cut = np.cumsum([self.classes * many for many in levels])[:-1]
        tables = [part.reshape(self.classes, -1) for part in np.split(counts, cut)]
        weights = [1 / many for many in levels]  # the sum over a feature's levels has the noise of so many draws
        rough = sum((table.mean(axis=1) for table in tables), np.zeros(self.classes)) / sum(weights)
        rows = np.maximum(rough, 1.0)
        scores: list[tuple[tuple[int, ...], ...]] = [(tuple(_steps(np.log(rows / rows.sum()))),)]
        behind = 1 + _BEHIND * noise
        for table in (np.maximum(each, 0) for each in tables):
            together = (table.sum(axis=0) + 1) / (table.sum() + table.shape[1])
            shares = (table + behind * together) / (table.sum(axis=1, keepdims=True) + behind)
            scores.append(tuple(tuple(_steps(level)) for level in np.log(shares).T))
        return ClassScores("naive-bayes", self.training.target, self.training.features, tuple(scores))

    @property
    def rows_sql(self) -> str:
        return CodedRows(self.training, 1, 1).targets_sql()

    @property
    def notes(self) -> str:
        many = "one row" if self.rows_each == 1 else f"{self.rows_each:,} rows"
        weighted = f" All rows of one person weigh as much as {many} at most." if self.is_many else ""
        learned = f"Naive Bayes of {self.training.target.name} by {len(self.training.features) - 1} columns"
        return f"{learned}. Hidden: {self.unit} ({self.relation}).{weighted}"

    @property
    def claims(self) -> tuple[str, ...]:
        return (ONE_FACTOR,)

    @property
    def blocks(self) -> tuple[Mapping[str, str], ...]:
        return ({"counts": "rows by class and level", "noise": "rounded Gaussian", "share": "1"},)

    @property
    def digest(self) -> str:
        said = f"naive bayes {self.training.digest} {self.relation} {self.unit} {self.rows_each}"
        return hashlib.sha256(said.encode()).hexdigest()


def _steps(scores: Floats) -> list[int]:
    return [round(float(score) * SCORE) for score in scores]


@frozen
class NaiveBayesSettings:
    """Levels of a number, and how many rows one person counts for at most; `cuts` and `pairs` as in additive models."""

    bins: int = 16
    rows_each: int = 1
    cuts: str = EVEN
    pairs: str = ""
    private: str = ""


class NaiveBayesKind:
    """Naive Bayes."""

    def fit(self, sql: str, target: str, catalogue: Catalogue, unit: Unit, settings: Mapping[str, Any]) -> ModelFit:
        chosen = settings_of(NaiveBayesSettings, settings)

        def make(training: Training) -> NaiveBayesPlan:
            return NaiveBayesPlan(with_pairs(training, chosen.pairs), unit.relation, unit.hides, chosen.rows_each)

        features = FeatureSettings(chosen.bins, chosen.cuts, chosen.private, MOST_CLASSES)
        return fit_on_features(sql, target, catalogue, features, chosen.rows_each, make)

    def model(self, said: Mapping[str, Any]) -> ClassScores:
        return ClassScores.from_fields(said)
