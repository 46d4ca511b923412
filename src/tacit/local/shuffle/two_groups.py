"""One yes or no among others of whom so many hold the one answer and so many the other: exact, between two floats.

With two answers and two reports every data set is a number of people who hold the one answer, so all can be bounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from tacit.frozen import frozen
from tacit.local.shuffle.randomizer_table import RandomizerTable
from tacit.local.shuffle.tilted_sums import (
    TiltedLaw,
    Voice,
    exponential_down,
    exponential_up,
    gain_below,
    law_at,
    tails,
)
from tacit.loss.accountant.lattice import Lattice
from tacit.loss.distributions.step import UNIT
from tacit.loss.families.curve import float_down, float_up


@frozen
class TwoGroups:
    """A report that is a yes with probability `one` or `other`, among independent ones of the `groups`.

    Each group is the probability of a yes and how many people have it. Only the number of yeses is told. Its law
    without the person, G, is that of a sum of independent coins, so G(h−1)/G(h) grows with h (Newton). So does the
    likelihood ratio of the two worlds, if one > other, and the best test is a threshold:
    δ(ε) = max over t of (one−e^ε·other)·G(≥ t−1) + ((1−one)−e^ε(1−other))·G(≥ t).
    """

    one: Fraction
    other: Fraction
    groups: tuple[tuple[Fraction, int], ...]

    def delta_above(self, epsilon: Fraction) -> float:
        """A number ≥ δ(ε) of this data set.

        A threshold that is surely too low need not be tried, and neither need those below it: where
        G(h−1)/G(h) ≤ (e^ε(1−other)−(1−one))/(one−e^ε·other), the best t exceeds h.
        """
        facing = self._facing_yes()
        yes, no = (float_up(gain) for gain in facing._gains(exponential_down(epsilon)))
        others = facing._others(yes, no)
        if not yes > 0 or others is None:
            return min(1.0, max(0.0, yes))
        low, up = tails(others)
        masses, error, unsure = others.masses, others.error, others.unsure
        step = math.exp(others.tilt) * (1 + 8 * UNIT * (1 + others.tilt))  # what a node's weight gains on the next one
        too_low = yes * (masses[:-1] + error) * step * (1 + unsure) ** 2 * (1 + 8 * UNIT) <= -no * (masses[1:] - error)
        if others.places[0] > 0 and not too_low.any():
            return min(1.0, yes)
        start = int(np.flatnonzero(too_low)[-1]) + 1 if too_low.any() else 0  # t−1 is at least this node
        gains = yes * up[start:-1] + no * low[start + 1 :]
        return min(1.0, max(0.0, float((gains + 4 * UNIT * yes * up[start:-1]).max())))

    def delta_below(self, epsilon: Fraction) -> float:
        """A number ≤ δ(ε) of this data set."""
        facing = self._facing_yes()
        yes, no = (float_down(gain) for gain in facing._gains(exponential_up(epsilon)))
        others = facing._others(yes, no)
        if not yes > 0 or others is None:
            return max(0.0, yes)
        return gain_below(others, [Voice(1, yes), Voice(0, no)])

    def _facing_yes(self) -> TwoGroups:
        """The same with yes and no exchanged, if a no speaks for the one world."""
        if self.one >= self.other:
            return self
        return TwoGroups(1 - self.one, 1 - self.other, tuple((1 - chance, size) for chance, size in self.groups))

    def _gains(self, factor: Fraction) -> Sequence[Fraction]:
        """P−e^ε·Q of a yes, which may be positive, and of a no, which is not."""
        return self.one - factor * self.other, (1 - self.one) - factor * (1 - self.other)

    def _others(self, yes: float, no: float) -> TiltedLaw | None:
        """The law of the others' yeses, seen where the threshold will be: there ln G falls by the tilt at each step."""
        parts = [
            (Lattice(np.arange(2), np.array([float(1 - chance), float(chance)]), 0.0, 0.0), size)
            for chance, size in self.groups
            if size
        ]
        if not (yes > 0 and parts):
            return None
        deviation = math.sqrt(sum(size * float(chance * (1 - chance)) for chance, size in self.groups))
        return law_at(1.0, parts, max(math.log(max(-no / yes, 1.0)), min(1.0, 1 / deviation)))


_BLOCKS = 48


def all_mixtures(channel: RandomizerTable, people: int) -> tuple[TwoGroups, ...]:
    """Scenes whose worst δ is ≥ that of every data set, and equal to it for up to 48 others.

    More people can only hide more: their reports could be added afterwards. So a block of data sets, in which from m to
    m′ of n−1 others hold answer 1, is bounded by the scene of m others who hold 1 and n−1−m′ who hold 0. The 48 blocks
    leave out one person in 48, which moves ε by about one part in a hundred.
    """
    others = people - 1
    return tuple(_scenes(channel, [(others - last, first) for first, last in _blocks(others)]))


def some_mixtures(channel: RandomizerTable, people: int) -> tuple[TwoGroups, ...]:
    """Data sets to attack: all of them for up to 48 others, else those where all agree and one where half do."""
    others = people - 1
    held = range(people) if others <= _BLOCKS else (0, others // 2, others)
    return tuple(_scenes(channel, [(others - ones, ones) for ones in held]))


def _scenes(channel: RandomizerTable, sizes: list[tuple[int, int]]) -> Iterator[TwoGroups]:
    """Every data set in every direction."""
    yes = [row[1] for row in channel.rows]
    for zeros, ones in sizes:
        for one, other in channel.pairs:
            yield TwoGroups(yes[one], yes[other], ((yes[0], zeros), (yes[1], ones)))


def _blocks(others: int) -> Iterator[tuple[int, int]]:
    """From 0 to `others`, in at most 49 blocks, in the order of most agreement: there the worst is to be expected."""
    ends = sorted({others * part // _BLOCKS for part in range(_BLOCKS + 1)})
    blocks = [(0, ends[0]), *((before + 1, end) for before, end in pairwise(ends))]
    return iter(sorted(blocks, key=lambda block: min(block[0], others - block[1])))
