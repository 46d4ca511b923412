"""One yes or no among others of whom so many hold the one answer and so many the other: exact, between two floats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tacit.frozen import frozen
from tacit.local.shuffle.rounding import exponential_down, exponential_up
from tacit.local.shuffle.sums import TiltedLaw, law_at
from tacit.local.shuffle.threshold import Voice, gain_below, tails
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
