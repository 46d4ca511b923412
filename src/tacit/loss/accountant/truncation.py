"""A composed pair without its rarest losses: the remaining losses lie between two limits."""

from __future__ import annotations

import math

import numpy as np
from scipy import fft

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.accountant.bracket_ends import Resolution, Steps, cut_all
from tacit.loss.accountant.fourier import Sum, add_up
from tacit.loss.accountant.lattice import Lattice, upper_lattice
from tacit.loss.accountant.tilt import Cumulants
from tacit.loss.distributions.step import UNIT, Array

_HALVINGS = 60
_ROUNDED = 64 * UNIT
_SUMMED = 1e-12  # exceeds the relative error of a sum, or of e to a power of at most 700


@frozen(eq=False)
class Clipped:
    """Sub-measures P_s ≤ P and Q_s ≤ Q of a pair that dominates a composition, by their nodes.

    Node k has the ratio ln(P_s/Q_s) = ratios[k]; `p` and `q` bound the masses from above, node by node. The true masses
    of P_s and Q_s are at least 1−δ, and at least their bounds added up, less `unsure`.
    """

    ratios: Array
    p: Array
    q: Array
    unsure: float

    @property
    def largest(self) -> float:
        """A bound of D_∞: the largest ratio, either way round, once both are conditioned on what is left."""
        kept = min(float(side.sum()) for side in (self.p, self.q)) * (1 - _SUMMED) - self.unsure
        return float(np.abs(self.ratios).max()) - math.log(kept)

    def divergence(self, order: float) -> float:
        """A bound of D_α between the two, each conditioned on what is left, in the worse direction.

        With p and q the masses of P_s and Q_s, D_α(P_s/p‖Q_s/q) = (ln ΣP_s(P_s/Q_s)^{α−1} − α·ln p + (α−1)·ln q)/(α−1).
        """
        bounds = []
        for own, other, sign in ((self.p, self.q, 1.0), (self.q, self.p, -1.0)):
            with np.errstate(divide="ignore"):
                exponents = np.log(own) + (order - 1) * sign * self.ratios
            top = float(exponents.max())
            moment = top + math.log(float(np.exp(exponents - top).sum())) + _SUMMED * (1 + abs(top))
            kept = float(own.sum()) * (1 - _SUMMED) - self.unsure
            largest = min(1.0, float(other.sum()) * (1 + _SUMMED))
            bounds.append((moment - order * math.log(kept) + (order - 1) * math.log(largest)) / (order - 1))
        return max(bounds)


def clip(steps: Steps, grid: Resolution, delta: float) -> Clipped:
    """The pair on this grid, cut where less than δ is left out of either law; refused where errors take more than δ.

    Claim: each neighbouring pair of the composition is a post-processing of a pair (P, Q) or (Q, P) with P = P_s + …,
    Q = Q_s + …, where the rests weigh at most δ. Proof. The upper lattices dominate the steps at every real ε, that is
    in Blackwell's sense, and their product dominates the composition (Zhu–Dong–Wang 2022); `_removed` makes laws of
    their measures. At every node P = e^ℓ·Q exactly, so a factor w ≤ 1 on both keeps the ratio: let w make P at most
    what the transform says where ℓ ≥ 0, and Q at most what it says, tilted by −1, where ℓ < 0. That leaves out of
    either law at most what both transforms are wrong by. Last, P is cut down to e^c·Q where ℓ > c, which leaves out
    its gain at c, and Q to e^c′·P where ℓ < −c′.
    """
    parts = [(upper_lattice(one), times) for one, (_, times) in zip(cut_all(steps, grid), steps, strict=True)]
    cumulants, spare = Cumulants.of(grid.spacing, parts), min(1e-3 * delta, _SUMMED)
    losses, masses = [], []
    lost = math.fsum(times * _removed(one, grid.spacing) for one, times in parts)
    for tilt in (0.0, -1.0):
        total = add_up(grid.spacing, parts, cumulants, tilt, spare)
        at, mass, wrong = _law(total)
        weight = math.exp(total.log_weight + tilt * total.shift)
        half = at < 0 if tilt else at >= 0
        losses.append(at[half])
        masses.append(mass[half] * weight * (1 + total.unsure))
        lost += (wrong + total.error) * weight + 2 * total.unsure + total.infinite + abs(1 - weight)
    loss = np.concatenate(losses)
    with np.errstate(over="ignore", under="ignore"):
        p = np.concatenate([masses[0], masses[1] * np.exp(losses[1])])
        q = np.concatenate([masses[0] * np.exp(-losses[0]), masses[1]])
    high, low = _least_limit(loss, p, delta, lost), _least_limit(-loss, q, delta, lost)
    ratios = np.clip(loss, -low, high)
    left_p, left_q = p * np.exp(np.minimum(ratios - loss, 0.0)), q * np.exp(np.minimum(loss - ratios, 0.0))
    return Clipped(ratios, left_p, left_q, lost)


def _least_limit(loss: Array, mass: Array, delta: float, lost: float) -> float:
    """The least limit c ≥ 0 at which the gain Σ mass·(1−e^{c−loss})₊ plus the other losses of mass is within δ."""

    def is_within(limit: float) -> bool:
        above = loss > limit
        return float((mass[above] * -np.expm1(limit - loss[above])).sum()) * (1 + _SUMMED) + lost <= delta

    low, high = 0.0, max(0.0, float(loss.max()))
    if not is_within(high):
        raise Refused(
            f"a plan with at most δ = {delta:g} of its losses left out",
            "Certain disclosure or rounding errors take more than that.",
            "a larger δ.",
        )
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_within(middle) else (middle, high)
    return high


def _removed(lattice: Lattice, spacing: float) -> float:
    """What is removed, of P and Q together, to make two laws of an upper measure that still dominate.

    If P's masses add up to 1+τ, τ is removed from the lowest losses, where Q keeps its mass. For γ ≥ r, the ratio up to
    which P is removed, δ(ln γ) stays; below, it is 1−γ(1−β) with β the mass of Q there, and the step's own is
    1−γ+γ·H_{1/γ}(Q‖P), whose last factor is at most that at r, hence at most β. If Q's masses add up to more than 1,
    the excess is removed from the highest losses, which only raises δ. What one law keeps alone is left out of it.
    """
    p, loss = lattice.masses, lattice.places * spacing + lattice.shift
    q = p * np.exp(-loss)
    over_p = max(0.0, float(p.sum()) + lattice.infinite - 1) + _ROUNDED
    over_q = max(0.0, float(q.sum()) - 1) + _ROUNDED
    return over_p + _beside(p, q, over_p) + over_q + _beside(q[::-1], p[::-1], over_q)


def _beside(own: Array, other: Array, removed: float) -> float:
    """The mass of the other law on the first nodes that together hold this much mass; a node may be split."""
    below = np.concatenate([[0.0], np.cumsum(own)])
    return float(np.interp(removed, below, np.concatenate([[0.0], np.cumsum(other)]))) * (1 + _SUMMED) + _ROUNDED


def _law(total: Sum) -> tuple[Array, Array, float]:
    """The nodes' losses, the tilted law without negative roundings, and the error of the inverse transform in ℓ₁."""
    coefficients = np.zeros(total.size // 2 + 1, dtype=np.complex128)
    coefficients[total.frequencies] = total.coefficients
    law = np.roll(fft.irfft(coefficients, total.size), -(total.first % total.size))
    wrong = 16 * UNIT * math.log2(total.size) * math.sqrt(total.size * float((law**2).sum()))
    places = total.first + np.arange(total.size)
    return places * total.spacing + total.shift, np.maximum(law, 0.0), wrong
