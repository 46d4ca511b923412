"""The Laplace step: Laplace noise against itself, r scales away."""

from __future__ import annotations

import math

import numpy as np

from tacit.frozen import frozen
from tacit.loss.accountant.step import UNIT, Array, Ladder, Masses, Step, meets


@frozen
class LaplaceStep(Step):
    """The loss of Lap(0, 1) against Lap(r, 1): atoms at r and −r, of P-mass 1/2 and e^−r/2, and between them
    a density of e^{(ℓ−r)/2}/4 under P and e^{−(ℓ+r)/2}/4 under Q."""

    ratio: float

    @property
    def symmetric(self) -> bool:
        return True

    @property
    def ladder(self) -> Ladder:
        return Ladder(self.ratio, 2 * self.ratio)

    def atoms(self) -> Array:
        return np.array([-self.ratio, self.ratio])

    def masses(self, edges: Array) -> Masses:
        r = self.ratio
        inner = np.clip(edges, -r, r)
        width = np.diff(inner)
        p = np.exp((inner[:-1] - r) / 2) * np.expm1(width / 2) / 2
        q = np.exp(-(inner[:-1] + r) / 2) * -np.expm1(-width / 2) / 2
        touch = 8 * UNIT * (1 + r)  # an atom this close below an edge counts as on it
        for loss, at_p, at_q in ((r, 0.5, math.exp(-r) / 2), (-r, math.exp(-r) / 2, 0.5)):
            place = int(np.searchsorted(edges, loss + touch, side="right")) - 1
            if 0 <= place < len(p):
                p[place] += at_p
                q[place] += at_q
        return Masses(p, q, p * (16 * UNIT * (1 + r)), q * (16 * UNIT * (1 + r)))

    def ceiling(self) -> float:
        return self.ratio * (1 + 4 * UNIT)

    def top(self) -> tuple[float, float]:
        return self.ratio * (1 - 4 * UNIT), 0.5

    def span(self, tail: float) -> tuple[float, float]:
        return -self.ratio, self.ratio

    def snapped(self, spacing: float) -> Step:
        """A smaller ratio is dominated: it is the same noise on a query of smaller sensitivity."""
        steps = math.floor(2 * self.ratio / spacing * (1 + 4 * UNIT))
        return self if meets(steps, spacing, 2 * self.ratio) else LaplaceStep(min(self.ratio, steps * spacing / 2))
