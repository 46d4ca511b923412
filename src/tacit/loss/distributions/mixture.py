"""Sub-sampled steps: the person takes part in the base step with probability q only."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tacit.frozen import frozen
from tacit.loss.distributions.continuous import LaplaceStep
from tacit.loss.distributions.discrete import CoinStep
from tacit.loss.distributions.step import UNIT, Array, Ladder, Masses, Step, meets

_BARELY = 2.0**-70  # a positive loss smaller than any other loss here
_BESIDE = 16 * UNIT  # a positive loss of the base that exceeds the rounding errors of a table's atoms


@frozen(eq=False)
class PoissonStep(Step):
    """(1−q)Q + qP against Q, for the base step (P, Q): the worlds with and without the person, under add/remove.

    Where the base has loss ℓ, this has ln(1−q+qe^ℓ), which rises with ℓ; so an interval of this loss is one of the
    base's, and its masses are (1−q)Q + qP and Q of that one.
    """

    base: Step
    rate: float

    @property
    def symmetric(self) -> bool:
        return False

    def masses(self, edges: Array) -> Masses:
        q = self.rate
        inner = self.base.masses(self.base_edges(edges))
        p = (1 - q) * inner.q + q * inner.p
        p_error = (1 - q) * inner.q_error + q * inner.p_error + 8 * UNIT * p
        base_q, q_error = inner.q.copy(), inner.q_error.copy()
        *_, low, up = self.base.infinite()
        if up > 0:  # an output of the base that only Q can give has the least loss here
            place = int(np.searchsorted(edges, math.log1p(-q) + 8 * UNIT, side="right")) - 1
            if 0 <= place < len(p):
                p[place] += (1 - q) * up
                base_q[place] += up
                p_error[place] += (1 - q) * (up - low) + 8 * UNIT * up
                q_error[place] += (up - low) + 8 * UNIT * up
        return Masses(p, base_q, p_error, q_error)

    def base_edges(self, edges: Array) -> Array:
        """ℓ = ln((e^L−(1−q))/q), −∞ where L ≤ ln(1−q): near 0 by expm1, farther down by the difference itself."""
        q = self.rate
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            near = np.log1p(np.expm1(np.minimum(edges, 1.0)) / q)
            far = np.log((np.exp(np.minimum(edges, 700.0)) - (1 - q)) / q)
            found = np.where(np.abs(edges) <= 0.5, near, far)
        found = np.where(np.isnan(found), -math.inf, found)
        return np.where(np.isinf(edges), edges, found)

    def span(self, tail: float) -> tuple[float, float]:
        low, high = self.base.span(tail)
        least = math.log1p(-self.rate) if self.base.infinite()[3] > 0 else math.inf
        return min(self.loss(low), least), self.loss(high)

    @property
    def continuous(self) -> bool:
        return self.base.continuous

    def atoms(self) -> Array:
        least = [math.log1p(-self.rate)] if self.base.infinite()[3] > 0 else []
        return np.array([*least, *(self.loss(float(atom)) for atom in self.base.atoms())])

    @property
    def ladder(self) -> Ladder | None:
        """The two ends, where the base is a coin or Laplace noise: the only atoms."""
        atoms = self.atoms()
        return Ladder(float(atoms.max()), float(np.ptp(atoms))) if len(atoms) == 2 else None

    def snapped(self, spacing: float) -> Step:
        """A smaller base is dominated, and so is its mixture."""
        return snapped_mixture(self, spacing, lambda base: PoissonStep(base, self.rate))

    def anchor(self, spacing: float) -> float:
        """A node near the least loss ln(1−q), where much of the mass lies at all scales below the spacing.

        It is placed so that the losses below it and the half cell above it balance, and both can be merged into the
        loss of the node itself.
        """
        if self.ladder or self.rate == 1:
            return super().anchor(spacing)
        least = math.log1p(-self.rate)
        heights = spacing * 2.0 ** np.arange(-16.0, 1.0, 0.5)
        edges = np.concatenate([[-math.inf], np.sort(np.concatenate([least + heights, least + heights + spacing / 2]))])
        found = self.masses(np.append(edges, math.inf))
        p, q = np.cumsum(found.p), np.cumsum(found.q)
        for height in heights:
            node = least + height
            here = int(np.searchsorted(edges, node)) - 1
            half = int(np.searchsorted(edges, node + spacing / 2)) - 1
            deficit = math.exp(node) * q[here] - p[here]
            excess = (p[half] - p[here]) - math.exp(node) * (q[half] - q[here])
            if deficit >= excess:
                return float(node)
        return least

    def ceiling(self) -> float:
        top = self.base.ceiling()
        return self.loss(top) * (1 + 16 * UNIT) + 16 * UNIT * max(0.0, top - 1) if top < math.inf else top

    def top(self) -> tuple[float, float]:
        """The top of the base, which P gives with probability q; the mass that Q adds there is left out."""
        loss, mass = self.base.top()
        here = self.loss(loss)
        return here - 64 * UNIT * (1 + abs(here)), self.rate * mass * (1 - 16 * UNIT)

    def loss(self, base_loss: float) -> float:
        """ln(1−q+qe^ℓ)."""
        if base_loss > 30:
            return math.log(self.rate) + base_loss + math.log1p((1 - self.rate) / self.rate * math.exp(-base_loss))
        return math.log1p(self.rate * math.expm1(base_loss))

    def infinite(self) -> tuple[float, float, float, float]:
        low, up, *_ = self.base.infinite()
        return self.rate * low * (1 - 4 * UNIT), self.rate * up * (1 + 4 * UNIT), 0.0, 0.0


@frozen(eq=False)
class FixedSizeStep(Step):
    """The symmetric pair whose gain at every ε ≥ 0 is that of (1−q)Q + qP against Q: fixed-size samples under replace.

    Above loss 0 it has the masses of the Poisson step, below 0 the mirror image of these, and what is left at 0.
    The base must be symmetric.
    """

    base: Step
    rate: float

    @property
    def symmetric(self) -> bool:
        return True

    def masses(self, edges: Array) -> Masses:
        mixture = PoissonStep(self.base, self.rate)
        # a table counts an atom just below an edge as on it: an atom at 0 must not be counted on both sides of 0
        barely = _BARELY if self.base.continuous else mixture.loss(_BESIDE)
        above = mixture.masses(np.maximum(edges, barely))
        below = mixture.masses(np.maximum(-edges[::-1], barely)).mirrored()
        total = mixture.masses(np.array([barely, math.inf]))
        low, up, *_ = mixture.infinite()
        rest = max(0.0, 1 - float(total.p[0]) - float(total.q[0]) - up)
        unsure = float(total.p_error[0]) + float(total.q_error[0]) + (up - low) + 8 * UNIT
        p, q = above.p + below.p, above.q + below.q
        p_error, q_error = above.p_error + below.p_error, above.q_error + below.q_error
        place = int(np.searchsorted(edges, 0.0, side="right")) - 1
        if 0 <= place < len(p):
            p[place] += rest
            q[place] += rest
            p_error[place] += unsure
            q_error[place] += unsure
        return Masses(p, q, p_error, q_error)

    @property
    def continuous(self) -> bool:
        return self.base.continuous

    def atoms(self) -> Array:
        above = PoissonStep(self.base, self.rate).atoms()
        return np.array([*-above[above > 0][::-1], 0.0, *above[above > 0]])

    @property
    def ladder(self) -> Ladder | None:
        """The one loss above 0 that has an atom, its opposite and 0, where the base is a coin or Laplace noise."""
        atoms = self.atoms()
        return Ladder(float(atoms[-1]), float(atoms[-1])) if len(atoms) == 3 else None

    def snapped(self, spacing: float) -> Step:
        """A smaller base is dominated, and so is its mixture."""
        return snapped_mixture(self, spacing, lambda base: FixedSizeStep(base, self.rate))

    def span(self, tail: float) -> tuple[float, float]:
        high = PoissonStep(self.base, self.rate).span(tail)[1]
        return -high, high

    def ceiling(self) -> float:
        return PoissonStep(self.base, self.rate).ceiling()

    def top(self) -> tuple[float, float]:
        return PoissonStep(self.base, self.rate).top()

    def infinite(self) -> tuple[float, float, float, float]:
        low, up, *_ = PoissonStep(self.base, self.rate).infinite()
        return low, up, low, up


def snapped_mixture(whole: Step, spacing: float, mixed: Callable[[Step], Step]) -> Step:
    """The mixture of the largest base, coin or Laplace, whose atoms lie a whole number of spacings apart."""
    base = getattr(whole, "base", None)
    if whole.ladder is None or not isinstance(base, CoinStep | LaplaceStep):
        return whole
    own = base.epsilon if isinstance(base, CoinStep) else base.ratio
    steps = math.floor(whole.ladder.spacing / spacing * (1 + 4 * UNIT))
    if meets(steps, spacing, whole.ladder.spacing):
        return whole
    low, high = 0.0, own
    for _ in range(60):
        middle = (low + high) / 2
        smaller = CoinStep(middle, base.delta_low, base.delta_up) if isinstance(base, CoinStep) else LaplaceStep(middle)
        ladder = mixed(smaller).ladder
        low, high = (middle, high) if ladder and ladder.spacing <= steps * spacing else (low, middle)
    return mixed(CoinStep(low, base.delta_low, base.delta_up) if isinstance(base, CoinStep) else LaplaceStep(low))
