"""Learning a rule from answers about two data sets: all scores are tried, the most promising one is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tacit.audit.black_box.features import features_of
from tacit.audit.black_box.logistic import Logistic
from tacit.audit.black_box.matrix import Matrix
from tacit.audit.black_box.rule import Claimed, Rule, best_rule
from tacit.audit.black_box.score import Labels, Score, Scores
from tacit.audit.black_box.single import Histogram, Single
from tacit.audit.black_box.table import Table
from tacit.audit.black_box.trees import Trees


def learn(
    rows: Matrix, labels: Labels, claims: Sequence[Claimed], fresh: int, alarm_rate: float, *, trees: int
) -> Rule:
    """The rule for so many fresh answers: scores learned on one half of the rows, cuts chosen on the other."""
    half = len(rows) // 2
    chosen_on = labels[half:]
    scores = _scores(rows[:half], labels[:half], rows[half:], trees)
    return best_rule(scores, chosen_on, claims, fresh / max(1, len(chosen_on)), alarm_rate)


def _scores(rows: Matrix, labels: Labels, held: Matrix, trees: int) -> Iterator[tuple[Score, Scores]]:
    """Each score with its values on the rows that were held back."""
    features = features_of(rows)
    columns = np.column_stack([feature.of(rows) for feature in features])
    apart = np.column_stack([feature.of(held) for feature in features])
    for at, feature in enumerate(features):
        yield Single(feature), apart[:, at]
        histogram = Histogram.learn(feature, columns[:, at], labels)
        yield histogram, histogram.ratios[np.searchsorted(histogram.edges, apart[:, at])]
    table = Table.learn(rows, labels)
    if table is not None:
        yield table, table.of(held)
    if len(features) > 1:
        logistic = Logistic.learn(features, columns, labels)
        yield logistic, logistic.of(held)
    if trees:
        boosted = Trees.learn(features, columns, labels, trees)
        yield boosted, boosted.of(held)
