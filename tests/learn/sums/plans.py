"""Every kind of statistic that models add up, on random scores or centres."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
from tests.learn.sums.visits_session import catalogued

from tacit.learn.sums.bounded_sums import BoundedSums
from tacit.learn.sums.design import read_design
from tacit.learn.sums.kmeans import KMeansPlan
from tacit.learn.sums.multinomial import MultinomialPlan
from tacit.learn.sums.naive_bayes import NaiveBayesPlan
from tacit.learn.sums.pca import PcaPlan
from tacit.learn.sums.weighted_sums import WeightedSums
from tacit.learn.training_text import read_training
from tacit.loss.families.loss import Relation

Bounded = BoundedSums | WeightedSums
Statistic = tuple[str, Callable[[np.random.Generator], Bounded]]
"""The SQL of the rows that are kept, and the sums at random scores or centres."""

NAMES = ("naive-bayes", "multinomial weights", "multinomial residuals", "kmeans", "pca")
CLASSES = "SELECT ward, age, cost, urgent FROM visits"
NUMBERS = "SELECT age, cost FROM visits"


def naive_bayes(folder: Path, rows_each: int = 1, *, is_each_row: bool = False) -> NaiveBayesPlan:
    training = read_training(CLASSES, "ward", 5, catalogued(folder, is_each_row=is_each_row)[1], 8)
    return NaiveBayesPlan(training, Relation.ADD_REMOVE, "one patient", rows_each)


def multinomial(folder: Path, rows_each: int = 1, steps: int = 4, *, is_each_row: bool = False) -> MultinomialPlan:
    training = read_training(CLASSES, "ward", 5, catalogued(folder, is_each_row=is_each_row)[1], 8)
    return MultinomialPlan(training, Relation.ADD_REMOVE, "one patient", rows_each, steps)


def kmeans(folder: Path, rows_each: int = 1, steps: int = 4, *, is_each_row: bool = False) -> KMeansPlan:
    design = read_design(NUMBERS, None, catalogued(folder, is_each_row=is_each_row)[1], "centres")
    return KMeansPlan(design, Relation.ADD_REMOVE, "one patient", 5, steps, rows_each)


def pca(folder: Path, rows_each: int = 1, *, is_each_row: bool = False) -> PcaPlan:
    design = read_design(NUMBERS, None, catalogued(folder, is_each_row=is_each_row)[1], "components")
    return PcaPlan(design, Relation.ADD_REMOVE, "one patient", rows_each, Fraction(1, 2))


def statistic(name: str, folder: Path, rows_each: int = 1, *, is_each_row: bool = False) -> Statistic:
    """The sums of one kind of model."""
    if name == "naive-bayes":
        plan = naive_bayes(folder, rows_each, is_each_row=is_each_row)
        return plan.rows_sql, lambda _: plan.bounded
    if name == "pca":
        components = pca(folder, rows_each, is_each_row=is_each_row)
        return components.rows_sql, lambda _: components.bounded
    if name == "kmeans":
        centres = kmeans(folder, rows_each, is_each_row=is_each_row)
        return centres.rows_sql, lambda rng: centres.near(rng.integers(-4096, 4097, (5, 2)))
    classes = multinomial(folder, rows_each, is_each_row=is_each_row)
    if name == "multinomial weights":
        return classes.rows_sql, lambda _: classes.counts
    levels = sum(feature.levels for feature in classes.training.features)
    return classes.rows_sql, lambda rng: classes.residuals(rng.normal(0, rng.choice([0.1, 2, 50]), (levels, 3)))
