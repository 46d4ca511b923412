"""Ranks from noisy counts on the levels of a tree: the number of people below each edge, and its error."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.exact import Number, proper
from tacit.frozen import frozen
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.statistics.noise_intervals import reach
from tacit.noise.bits import Integers
from tacit.noise.near import Floats

FAN = 16  # branches: at 256 cells a binary tree is four times as noisy with Laplace noise, and equal with Gaussian


@frozen(eq=False)
class RankTree:
    """Noisy counts, the coarsest level first, of a tree whose leaves are the cells of a grid.

    The cells below an edge are, level by level, the siblings left of the edge's place; those above it, the siblings
    right of it. Whichever is the sum of fewer counts gives the rank. `crowd` is the number of people where that is
    public (in the unit of the counts); else it is the sum of the coarsest level.
    """

    noise: Laplace | Gaussian
    counts: Floats
    levels: int
    crowd: int | None

    def cell(self, share: float) -> int:
        """The estimated cell of the quantile: where the rank, made monotone, first reaches its share."""
        excess = self.excess(share)
        rising = (np.maximum.accumulate(excess) + np.minimum.accumulate(excess[::-1])[::-1]) / 2
        return int(np.searchsorted(rising, 0.0, "left"))

    def cells_between(self, share: float, confidence: Number) -> tuple[int, int]:
        """The first and last cell in which the quantile can lie, with this confidence; that of `cell` is among them.

        If c is the true cell, excess ≥ 0 at the edge after it and < 0 at the edge before it, and so at the edges of the
        wider cells it lies in. On the way down the tree the first end goes to the first branch at whose far edge the
        excess may be ≥ 0, the last end to the last branch at whose near edge it may be < 0. An end passes the true cell
        only if on some level the noise at one edge exceeds its reach in one direction: half of (1 − confidence)/levels.
        """
        excess, seen = self.excess(share), self.cell(share)
        sure = 1 - (1 - proper(confidence, "confidence")) / self.levels
        first, end = 0, FAN**self.levels
        for depth in range(1, self.levels + 1):
            size = FAN ** (self.levels - depth)
            forth = (k for k in range(1, FAN) if self._may_be(excess, first + size * k, 1, share, sure))
            back = (k for k in range(1, FAN) if self._may_be(excess, end - size * k, -1, share, sure))
            first += size * (next(forth, FAN) - 1)
            end -= size * (next(back, FAN) - 1)
        return min(first, seen), max(end - 1, seen)

    def _may_be(self, excess: Floats, edge: int, sign: int, share: float, confidence: Number) -> bool:
        """Whether the interval of the excess at an edge contains this sign (or zero)."""
        return bool(sign * excess[edge - 1] >= -self._reach(edge - 1, share, confidence))

    def worst_reach(self, share: float, confidence: Number) -> float:
        """The largest error of a rank, at the edge with the largest variance."""
        below, many, coarse = self._sides
        near = np.where(below, 1 - share, share)
        varied = many - coarse + coarse * near**2 + (FAN - coarse) * (1 - near) ** 2 if self.crowd is None else many
        return self._reach(int(np.argmax(varied)), share, confidence)

    def excess(self, share: float) -> Floats:
        """rank − share·crowd at each inner edge: negative below the quantile."""
        crowd = self.counts[:FAN].sum() if self.crowd is None else self.crowd
        below, above = self._sums
        return np.where(self._sides[0], below - share * crowd, (1 - share) * crowd - above)

    def _reach(self, edge: int, share: float, confidence: Number) -> float:
        """The error of the excess at an edge: counts of the crowd have weight `share` or 1 − share, others 1."""
        below, many, coarse = (int(side[edge]) for side in self._sides)
        if self.crowd is not None:
            return reach(self.noise, (1.0,) * many, confidence)
        near = 1 - share if below else share
        weights = (1.0,) * (many - coarse) + (near,) * coarse + (1 - near,) * (FAN - coarse)
        return reach(self.noise, weights, confidence)

    @cached_property
    def _edges(self) -> Integers:
        return np.arange(1, FAN**self.levels, dtype=np.int64)

    @cached_property
    def _sides(self) -> tuple[NDArray[np.bool_], Integers, Integers]:
        """Whether the sum below is the shorter, how many counts the shorter has, and how many of the coarsest level."""
        leaves = FAN**self.levels
        low, high = (_digit_sum(numbers) for numbers in (self._edges, leaves - self._edges))
        shorter = np.where(low <= high, self._edges, leaves - self._edges)
        return low <= high, np.minimum(low, high), shorter // (leaves // FAN)

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """The counts below and above each inner edge, by the fewest nodes of each side."""
        ends = np.cumsum([FAN**depth for depth in range(1, self.levels)])
        levels = np.split(self.counts, ends)
        above = _sum_before([level[::-1] for level in levels], FAN**self.levels - self._edges)
        return _sum_before(levels, self._edges), above


def _digit_sum(numbers: Integers) -> Integers:
    """The sum of the digits in base FAN: how many earlier siblings an edge has, over all levels."""
    total = np.zeros_like(numbers)
    while numbers.any():
        total += numbers % FAN
        numbers = numbers // FAN
    return total


def _sum_before(levels: list[Floats], edges: Integers) -> Floats:
    """The sum of all cells before each edge: on every level, of the earlier siblings of the edge's place."""
    found = np.zeros(edges.size)
    for depth, level in enumerate(levels, start=1):
        place = edges // FAN ** (len(levels) - depth)
        running = np.cumsum(level.reshape(-1, FAN), axis=1).ravel()
        found += np.where(place % FAN == 0, 0.0, running[place - 1])
    return found
