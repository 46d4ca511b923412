"""Steps whose loss takes countably many values: coins, tables, integer noise."""

from __future__ import annotations

import math
from dataclasses import field

import numpy as np

from tacit.frozen import frozen
from tacit.loss.distributions.step import UNIT, Array, Ladder, Masses, Step, meets

_LOST = 1e-305  # more than the mass that a table leaves out


@frozen(eq=False)
class AtomsStep(Step):
    """A table of losses with their masses under P and Q, relative errors at most `unsure`, and what lies at ±∞."""

    losses: Array
    p: Array
    q: Array
    at_infinity: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    both_ways_alike: bool = False
    ladder: Ladder | None = None
    unsure: float = field(default=64 * UNIT)

    @property
    def symmetric(self) -> bool:
        return self.both_ways_alike

    @property
    def continuous(self) -> bool:
        return False

    def atoms(self) -> Array:
        return self.losses

    def masses(self, edges: Array) -> Masses:
        touch = 8 * UNIT * (1 + np.abs(self.losses))  # an atom this close below an edge counts as lying on it
        place = np.searchsorted(edges, self.losses + touch, side="right") - 1
        inside = (place >= 0) & (place < len(edges) - 1)
        cells = len(edges) - 1
        p, q = (np.bincount(place[inside], side[inside], cells).astype(np.float64) for side in (self.p, self.q))
        unsure = self.unsure + len(self.losses) * UNIT
        return Masses(p, q, p * unsure + _LOST, q * unsure + _LOST)

    def span(self, tail: float) -> tuple[float, float]:
        order = np.argsort(self.losses)
        losses = self.losses[order]
        below = np.maximum(np.cumsum(self.p[order]), np.cumsum(self.q[order]))
        above = np.maximum(np.cumsum(self.p[order][::-1]), np.cumsum(self.q[order][::-1]))[::-1]
        first = int(np.searchsorted(below, tail))
        last = int(np.count_nonzero(above > tail)) - 1
        return float(losses[min(first, len(losses) - 1)]), float(losses[max(last, 0)])

    def infinite(self) -> tuple[float, float, float, float]:
        return self.at_infinity


@frozen
class CoinStep(Step):
    """The optimal (ε, δ) response: everything with probability δ, else a coin of loss ±ε."""

    epsilon: float
    delta_low: float
    delta_up: float

    @property
    def symmetric(self) -> bool:
        return True

    @property
    def continuous(self) -> bool:
        return False

    def atoms(self) -> Array:
        return np.array([-self.epsilon, self.epsilon])

    @property
    def ladder(self) -> Ladder | None:
        return Ladder(self.epsilon, 2 * self.epsilon) if self.epsilon else None

    def masses(self, edges: Array) -> Masses:
        heads = 1 / (1 + math.exp(-self.epsilon))
        tails = math.exp(-self.epsilon) * heads
        kept = np.array([1 - self.delta_low])
        coin = np.concatenate([kept * tails, kept * heads])
        return AtomsStep(self.atoms(), coin, coin[::-1]).masses(edges)

    def ceiling(self) -> float:
        return self.epsilon * (1 + 4 * UNIT)

    def top(self) -> tuple[float, float]:
        heads = 1 / (1 + math.exp(-self.epsilon))
        return self.epsilon * (1 - 4 * UNIT), (1 - self.delta_up) * heads * (1 - 16 * UNIT)

    def span(self, tail: float) -> tuple[float, float]:
        return -self.epsilon, self.epsilon

    def infinite(self) -> tuple[float, float, float, float]:
        return self.delta_low, self.delta_up, self.delta_low, self.delta_up

    def snapped(self, spacing: float) -> Step:
        """A smaller ε is dominated: whatever is (ε′, δ)-private is (ε, δ)-private."""
        steps = math.floor(2 * self.epsilon / spacing * (1 + 4 * UNIT))
        if meets(steps, spacing, 2 * self.epsilon):
            return self
        return CoinStep(min(self.epsilon, steps * spacing / 2), self.delta_low, self.delta_up)


@frozen
class DiscreteLaplaceStep(Step):
    """Integer noise of mass ∝ e^{−rate·|x|} at 0 against the same at `shift`: losses rate·(shift−2k), k = 0 … shift."""

    rate: float
    shift: int

    @property
    def symmetric(self) -> bool:
        return True

    @property
    def continuous(self) -> bool:
        return False

    def atoms(self) -> Array:
        return self.rate * (self.shift - 2 * np.arange(self.shift + 1, dtype=np.float64))

    @property
    def ladder(self) -> Ladder:
        return Ladder(self.rate * self.shift, 2 * self.rate)

    def masses(self, edges: Array) -> Masses:
        k = np.arange(self.shift + 1, dtype=np.float64)
        end, inner = 1 / (1 + math.exp(-self.rate)), math.tanh(self.rate / 2)
        p = np.exp(-self.rate * k) * np.where((k == 0) | (k == self.shift), end, inner)
        table = AtomsStep(self.atoms(), p, p[::-1], unsure=64 * UNIT * (1 + self.rate * self.shift))
        return table.masses(edges)

    def ceiling(self) -> float:
        return self.rate * self.shift * (1 + 8 * UNIT)

    def top(self) -> tuple[float, float]:
        return self.rate * self.shift * (1 - 8 * UNIT), (1 - 16 * UNIT) / (1 + math.exp(-self.rate))

    def span(self, tail: float) -> tuple[float, float]:
        return -self.rate * self.shift, self.rate * self.shift

    def snapped(self, spacing: float) -> Step:
        """A smaller rate is dominated: it is the noise of the larger one plus independent noise.

        The characteristic functions' quotient is α + β·(that of the smaller rate), α and β ≥ 0: for a = e^−rate <
        a′ one has 1−2a·cos t+a² = (a/a′)(1−2a′·cos t+a′²) + (1−a/a′)(1−aa′).
        """
        steps = math.floor(2 * self.rate / spacing * (1 + 4 * UNIT))
        if meets(steps, spacing, 2 * self.rate):
            return self
        return DiscreteLaplaceStep(min(self.rate, steps * spacing / 2), self.shift)


def discrete_gaussian_step(variance: float, shift: int) -> AtomsStep:
    """Integer noise of mass ∝ e^{−x²/2σ²} at 0 against the same at `shift`; at x the loss is shift(shift−2x)/2σ².

    Atoms beyond 38.6σ weigh less than 1e-305 and are left out; that much is added to every error.
    """
    far = math.ceil(38.6 * math.sqrt(variance)) + shift
    x = np.arange(-far, far + shift + 1, dtype=np.float64)
    with np.errstate(under="ignore"):
        p, q = np.exp(-x * x / (2 * variance)), np.exp(-((x - shift) ** 2) / (2 * variance))
        total = float(np.sum(np.sort(p)))
        losses = shift * (shift - 2 * x) / (2 * variance)
        ladder = Ladder(shift * shift / (2 * variance), shift / variance)
        # the exponents reach 745, where a rounded exponent has that many rounding units of relative error
        return AtomsStep(losses, p / total, q / total, both_ways_alike=True, ladder=ladder, unsure=4096 * UNIT)
