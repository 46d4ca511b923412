"""The learner: it learns all scores, including small boosted trees, on some rows, and chooses cuts on other rows.

Trees over binned features find faults that show only in combinations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.audit.black_box.features import Column, Feature, Matrix, features_of, linear_features_of
from tacit.audit.black_box.guess_rule import Aim, Rule, Tallied, rules
from tacit.audit.black_box.scores import BinnedScore, Labels, Logistic, PatternScore, Score, Scores, Single, edges_of
from tacit.frozen import frozen

_DEPTH = 3
_RATE = 0.4
_PULL = 50.0  # prior coin flips added to every leaf


@frozen(eq=False)
class Tree:
    """A full binary tree: at node i the rows whose bin of a feature exceeds a cut go right."""

    places: NDArray[np.int64]
    cuts: NDArray[np.int64]
    leaves: NDArray[np.float64]

    def of(self, bins: dict[int, NDArray[np.int64]], size: int) -> Scores:
        node = np.zeros(size, np.int64)
        right = [bins[int(place)] > cut for place, cut in zip(self.places, self.cuts, strict=True)]
        for level in range(_DEPTH):
            first = 2**level - 1
            goes = np.zeros(size, bool)
            for at in range(first, 2 * first + 1):
                goes |= right[at] & (node == at)
            node = 2 * node + 1 + goes
        return np.asarray(self.leaves[node - (2**_DEPTH - 1)])


@frozen(eq=False)
class Trees(Score):
    """The sum of the trees."""

    features: Sequence[Feature]
    edges: Sequence[NDArray[np.float64]]
    trees: Sequence[Tree]

    @property
    def name(self) -> str:
        return "boosted trees"

    @classmethod
    def learn(
        cls, features: Sequence[Feature], columns: Matrix, labels: Labels, rounds: int = 20, bins: int = 32
    ) -> Trees:
        """Newton boosting of the logistic loss, with histograms."""
        edges = [edges_of(columns[:, at], bins) for at in range(len(features))]
        binned = [np.searchsorted(cuts, columns[:, at]) for at, cuts in enumerate(edges)]
        trees, total = [], np.zeros(len(labels))
        for _ in range(rounds):
            chance = 1 / (1 + np.exp(-np.clip(total, -30, 30)))
            tree, grown = _grow(binned, bins + 1, labels - chance, chance * (1 - chance))
            trees.append(tree)
            total += grown
        return cls(features, edges, trees)

    @cached_property
    def _used(self) -> list[int]:
        return sorted({int(place) for tree in self.trees for place in tree.places})

    def of(self, rows: Matrix) -> Scores:
        bins = {at: np.searchsorted(self.edges[at], self.features[at].of(rows)) for at in self._used}
        return np.asarray(np.sum([tree.of(bins, len(rows)) for tree in self.trees], axis=0))


def _grow(binned: Sequence[NDArray[np.int64]], size: int, slope: Column, bend: Column) -> tuple[Tree, Scores]:
    """One tree, level by level; every node takes the cut with the largest gain."""
    places, cuts = np.zeros(2**_DEPTH - 1, np.int64), np.full(2**_DEPTH - 1, size)
    node = np.zeros(len(slope), np.int64)
    for level in range(_DEPTH):
        width = 2**level
        best = np.full(width, 0.0)
        for at, bins in enumerate(binned):
            slopes, bends = (
                np.bincount(node * size + bins, part, width * size).reshape(width, size).cumsum(axis=1)
                for part in (slope, bend)
            )
            gains = _gain(slopes, bends) + _gain(slopes[:, -1:] - slopes, bends[:, -1:] - bends)
            gains -= _gain(slopes[:, -1:], bends[:, -1:])
            cut = gains.argmax(axis=1)
            gain = gains[np.arange(width), cut]
            better = np.flatnonzero(gain > best)
            best[better] = gain[better]
            places[width - 1 + better], cuts[width - 1 + better] = at, cut[better]
        right = np.zeros(len(node), bool)
        for at in range(width):
            here = node == at
            right[here] = binned[places[width - 1 + at]][here] > cuts[width - 1 + at]
        node = 2 * node + right
    leaves = _RATE * np.bincount(node, slope, 2**_DEPTH) / (np.bincount(node, bend, 2**_DEPTH) + _PULL / 4)
    return Tree(places, cuts, leaves), leaves[node]


def _gain(slope: Matrix, bend: Matrix) -> Matrix:
    return slope**2 / (bend + _PULL / 4)


@frozen(eq=False)
class Scoring:
    """Scores learned from some rows, to apply to others."""

    histograms: Sequence[BinnedScore]
    together: Sequence[Score]

    @classmethod
    def learn(cls, rows: Matrix, labels: Labels, trees: int) -> Scoring:
        features = features_of(rows)
        columns = _columns(features, rows)
        histograms = [BinnedScore.learn(feature, columns[:, at], labels) for at, feature in enumerate(features)]
        together: list[Score] = []
        table = PatternScore.learn(rows, labels)
        if table is not None:
            together.append(table)
        linear = linear_features_of(rows)
        if len(linear) > 1:
            together.append(Logistic.learn(linear, _columns(linear, rows), labels))
        if trees:
            together.append(Trees.learn(features, columns, labels, trees))
        return cls(histograms, together)

    def of(self, rows: Matrix) -> Iterator[tuple[Score, Scores]]:
        """Each score with its values, in a fixed order."""
        for histogram in self.histograms:
            column = histogram.feature.of(rows)
            for single in (Single(histogram.feature), Single(histogram.feature, falls=True)):
                yield single, single.told(column)
            yield histogram, histogram.told(column)
        for score in self.together:
            yield score, score.of(rows)


def _columns(features: Sequence[Feature], rows: Matrix) -> Matrix:
    return np.column_stack([feature.of(rows) for feature in features])


_FITTED = 300_000  # rows that scores are learned on, at most


@frozen(eq=False)
class Learned:
    """All scores, and the tally of each on rows that it was not learned on."""

    scoring: Scoring
    tallies: Sequence[tuple[Score, Tallied]]

    @classmethod
    def of(cls, rows: Matrix, labels: Labels, *, trees: int) -> Learned:
        fitted = min(len(rows) // 2, _FITTED)
        scoring = Scoring.learn(rows[:fitted], labels[:fitted], trees)
        tallies = [(score, Tallied.of(values, labels[fitted:])) for score, values in scoring.of(rows[fitted:])]
        return cls(scoring, tallies)

    def more(self, rows: Matrix, labels: Labels) -> Learned:
        """With further rows to cut the scores on."""
        pairs = zip(self.tallies, self.scoring.of(rows), strict=True)
        return replace(self, tallies=[(score, tallied.more(values, labels)) for (score, tallied), (_, values) in pairs])

    def rule(self, aim: Aim, doubt: float) -> Rule:
        """The rule of the highest lower confidence bound, so many standard errors below its estimate."""
        return self.rules(aim, (doubt,))[0]

    def rules(self, aim: Aim, doubts: Sequence[float]) -> list[Rule]:
        """The best rule at each doubt, each with a score of its own: an overfitted score spoils one rule only."""
        found: list[Rule] = []
        left = list(self.tallies)
        for doubt in doubts:
            best = [max(rules(score, tallied, aim, doubt), key=_excess) for score, tallied in left]
            at = max(range(len(best)), key=lambda at: best[at].excess)
            found.append(best[at])
            left = [*left[:at], *left[at + 1 :]] or left
        return found


def _excess(rule: Rule) -> float:
    return rule.excess
