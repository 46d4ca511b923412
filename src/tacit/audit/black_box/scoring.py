"""All scores at once: every feature alone, rising, falling and in bins, and those that weigh many of them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tacit.audit.black_box.features import Feature, features_of, linear_features_of
from tacit.audit.black_box.logistic import Logistic
from tacit.audit.black_box.matrix import Matrix
from tacit.audit.black_box.score import Labels, Score, Scores
from tacit.audit.black_box.single import Histogram, Single
from tacit.audit.black_box.table import Table
from tacit.audit.black_box.trees import Trees
from tacit.frozen import frozen


@frozen(eq=False)
class Scoring:
    """Scores that were learned from some rows, for others."""

    histograms: Sequence[Histogram]
    together: Sequence[Score]

    @classmethod
    def learn(cls, rows: Matrix, labels: Labels, trees: int) -> Scoring:
        features = features_of(rows)
        columns = _columns(features, rows)
        histograms = [Histogram.learn(feature, columns[:, at], labels) for at, feature in enumerate(features)]
        together: list[Score] = []
        table = Table.learn(rows, labels)
        if table is not None:
            together.append(table)
        linear = linear_features_of(rows)
        if len(linear) > 1:
            together.append(Logistic.learn(linear, _columns(linear, rows), labels))
        if trees:
            together.append(Trees.learn(features, columns, labels, trees))
        return cls(histograms, together)

    def of(self, rows: Matrix) -> Iterator[tuple[Score, Scores]]:
        """Each score with its values, always in the same order."""
        for histogram in self.histograms:
            column = histogram.feature.of(rows)
            for single in (Single(histogram.feature), Single(histogram.feature, falls=True)):
                yield single, single.told(column)
            yield histogram, histogram.told(column)
        for score in self.together:
            yield score, score.of(rows)


def _columns(features: Sequence[Feature], rows: Matrix) -> Matrix:
    return np.column_stack([feature.of(rows) for feature in features])
