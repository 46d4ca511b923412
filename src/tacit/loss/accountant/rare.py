"""Many equal steps whose large losses are rare: a bracket from one large loss and the sum of the others."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import fft

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.accountant.discretization import cut
from tacit.loss.accountant.fourier import add_up
from tacit.loss.accountant.lattice import Lattice, lower_lattice, upper_lattice
from tacit.loss.accountant.tilt import Cumulants, log_largest
from tacit.loss.distributions.step import UNIT, Array, Step
from tacit.loss.families.precision import Bracket

_CELLS = 60_000
_SHARES = (0.5, 0.25, 0.12, 0.06)  # as shares of ε: a loss above this is called large
_OUTSIDE = 1e-14  # probability of the sum of the others outside its window
_MOST_LARGE = 0.1  # large losses expected, beyond which they are not rare
_HARDLY = 0.02
_SMALLEST, _FARTHEST = 1e-4, 600.0
_HALVINGS = 40
_CLOSE = 1e-5
_ASIDE = 1e-6  # as a share of a node: more than the rounding error of a place
_LOOSE = 1e-9  # more than the rounding errors of a sum of positive numbers


@frozen(eq=False)
class RareLosses:
    """Bounds of δ(ε) of `times` equal steps, from a pair on a grid that dominates one step and one that it dominates.

    Claim: `above(ε)` ≥ δ(ε) ≥ `below(ε)`, in the worse direction. Proof. Call a loss above some c < ε large. The law of
    n losses is the sum over j of C(n, j)·H^{*j} with the law of n−j losses that are not large, where H is the law of
    one loss restricted to large ones and h its mass; all terms are positive. Above: one large loss adds n·Σ_x
    H(x)·E[(1−e^{ε−x−T})₊] to δ(ε), where T is the sum of the n−1 others. No large loss adds at most Chernoff's bound;
    two or more add at most their mass, (nh)²e^{nh}/2. Below: merge all losses that are not large into one answer A,
    which is post-processing and has the loss a = ln(P(A)/Q(A)), or 0 if that is less. Where just one loss is large,
    δ(ε) gains n·P(A)^{n−1}·δ₁(ε−(n−1)a), δ₁ that of one step: as a ≤ 0, no loss up to c counts in it.
    """

    step: Step
    spacing: float
    times: int
    over: Lattice
    under: Lattice
    back: Lattice | None

    @classmethod
    def of(cls, step: Step, times: int, tail: float) -> RareLosses:
        """The bounds for this step, with about `tail` of its mass left outside the grid."""
        low, high = step.reach(tail)
        spacing = (high - low) / _CELLS
        cells = cut(step, spacing, spacing, tail)
        back = None if step.symmetric else upper_lattice(cells.mirrored())
        return cls(step, spacing, times, upper_lattice(cells), lower_lattice(cells), back)

    def epsilon(self, delta: float) -> Bracket:
        """ε at δ."""
        _, near = _turn(lambda at: self.times * _gain(self.spacing, self.over, at) <= delta)
        above, below = self.above(near), self.below(near)
        lower, _ = _turn(lambda at: not below(at) > delta, near / 2)
        _, upper = _turn(lambda at: above(at) <= delta, near / 2)
        upper = upper if above(upper) <= delta else math.inf
        return Bracket(min(lower, upper), upper)

    def delta(self, epsilon: float) -> Bracket:
        """δ at ε."""
        lower, upper = self.below(epsilon)(epsilon), self.above(epsilon)(epsilon)
        return Bracket(min(lower, upper), upper)

    def above(self, near: float) -> Callable[[float], float]:
        """ε ↦ a number ≥ δ(ε), sharp near an ε."""
        splits = [split for share in _SHARES if (split := _Split.of(self, share * near, near))]
        mirrored = None if self.back is None else _Chernoff.of(self.spacing, self.back, self.times, near)
        infinite = self.times * max(self.over.infinite, self.back.infinite if self.back else 0.0)

        def bound(epsilon: float) -> float:
            forth = min((split.above(epsilon) for split in splits), default=1.0)
            back = 0.0 if mirrored is None else mirrored(epsilon)
            return min(1.0, (infinite + max(forth, back)) * (1 + _LOOSE))

        return bound

    def below(self, near: float) -> Callable[[float], float]:
        """ε ↦ a number ≤ δ(ε), sharp near an ε."""
        cuts = []
        for share in _SHARES:
            found = self.step.masses(np.array([-math.inf, share * near, math.inf]))
            p, q = float(found.p[0] - found.p_error[0]), float(found.q[0] + found.q_error[0])
            if p > 0:
                others = self.times - 1
                fall = others * max(0.0, math.log(q / p) + 4 * UNIT) * (1 + _LOOSE)
                cuts.append(
                    (share * near + _LOOSE, fall, self.times * p**others * max(0.0, 1 - _LOOSE - 4 * UNIT * others))
                )

        def bound(epsilon: float) -> float:
            known = [many * _gain(self.spacing, self.under, epsilon + fall) for c, fall, many in cuts if c <= epsilon]
            return max(known, default=0.0) * (1 - _LOOSE)

        return bound


def are_rare(step: Step, times: int, near: float) -> bool:
    """Whether two large losses add little to δ compared with one that reaches this ε: a heuristic, not a bound."""
    if not (times > 1 and near > 0 and step.continuous):
        return False
    found = step.masses(np.array([-math.inf, near / 4, near, math.inf]))
    large, enough = float(found.p[1] + found.p[2]), float(found.p[2])
    return times * large**2 <= _HARDLY * enough


@frozen(eq=False)
class _Chernoff:
    """Chernoff's bound of δ(ε) of many equal losses, at one λ; 0 from the largest loss on."""

    cumulant: float
    tilt: float
    shift: float
    most: float

    @classmethod
    def of(cls, spacing: float, lattice: Lattice, times: int, near: float) -> _Chernoff:
        cumulants, shift = Cumulants.of(spacing, [(lattice, times)]), times * lattice.shift
        tilt = cumulants.tilt_for_epsilon(near - shift)
        most = times * (float(lattice.places[-1]) * spacing + lattice.shift)
        return cls(cumulants(tilt), tilt, shift, most + 1e-12 * abs(most))

    def __call__(self, epsilon: float) -> float:
        if epsilon >= self.most:
            return 0.0
        return math.exp(min(0.0, self.cumulant - self.tilt * (epsilon - self.shift) + log_largest(self.tilt)))


@frozen(eq=False)
class _Split:
    """The large losses of one step, and the tail sums of the law of the sum of the n−1 others."""

    spacing: float
    times: int
    shift: float
    places: Array
    masses: Array
    first: int
    mass_from: Array
    other_from: Array  # Σ mass·e^{−distance}
    weight: float
    error: float
    none: _Chernoff
    several: float

    @classmethod
    def of(cls, whole: RareLosses, above: float, near: float) -> _Split | None:
        """One step split at a loss; None where its large losses are not rare, or there are none."""
        spacing, times, lattice = whole.spacing, whole.times, whole.over
        large = lattice.places * spacing + lattice.shift > above
        expected = times * float(lattice.masses[large].sum())
        if not 0 < expected <= _MOST_LARGE:
            return None
        others = Lattice(lattice.places[~large], lattice.masses[~large], lattice.shift, 0.0)
        try:
            total = add_up(spacing, [(others, times - 1)], Cumulants.of(spacing, [(others, times - 1)]), 0.0, _OUTSIDE)
        except Refused:
            return None
        if not (spacing * total.size < _FARTHEST and total.unsure < 1):
            return None
        coefficients = np.zeros(total.size // 2 + 1, dtype=np.complex128)
        places = total.frequencies * (total.first % total.size) % total.size
        coefficients[total.frequencies] = total.coefficients * np.exp(2j * math.pi / total.size * places)
        law = np.maximum(fft.irfft(coefficients, total.size), 0.0)
        # an output is off by 8·log₂N units of the coefficients' ℓ₂ norm in ℓ₁ of the law, as in `add_up`
        off = UNIT * (8 * math.log2(total.size) + 64) * math.sqrt(2 * float((np.abs(coefficients) ** 2).sum()))
        falls = np.exp(-spacing * np.arange(total.size))
        heavier = max(0.0, math.log(max(float(lattice.masses.sum()), 1.0)))
        return cls(
            spacing,
            times,
            times * lattice.shift,
            lattice.places[large].astype(np.float64),
            lattice.masses[large],
            total.first,
            np.append(np.cumsum(law[::-1])[::-1], 0.0),
            np.append(np.cumsum((law * falls)[::-1])[::-1] / falls, 0.0),
            math.exp(total.log_weight) * (1 + total.unsure),
            total.error + off,
            _Chernoff.of(spacing, others, times, near),
            expected**2 / 2 * math.exp(min(700.0, expected + times * (heavier + 8 * UNIT))),
        )

    def above(self, epsilon: float) -> float:
        """A number ≥ δ(ε) of the finite losses; an error of the others' law is added where its window reaches ε."""
        at = (epsilon - self.shift) / self.spacing - _ASIDE - self.places  # the others must exceed it, in nodes
        size = len(self.mass_from) - 1
        node = np.clip(np.floor(at) + 1 - self.first, 0, size).astype(np.int64)
        reached = self.mass_from[node]
        kept = np.exp(np.minimum(at - (self.first + node), 0.0) * self.spacing) * self.other_from[node]
        gained = (
            np.maximum(reached - kept, 0.0) + 8 * UNIT * (size + 64) * reached + np.where(node < size, self.error, 0.0)
        )
        one = self.times * self.weight * float((self.masses * (gained + _OUTSIDE)).sum())
        return one + self.none(epsilon) + self.several


def _gain(spacing: float, lattice: Lattice, epsilon: float) -> float:
    """δ(ε) of one step, without its mass at infinite loss."""
    losses = lattice.places * spacing + lattice.shift
    return float((lattice.masses * -np.expm1(np.minimum(epsilon - losses, 0.0))).sum())


def _turn(holds: Callable[[float], bool], start: float = _SMALLEST) -> tuple[float, float]:
    """Two neighbouring ε: the predicate is false at the first (or that is 0) and true at the second, if anywhere."""
    low, high = 0.0, start
    while not holds(high) and high < _FARTHEST:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        if high - low <= _CLOSE * high:
            break
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high
