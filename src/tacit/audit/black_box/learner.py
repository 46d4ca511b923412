"""Learning a rule from answers about two data sets: all scores are tried, the most promising one is kept."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist

import numpy as np

from tacit.audit.black_box.features import features_of, linear_features_of
from tacit.audit.black_box.logistic import Logistic
from tacit.audit.black_box.matrix import Matrix
from tacit.audit.black_box.rule import Claimed, Rule, Tallied, rules
from tacit.audit.black_box.score import Labels, Score, Scores
from tacit.audit.black_box.single import Histogram, Single
from tacit.audit.black_box.table import Table
from tacit.audit.black_box.trees import Trees

_FITTED = 300_000  # rows that scores are learned on, at most
DOUBTS = (3.0, 2.0, 1.5)
"""How many standard errors worse than they look rules are taken: those that will do, should do, and might."""


def learn(
    rows: Matrix,
    labels: Labels,
    claims: Sequence[Claimed],
    fresh: int,
    alarm_rate: float,
    *,
    trees: int,
    doubts: Sequence[float] = DOUBTS[:1],
) -> list[Rule]:
    """The most promising rule for so many fresh answers at each doubt: learned on some rows, cut on others."""
    fitted = min(len(rows) // 2, _FITTED)
    cut_on = labels[fitted:]
    margin = NormalDist().inv_cdf(1 - alarm_rate) / math.sqrt(fresh / max(1, len(cut_on)))
    scored = _scores(rows[:fitted], labels[:fitted], rows[fitted:], trees)
    tallies = [(score, Tallied.of(values, cut_on)) for score, values in scored]
    return [
        max((rule for score, tallied in tallies for rule in rules(score, tallied, claims, margin, doubt)), key=_excess)
        for doubt in doubts
    ]


def _excess(rule: Rule) -> float:
    return rule.excess


def _scores(rows: Matrix, labels: Labels, held: Matrix, trees: int) -> Iterator[tuple[Score, Scores]]:
    """Each score with its values on the rows that were held back."""
    features = features_of(rows)
    columns = np.column_stack([feature.of(rows) for feature in features])
    apart = np.column_stack([feature.of(held) for feature in features])
    for at, feature in enumerate(features):
        for single in (Single(feature), Single(feature, falls=True)):
            yield single, single.told(apart[:, at])
        histogram = Histogram.learn(feature, columns[:, at], labels)
        yield histogram, histogram.ratios[np.searchsorted(histogram.edges, apart[:, at])]
    table = Table.learn(rows, labels)
    if table is not None:
        yield table, table.of(held)
    linear = linear_features_of(rows)
    if len(linear) > 1:
        logistic = Logistic.learn(linear, np.column_stack([feature.of(rows) for feature in linear]), labels)
        yield logistic, logistic.of(held)
    if trees:
        boosted = Trees.learn(features, columns, labels, trees)
        yield boosted, boosted.of(held)
