"""The Gaussian step: N(μ, 1) against N(0, 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from tacit.loss.accountant.step import UNIT, Array, Masses, Step


@dataclass(frozen=True)
class GaussianStep(Step):
    """The loss of N(μ, 1) against N(0, 1): at x it is μx − μ²/2, itself normal with variance μ²."""

    mu: float

    @property
    def symmetric(self) -> bool:
        return True

    def masses(self, edges: Array) -> Masses:
        x = edges / self.mu + self.mu / 2
        p, p_error = normal_intervals(x - self.mu, self.mu)
        q, q_error = normal_intervals(x, self.mu)
        return Masses(p, q, p_error, q_error)

    def span(self, tail: float) -> tuple[float, float]:
        far = self.mu * (float(-ndtri(max(tail, 1e-300))) + self.mu / 2)
        return -far, far

    def reach(self, tail: float) -> tuple[float, float]:
        """Farther than the tail demands.

        A law cut off where its tilted mass is still felt has a spectrum that lingers.
        """
        return self.span(tail**1.6)


def normal_intervals(edges: Array, size: float) -> tuple[Array, Array]:
    """Φ(z₁)−Φ(z₀), … of rising edges, and a bound of the errors; an edge may be a few units of |z|+size off.

    The smaller tail is differenced. Its relative error, which a test holds against certified values, stays below
    4(1+z²) units (the square in e^{−z²/2} is rounded before it is exponentiated). An edge that is off by s changes
    the tail by at most s(1+|z|) of itself, because the normal hazard is at most 1+|z|.
    """
    distance = np.abs(edges)
    tail = ndtr(-distance)
    right = edges >= 0
    far, near = tail[:-1], tail[1:]
    mass = np.where(right[:-1], far - near, near - far)
    astride = ~right[:-1] & right[1:]
    mass[astride] = 1 - far[astride] - near[astride]
    z = np.minimum(distance, 40.0)
    unsure = UNIT * (16 * (1 + z * z) + 8 * size * (1 + z)) * tail
    error = unsure[:-1] + unsure[1:] + 1e-305
    error[astride] += 4 * UNIT
    error[edges[:-1] == edges[1:]] = 0.0  # nothing lies between an edge and itself
    return np.maximum(mass, 0.0), error
