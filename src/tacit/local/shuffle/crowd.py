"""One report among n, where all others are drawn in part from one law: the same sum from above and from below."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tacit.frozen import frozen
from tacit.local.shuffle.cell import Cell
from tacit.local.shuffle.excess import mean_excess_up
from tacit.local.shuffle.grid import Grid, clipped
from tacit.local.shuffle.rounding import exponential_down, exponential_up
from tacit.local.shuffle.sums import law_at
from tacit.local.shuffle.threshold import Voice, gain_below
from tacit.loss.accountant.lattice import Lattice
from tacit.loss.distributions.step import UNIT
from tacit.loss.families.curve import float_down


@frozen
class Crowd:
    """One person's report, from `one` answer or the `other`, shuffled among those of `people` − 1 others.

    Claim (replace, n public). Let every other report be drawn, with probability γ = Σ crowd and whatever the answer,
    from the law ω = crowd/γ. Then the shuffled reports satisfy
        δ(ε) ≤ (1/γn)·E(L₁+…+L_M)₊,  M ~ Bin(n, γ),  L = (P(y)−e^ε·Q(y))/ω(y) at y ~ ω,
    P and Q being the laws of the person's own report; and with equality if γ = 1.
    Proof. Show everybody the reports that were not drawn from ω: this only helps. What is left are m = 1+Bin(n−1, γ)
    shuffled reports, all from ω but the person's own. Its place is uniform, so against m reports from ω the likelihood
    ratio is (1/m)·Σ P(y_i)/ω(y_i) in the one world, likewise with Q in the other, and the hockey-stick divergence is
    (1/m)·E(Σ L_i)₊. Averaged over m, C(n−1, m−1)γ^{m−1}(1−γ)^{n−m}/m = C(n, m)γ^m(1−γ)^{n−m}/(γn). If γ = 1 nothing
    was shown. (Balle, Bell, Gascón and Nissim 2019; that the least mass over all answers is the best blanket: Su,
    Cheng and Wang 2025.)
    """

    cells: tuple[Cell, ...]
    people: int

    def delta_above(self, epsilon: Fraction) -> float:
        """A number ≥ the bound at ε."""
        atoms = self._atoms(exponential_down(epsilon))
        if self.crowded < 1:
            atoms.append((Fraction(0), 1 - self.crowded))
        return min(1.0, mean_excess_up(atoms, self.people) / self.people * (1 + 4 * UNIT))

    def delta_below(self, epsilon: Fraction) -> float:
        """A number ≤ what a test attains if all others' reports are drawn from ω, that is, γ = 1.

        The weights of the test are the L rounded to a grid; the gain computed is that of these very weights. Others who
        draw their answers at random are a mixture of data sets, and some data set of it is at least as telling.
        """
        factor = exponential_up(epsilon)
        gains = [cell.one - factor * cell.other for cell in self.cells]
        if not (self.crowded == 1 and any(gain > 0 for gain in gains)):
            return 0.0
        if self.people == 1:
            return max(0.0, math.fsum(max(0.0, float_down(gain)) for gain in gains) * (1 - 8 * UNIT))
        atoms = clipped(self._atoms(factor), self.people)
        grid = Grid.of(atoms, self.people)
        weights = [grid.nearest(value) for value, _ in atoms]
        masses: dict[int, Fraction] = {}
        for weight, cell in zip(weights, self.cells, strict=True):
            masses[weight] = masses.get(weight, Fraction(0)) + cell.crowd
        places = sorted(masses)
        lattice = Lattice(np.array(places, dtype=np.int64), np.array([float(masses[at]) for at in places]), 0.0, 0.0)
        others = law_at(float(grid.spacing), [(lattice, self.people - 1)], grid.tilt)
        return gain_below(others, [Voice(at, float_down(gain)) for at, gain in zip(weights, gains, strict=True)])

    @property
    def crowded(self) -> Fraction:
        """γ: the share of a report that does not depend on the answer."""
        return sum((cell.crowd for cell in self.cells), Fraction(0))

    def _atoms(self, factor: Fraction) -> list[tuple[Fraction, Fraction]]:
        return [((cell.one - factor * cell.other) / cell.crowd, cell.crowd) for cell in self.cells]
