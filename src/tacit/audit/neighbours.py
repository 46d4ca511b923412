"""Domains of neighbouring data: patterns to begin with, and small changes that keep two data sets neighbours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from tacit.frozen import frozen
from tacit.loss.families.loss import Relation

Pair: TypeAlias = tuple[Any, Any]

_LONGEST = 100
"""Rows of the longest list on a ladder."""


def rungs(ladder: Sequence[Pair]) -> list[Pair]:
    """The first steps of a ladder and a few of the others, up to the last."""
    return [*ladder[:9], *ladder[9:][::-1][::30][::-1]]


def tried_words(pairs: Sequence[Pair]) -> str:
    """The number of pairs tried, and the length of their lists, if they are lists."""
    sides = [side for pair in pairs for side in pair]
    number = "the one pair tried" if len(pairs) == 1 else f"each of the {len(pairs)} pairs tried"
    if not all(isinstance(side, (list, tuple)) for side in sides):
        return number
    return f"{number} (lists of up to {max(map(len, sides))} rows)"


class Domain(ABC):
    """The pairs of neighbours that a claim is about, as far as they can be generated."""

    @abstractmethod
    def patterns(self) -> list[Pair]:
        """Pairs of kinds that have exposed faulty mechanisms before."""

    @abstractmethod
    def changed(self, pair: Pair, generator: np.random.Generator) -> Pair:
        """Another pair of neighbours, near this one."""


@frozen
class Vectors(Domain):
    """Vectors of answers to queries of sensitivity 1: each coordinate may move by 1, or only one of them may."""

    low: float
    high: float
    lengths: tuple[int, int]
    all_move: bool = True
    whole: bool = False

    def patterns(self) -> list[Pair]:
        """One differs, all differ, one against the rest, half against half, the last against those before."""
        found = []
        for length in sorted(set(self.lengths)):
            one, rest = np.zeros(length), np.zeros(length)
            one[0], rest[1:] = 1, 1
            moves = [one]
            if self.all_move:
                half = np.where(np.arange(length) < length // 2, 1.0, -1.0)
                last = np.where(np.arange(length) < length - 1, 1.0, -1.0)
                moves += [np.ones(length), one - rest, half, last]
            base = np.full(length, np.clip(1.0, self.low, self.high - 1 if self.high > self.low else self.high))
            for move in moves:
                down = np.minimum(move, 0)
                found.append((base - down, base - down + move))
        return [pair for pair in found if self._inside(pair)]

    def changed(self, pair: Pair, generator: np.random.Generator) -> Pair:
        """One coordinate's place or move redrawn, a block shifted, or a coordinate added or taken away."""
        for _ in range(20):
            first, second = np.array(pair[0], np.float64), np.array(pair[1], np.float64)
            for _ in range(int(generator.integers(1, 4))):
                first, second = self._step(first, second, generator)
            if self._inside((first, second)) and np.any(first != second):
                return first, second
        return pair

    def _step(
        self, first: np.ndarray[Any, Any], second: np.ndarray[Any, Any], generator: np.random.Generator
    ) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        kind, at = generator.integers(5), int(generator.integers(len(first)))
        if kind == 0:
            by = self._rounded(generator.normal(0, (self.high - self.low) / 8))
            return self._moved(first, slice(at, None), by), self._moved(second, slice(at, None), by)
        if kind == 1:
            by = self._rounded(generator.normal(0, (self.high - self.low) / 8))
            return self._moved(first, slice(at, at + 1), by), self._moved(second, slice(at, at + 1), by)
        if kind == 2 and self.all_move:
            second = second.copy()
            second[at] = first[at] + generator.integers(-1, 2)
        elif kind == 3 and len(first) < max(self.lengths):
            return np.insert(first, at, first[at]), np.insert(second, at, second[at] if self.all_move else first[at])
        elif kind == 4 and len(first) > min(self.lengths):
            return np.delete(first, at), np.delete(second, at)
        return first, second

    def _rounded(self, by: float) -> float:
        return float(np.round(by)) if self.whole else float(by)

    def _moved(self, vector: np.ndarray[Any, Any], where: slice, by: float) -> np.ndarray[Any, Any]:
        moved = vector.copy()
        moved[where] += by
        return moved

    def _inside(self, pair: Pair) -> bool:
        return all(np.all((self.low <= side) & (side <= self.high)) for side in pair)


@frozen
class RowLists(Domain):
    """Lists of rows from a universe, neighbours under one relation; where n is public, it stays what it is."""

    universe: Sequence[Any]
    relation: Relation
    size: int = 12
    """The number of rows: at most under add/remove, exactly under replace."""

    def patterns(self) -> list[Pair]:
        """Each extreme row alone, among many of one kind, and among all kinds."""
        edge = (self.universe[0], self.universe[-1])
        bases = [[edge[0]] * (self.size - 1), [edge[1]] * (self.size - 1), list(self.universe[: self.size - 1])]
        if self.relation is Relation.ADD_REMOVE:
            bases.append([])
        return [self._neighbours(base, row) for base in bases for row in edge]

    def ladder(self) -> list[Pair]:
        """One more of the last row beside each number of them, up to lists of a hundred: every count is a pair's.

        Each step shares a data set with the next under add/remove. Under replace a step changes the last row; first
        the number of last rows grows in lists as long as the domain's, then the lists do.
        """
        last = self.universe[-1]
        if self.relation is Relation.ADD_REMOVE:
            return [self._neighbours([last] * count, last) for count in range(1, _LONGEST)]
        longer = [RowLists(self.universe, self.relation, length) for length in range(self.size + 1, _LONGEST + 1)]
        steps = [self._neighbours([last] * count, last) for count in range(1, self.size - 1)]
        return steps + [rows._neighbours([last] * (rows.size - 1), last) for rows in longer]

    def changed(self, pair: Pair, generator: np.random.Generator) -> Pair:
        """Some rows of the others redrawn, added or taken away, and at times another person."""
        base = list(pair[0] if len(pair[0]) < len(pair[1]) else pair[1])[: self.size - 1]
        for _ in range(int(generator.integers(1, 4))):
            if base and (self.relation is Relation.REPLACE or generator.random() < 0.7):
                base.pop(int(generator.integers(len(base))))
            if len(base) < self.size - 1 and generator.random() < 0.7:
                base.append(self._any(generator))
        return self._neighbours(base, self._any(generator))

    def _any(self, generator: np.random.Generator) -> Any:
        return self.universe[int(generator.integers(len(self.universe)))]

    def _neighbours(self, base: list[Any], row: Any) -> Pair:
        if self.relation is Relation.ADD_REMOVE:
            return [*base, row], base
        filled = base + [self.universe[0]] * (self.size - 1 - len(base))
        other = self.universe[-1] if row is self.universe[0] else self.universe[0]
        return [*filled, row], [*filled, other]
