"""Where to put the nodes of a sum of many independent values, and under which tilt to look at it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tacit.frozen import frozen
from tacit.local.shuffle.sums import window_near
from tacit.loss.accountant.lattice import Lattice
from tacit.loss.families.curve import float_up

_NODES = 1 << 15  # about as many as the window should have
_COARSE = 1024  # steps to the farthest value, for a first look
_TRIALS, _MOST_TRIALS = 8, 640
_FEW, _FAR = 64, 12  # more positive terms than these and so many deviations above their mean number never come

Atoms = Sequence[tuple[Fraction, Fraction]]
"""The values of one term and their masses, which add up to 1."""


@frozen
class Grid:
    """Nodes at origin + k·spacing for one term; and the tilt under which the sum is about to exceed 0."""

    origin: Fraction
    spacing: Fraction
    tilt: float

    @classmethod
    def of(cls, atoms: Atoms, count: int) -> Grid:
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
    """The same, no value farther below 0 than all positive terms together ever lie above it: others are raised."""
    largest = max(value for value, _ in atoms)
    mean = count * float(sum(mass for value, mass in atoms if value > 0))
    floor = -largest * math.ceil(mean + _FAR * math.sqrt(mean) + _FEW)
    return [(max(value, floor), mass) for value, mass in atoms]
