"""Continuous steps: N(μ, 1) against N(0, 1), and Laplace noise against itself, r scales away."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

from tacit.frozen import frozen
from tacit.loss.distributions.step import UNIT, Array, Ladder, Masses, Step, meets

_NARROW = 0.3  # for smaller (|z|+3)·width, five points integrate the density with less than a rounding error
_POINTS = (  # Gauss and Legendre's, in widths from the middle, and their weights, which add up to 1
    (math.sqrt(5 - 2 * math.sqrt(10 / 7)) / 6, (322 + 13 * math.sqrt(70)) / 1800),
    (math.sqrt(5 + 2 * math.sqrt(10 / 7)) / 6, (322 - 13 * math.sqrt(70)) / 1800),
)
_MIDDLE = 64 / 225


@frozen
class GaussianStep(Step):
    """The loss of N(μ, 1) against N(0, 1): at x it is μx − μ²/2, itself normal with variance μ²."""

    mu: float

    @property
    def symmetric(self) -> bool:
        return True

    def masses(self, edges: Array) -> Masses:
        x = edges / self.mu + self.mu / 2
        p, p_error = normal_intervals(x, self.mu)
        q, q_error = normal_intervals(x, 0.0, self.mu)
        return Masses(p, q, p_error, q_error)

    def span(self, tail: float) -> tuple[float, float]:
        far = self.mu * (float(-ndtri(max(tail, 1e-300))) + self.mu / 2)
        return -far, far

    def reach(self, tail: float) -> tuple[float, float]:
        """The range for this tail, widened.

        The spectrum of a law that is cut off where its tilted mass is not negligible decays slowly.
        """
        return self.span(tail**1.6)


def normal_intervals(edges: Array, mean: float, size: float | None = None) -> tuple[Array, Array]:
    """The probabilities of [e₀, e₁), … under N(mean, 1), and bounds of their errors.

    The edges are exact; the mean may be wrong by a few rounding units of `size`. A narrow interval is its width times
    the density at five points, whose remainder is below ((|z|+3)·width)¹⁰/10¹² of it (the tenth derivative is a Hermite
    polynomial times the density, and |He₁₀(z)| ≤ (|z|+2)¹⁰); a wide one is a difference of tails.
    """
    low, high = edges[:-1], edges[1:]
    with np.errstate(invalid="ignore", over="ignore"):
        width = high - low
        middle = (low + high) / 2 - mean
        wide = ~((np.abs(middle) + 3) * width <= _NARROW)
    middle, within = np.where(wide, 0.0, middle), np.where(wide, 0.0, width)
    mass = _MIDDLE * np.exp(-(middle**2) / 2)
    for aside, weight in _POINTS:
        away = aside * within
        mass += weight * (np.exp(-((middle - away) ** 2) / 2) + np.exp(-((middle + away) ** 2) / 2))
    mass *= within / math.sqrt(2 * math.pi)
    far = abs(mean) if size is None else size
    z = np.abs(middle)
    error = mass * (UNIT * (40 + 8 * z * (1 + z + far)))
    mass[wide], error[wide] = _wide_intervals(low[wide] - mean, high[wide] - mean, far)
    return mass, np.where(low == high, 0.0, error + 1e-305)


def _wide_intervals(low: Array, high: Array, size: float) -> tuple[Array, Array]:
    """Φ(high) − Φ(low) by the smaller tails, and bounds of the errors; an end may be a few units of |z|+size off.

    The tail's relative error, which a test holds against certified values, stays below 6(1+z²) units (the square in
    e^{−z²/2} is rounded before it is exponentiated). An end that is off by s changes the tail by at most s(1+|z|) of
    itself, because the normal hazard is at most 1+|z|.
    """
    near, far = ndtr(-np.abs(low)), ndtr(-np.abs(high))
    mass = np.where(low >= 0, near - far, far - near)
    astride = (low < 0) & (high >= 0)
    mass = np.where(astride, 1 - near - far, mass)
    error = np.where(astride, 4 * UNIT, 0.0)
    for end, tail in ((low, near), (high, far)):
        z = np.minimum(np.abs(end), 40.0)
        error = error + UNIT * (24 * (1 + z * z) + 8 * size * (1 + z)) * tail
    return np.maximum(mass, 0.0), error


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
        touch = 8 * UNIT * (1 + r)  # an atom this close below an edge counts as lying on it
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
