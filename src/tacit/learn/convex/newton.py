"""The minimiser of a strongly convex objective by Newton's method, with a certificate: its gradient is short."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from scipy import linalg

from tacit.errors import Failed
from tacit.frozen import frozen
from tacit.learn.convex.design import FINEST, ExampleDesign
from tacit.learn.convex.losses import Floats, Integers, LossKind

TOLERANCE: Final = 2.0**-10  # of the exact gradient's norm at what is returned
_MOST_STEPS: Final = 400
_LARGEST: Final = 2.0**20  # of a coefficient: sums of 65 fit a word, and so do those of numbers in halves


@frozen(eq=False)
class RidgeObjective:
    """F(w) = Σω·loss(x·w, class) + λ‖w‖²/2 + b·w, for w in whole steps of 2^-`FINEST`.

    Claim: F is λ-strongly convex, so that ‖w − w*‖ ≤ ‖∇F(w)‖/λ for its only minimiser w*. Proof: the losses are convex,
    so ⟨∇F(w) − ∇F(v), w − v⟩ ≥ λ‖w − v‖²; take v = w*, where the gradient is 0. λ is absolute: it is divided by no
    number of rows, which is private.
    """

    design: ExampleDesign
    loss: LossKind
    ridge: float
    tilt: Floats  # b, numbers × K

    def gradient(self, steps: Integers) -> tuple[Floats, float]:
        """∇F in doubles, and how far it is off the exact one at most, in norm."""
        sums = self.design.sums(self.loss.gradients(self.design.scores(steps), self.design.target))
        pull = self.ridge * np.ldexp(steps.astype(np.float64), -FINEST)
        sizes = sum(float(np.linalg.norm(each)) for each in (sums, pull, self.tilt))
        return sums + pull + self.tilt, self.design.error * sums.shape[1] + sizes * 2.0**-48

    def curvature(self, steps: Integers) -> Floats:
        """The second derivatives, about: K blocks by K blocks."""
        parts = self.loss.curvatures(self.design.scores(steps), self.design.target) * self.design.weight[:, None, None]
        many = range(steps.shape[1])
        blocks = [[self.design.products(parts[:, one, other]) for other in many] for one in many]
        return np.asarray(np.block(blocks) + self.ridge * np.eye(steps.size))


def certified_minimum(objective: RidgeObjective, tolerance: float = TOLERANCE) -> Integers:
    """Coefficients where the exact gradient is at most `tolerance` long.

    Claim: what is returned meets that, by its own computed gradient and its error. It is found for every data set of
    at most 2^26 rows: each direction descends, since the curvature is positive definite; each step ends where the slope
    along it is at most half, so that F falls by a multiple of ‖∇F‖²; and the error and the grid of the coefficients are
    both far below the tolerance. Where doubles break that, the run fails, as every run may, with its constant answer.
    """
    steps = np.zeros(objective.tilt.shape, np.int64)
    for _ in range(_MOST_STEPS):
        gradient, error = objective.gradient(steps)
        if float(np.linalg.norm(gradient)) * (1 + 2.0**-30) + error <= tolerance:
            return steps
        factor = linalg.cho_factor(objective.curvature(steps), check_finite=False)
        flat = gradient.T.ravel()
        direction = -linalg.cho_solve(factor, flat).reshape(gradient.T.shape).T
        found = _along(objective, steps, direction, float((direction * gradient).sum()))
        if (found == steps).all():
            raise Failed
        steps = found
    raise Failed


def _along(objective: RidgeObjective, steps: Integers, direction: Floats, slope: float) -> Integers:
    """The coefficients on a ray where the slope has at most half the size that it begins with."""
    at = _ray(steps, direction)
    low, high, length = 0.0, 0.0, 1.0
    found = steps
    for _ in range(80):
        found = at(length)
        here = float((direction * objective.gradient(found)[0]).sum())
        if abs(here) <= abs(slope) / 2:
            break
        low, high = (low, length) if here > 0 else (length, high)
        length = (low + high) / 2 if high else 2 * length
    return found


def _ray(steps: Integers, direction: Floats) -> Callable[[float], Integers]:
    origin = np.ldexp(steps.astype(np.float64), -FINEST)

    def at(length: float) -> Integers:
        moved = np.clip(origin + length * direction, -_LARGEST, _LARGEST)
        return np.rint(np.ldexp(moved, FINEST)).astype(np.int64)

    return at
