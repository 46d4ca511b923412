"""One report among n, where all others are drawn in part from one distribution: an upper and a lower bound of one sum.

The mean excess of a sum over nothing, E(X₁+…+X_n)₊, bounded from above, is what hides one report among blanket reports.
A grid has the nodes of the sum and its tilt.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tacit.frozen import frozen
from tacit.local.shuffle.randomizer_table import ReportCell
from tacit.local.shuffle.tilted_sums import Voice, exponential_down, exponential_up, gain_below, law_at, window_near
from tacit.loss.accountant.lattice import Lattice
from tacit.loss.distributions.step import UNIT
from tacit.loss.families.curve import float_down, float_up

_NODES = 1 << 15  # the approximate number of nodes in the window
_COARSE = 1024  # steps to the farthest value, for a first estimate
_TRIALS, _MOST_TRIALS = 8, 640
_FEW, _FAR = 64, 12  # more positive terms than these plus so many deviations above their mean number are excluded

Atoms = Sequence[tuple[Fraction, Fraction]]
"""The values of one term and their masses, which add up to 1."""


@frozen
class SumGrid:
    """Nodes at origin + k·spacing for one term; and the tilt under which the sum is about to exceed 0."""

    origin: Fraction
    spacing: Fraction
    tilt: float

    @classmethod
    def of(cls, atoms: Atoms, count: int) -> SumGrid:
        """Its origin is the likeliest value; its spacing meets the farthest, and the rest as nearly as one of many."""
        origin = max(atoms, key=lambda atom: atom[1])[0]
        reach = float(max(abs(value - origin) for value, _ in atoms))
        coarse = cls(origin, Fraction(reach / _COARSE), 0.0)
        tilt, width = window_near(float(coarse.spacing), [(coarse.split(atoms), count)], -float(count * origin))
        least = max(1, math.ceil(reach * _NODES / width))
        steps = np.arange(least, least + _TRIALS + least // 4)[:_MOST_TRIALS]
        shares = np.array([[float(value - origin)] for value, _ in atoms]) * (steps / reach) % 1.0
        masses = np.array([[float(mass)] for _, mass in atoms])
        added = (masses * shares * (1 - shares)).sum(axis=0) / steps**2  # to the variance, by splitting
        return cls(origin, Fraction(reach / int(steps[np.argmin(added)])), tilt)

    def split(self, atoms: Atoms) -> Lattice:
        """Every mass on the two nodes beside its value, the mean kept; all masses rounded up."""
        masses: dict[int, Fraction] = {}
        for value, mass in atoms:
            steps = (value - self.origin) / self.spacing
            place = math.floor(steps)
            for node, share in ((place, 1 - (steps - place)), (place + 1, steps - place)):
                if share:
                    masses[node] = masses.get(node, Fraction(0)) + mass * share
        places = sorted(masses)
        rounded = np.array([float_up(masses[place]) for place in places])
        return Lattice(np.array(places, dtype=np.int64), rounded, 0.0, 0.0)

    def nearest(self, value: Fraction) -> int:
        """The node nearest to a value."""
        return round((value - self.origin) / self.spacing)


def clipped(atoms: Atoms, count: int) -> Atoms:
    """The same, no value farther below 0 than all positive terms together ever lie above it: lower ones are raised."""
    largest = max(value for value, _ in atoms)
    mean = count * float(sum(mass for value, mass in atoms if value > 0))
    floor = -largest * math.ceil(mean + _FAR * math.sqrt(mean) + _FEW)
    return [(max(value, floor), mass) for value, mass in atoms]


_LARGEST = 700.0  # exponents within the range of floats


def mean_excess_up(atoms: Atoms, count: int) -> float:
    """A number ≥ E(X₁+…+X_count)₊ for independent copies of X, whose values and masses are given.

    Every value is split between the two grid nodes beside it with its mean kept. As (·)₊ is convex, and adding
    independent terms keeps it so, the mean excess only grows; and it grows by the second power of the spacing. Masses
    are rounded up. The sum's law is tilted by λ: E S₊ = e^{K(λ)}·E_λ[S₊e^{−λS}], and x₊e^{−λx} ≤ 1/(eλ) bounds what
    any error of the law can do.
    """
    if count == 1 or not any(value > 0 for value, _ in atoms):
        return float_up(sum((mass * value for value, mass in atoms if value > 0), Fraction(0)))
    atoms = clipped(atoms, count)
    grid = SumGrid.of(atoms, count)
    law = law_at(float(grid.spacing), [(grid.split(atoms), count)], grid.tilt)
    start = float_up(count * grid.origin)
    values = np.maximum(law.values + start, 0.0)
    with np.errstate(under="ignore"):
        weights = values * np.exp(-law.tilt * values)
    found = float((law.masses * weights).sum())
    largest = float(np.abs(law.values).max()) + abs(start)
    roundings = UNIT * (len(values) + 64) * float((np.abs(law.masses) * weights).sum()) + 4 * UNIT * largest
    most = 1 / (math.e * law.tilt)
    logarithm = law.log_weight + law.tilt * start
    logarithm += 8 * UNIT * (abs(law.log_weight) + law.tilt * largest + 8)
    if not logarithm < _LARGEST:
        return math.inf
    return (found + roundings + law.error * most) * math.exp(logarithm) * (1 + law.unsure)


@frozen
class Crowd:
    """One person's report, from `one` answer or the `other`, shuffled among those of `people` − 1 others.

    Claim (replace, n public). Let every other report be drawn, with probability γ = Σ crowd and for every answer,
    from the law ω = crowd/γ. Then the shuffled reports satisfy
        δ(ε) ≤ (1/γn)·E(L₁+…+L_M)₊,  M ~ Bin(n, γ),  L = (P(y)−e^ε·Q(y))/ω(y) at y ~ ω,
    P and Q being the laws of the person's own report; and with equality if γ = 1.
    Proof. Reveal the reports that were not drawn from ω, which only helps an adversary. There remain m = 1+Bin(n−1, γ)
    shuffled reports, all from ω but the person's own. Its place is uniform, so against m reports from ω the likelihood
    ratio is (1/m)·Σ P(y_i)/ω(y_i) in the one world, likewise with Q in the other, and the hockey-stick divergence is
    (1/m)·E(Σ L_i)₊. Averaged over m, C(n−1, m−1)γ^{m−1}(1−γ)^{n−m}/m = C(n, m)γ^m(1−γ)^{n−m}/(γn). If γ = 1 nothing
    was shown. (Balle, Bell, Gascón and Nissim 2019; that the least mass over all answers is the best blanket: Su,
    Cheng and Wang 2025.)
    """

    cells: tuple[ReportCell, ...]
    people: int

    def delta_above(self, epsilon: Fraction) -> float:
        """A number ≥ the bound at ε."""
        atoms = self._atoms(exponential_down(epsilon))
        if self.crowded < 1:
            atoms.append((Fraction(0), 1 - self.crowded))
        return min(1.0, mean_excess_up(atoms, self.people) / self.people * (1 + 4 * UNIT))

    def delta_below(self, epsilon: Fraction) -> float:
        """A number ≤ the gain of a test if all others' reports are drawn from ω, that is, γ = 1.

        The weights of the test are the L rounded to a grid; the gain computed is that of these very weights. Others who
        draw their answers at random are a mixture of data sets, and some data set of it gains at least as much.
        """
        factor = exponential_up(epsilon)
        gains = [cell.one - factor * cell.other for cell in self.cells]
        if not (self.crowded == 1 and any(gain > 0 for gain in gains)):
            return 0.0
        if self.people == 1:
            return max(0.0, math.fsum(max(0.0, float_down(gain)) for gain in gains) * (1 - 8 * UNIT))
        atoms = clipped(self._atoms(factor), self.people)
        grid = SumGrid.of(atoms, self.people)
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
