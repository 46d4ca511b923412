"""The median with noise scaled to the smooth sensitivity of the data: Cauchy noise."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, positive, proper
from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.loss.pairs.additive_noise import CauchyPair
from tacit.mechanisms.mechanism import Answer, Mechanism, cost
from tacit.mechanisms.robust.public_range import PublicRange, check_span
from tacit.noise.ball import START_BITS, Ball, ball, precision, up
from tacit.noise.bits import Bits, Integers
from tacit.noise.real_noise import CAUCHY

_NEGLIGIBLE = 1024  # a smooth sensitivity below one step divided by this is not resolved


@frozen
class SmoothMedian(Mechanism[ArrayLike, "SmoothAnswer"]):
    """Adds Cauchy noise of scale S/α to the lower median, rounds to the grid and cuts to the public range.

    S is the β-smooth sensitivity max over k of e^{−kβ}·A(k), where A(k) is the largest local sensitivity within k
    replacements: with the records sorted, the lower end before and the upper end after them and m the median's
    place, the largest x[m+t] − x[m+t−k−1] over 0 ≤ t ≤ k+1 (Nissim, Raskhodnikova and Smith 2007).

    Claim, under replace with a public number of records: ε-private with δ = 0, at the cost of the `CauchyPair` of
    distance ε. Proof: neighbours have |f−f′| ≤ min(S, S′) and e^−β ≤ S/S′ ≤ e^β, because A(k) on one is at most A(k+1)
    on the other. So their Cauchy laws lie at a hyperbolic distance d with cosh d ≤ 1 + (α² + (u−1)²)/2u, u = S/S′ ≥ 1;
    as a function of u that is largest at an end, 1 or e^β, and α² = min(2(cosh ε − 1), 2e^β(cosh ε − cosh β)) makes
    it cosh ε at most. (The published α = β = ε/6 is within this; so is α + β = ε, from sliding and dilating apart.)
    Real noise is added exactly, and what is released is its rounding: post-processing. Following S no further than
    a public depth K, with e^{−Kβ} times the range in place of the rest, keeps it β-smooth and above A(0).

    Records go to the nearest point of the range, NaN counts as zero; the median of no records is the lower end.
    """

    epsilon: Fraction
    span: PublicRange
    relation: Relation
    beta: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        check_span(self.span)
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "beta", positive(self.beta, "beta"))
        if not self.beta < self.epsilon:
            raise Refused(f"β = {self.beta}", "It leaves nothing of ε for the value itself.", "0 < β < ε.")
        if self.relation is not Relation.REPLACE:
            raise Refused(
                f"a smooth median under {self.relation}",
                "The number of records is public here, and so is the place of the median.",
                "Relation.REPLACE; or InverseMedian, which knows both relations.",
            )

    @classmethod
    def for_epsilon(cls, epsilon: Number, span: PublicRange, relation: Relation) -> SmoothMedian:
        """ε-private, with β = ε/2: at most 16% more noise than with a smaller β, and S decreases quickly."""
        budget = positive(epsilon, "epsilon")
        return cls(budget, span, relation, budget / 2)

    @property
    def loss(self) -> CauchyPair:
        return CauchyPair(self.epsilon)

    def alpha(self) -> Ball:
        """The ratio of the smooth sensitivity to the scale of the noise."""
        cosh, decay = ball(self.epsilon).cosh(), ball(self.beta)
        return (2 * (cosh - 1)).min(2 * decay.exp() * (cosh - decay.cosh())).sqrt()

    def median(self, values: ArrayLike) -> int:
        """The lower median, in steps."""
        records = np.sort(self.span.steps(values))
        return int(records[(records.size - 1) // 2]) if records.size else self.span.first

    def gaps(self, values: ArrayLike) -> Integers:
        """A(0), A(1), … in steps, as far as they matter."""
        records = np.sort(self.span.steps(values))
        depth = self._depth(records.size)
        ends = np.full(depth + 1, self.span.first), np.full(depth + 1, self.span.last)
        padded = np.concatenate([ends[0], records, ends[1]])
        middle = depth + 1 + max(0, (records.size - 1) // 2)
        found = [(padded[middle : middle + k + 2] - padded[middle - k - 1 : middle + 1]).max() for k in range(depth)]
        return np.array(found, np.int64)

    def smooth_sensitivity(self, values: ArrayLike) -> Ball:
        """S, in steps."""
        gaps = self.gaps(values)
        with np.errstate(divide="ignore"):
            weights = np.log(gaps.astype(np.float64)) - np.arange(gaps.size) * float(self.beta)
        greatest = (self.span.size - 1) * (-ball(self.beta * gaps.size)).exp()
        for k in np.flatnonzero(weights >= weights.max(initial=-np.inf) - 1e-6):  # the others are certainly smaller
            greatest = greatest.max(int(gaps[k]) * (-ball(self.beta * int(k))).exp())
        return greatest

    def privatize(self, value: ArrayLike, bits: Bits) -> float:
        median = self.median(value)
        noisy = CAUCHY.add([median], lambda: self.smooth_sensitivity(value) / self.alpha(), bits)[0]
        return self.span.place(min(max(noisy, self.span.first), self.span.last))

    def probability(self, value: ArrayLike, output: float) -> Ball:
        """P(output) for these records, at a point of the range: all that lies beyond an end is an atom on it."""
        median, scale = self.median(value), self.smooth_sensitivity(value) / self.alpha()
        step = int(self.span.steps([output])[0])

        def above(edge: Fraction) -> Ball:
            return ball(Fraction(1, 2)) - (ball(edge - median) / scale).atan() / Ball.pi()

        low = ball(1) if step == self.span.first else above(step - Fraction(1, 2))
        return low - (ball(0) if step == self.span.last else above(step + Fraction(1, 2)))

    def error(self, confidence: Number = "0.95", *, sensitivity: Number | None = None) -> float:
        """The exact quantile of the noise for data of a given smooth sensitivity, in the records' own unit.

        The smooth sensitivity of the data stays private. Without one only the width of the range is known.
        """
        share = proper(confidence, "confidence")
        width = float(self.span.upper - self.span.lower)
        if sensitivity is None:
            return width
        with precision(START_BITS):
            reach = (Ball.pi() * ball(share / 2)).tan() * ball(positive(sensitivity, "sensitivity")) / self.alpha()
            return min(width, up(reach + ball(self.span.grid.step / 2)))

    def answer(self, private: float) -> SmoothAnswer:
        return SmoothAnswer(private, self)

    def _depth(self, people: int) -> int:
        """The number of replacements considered; public."""
        return min(people + 1, 1 + ceil(Fraction(log(_NEGLIGIBLE * self.span.size)) / self.beta))


class SmoothAnswer(Answer):
    """A private median; the scale of its noise is itself private."""

    def describe(self, confidence: Number = "0.95") -> str:
        return f"{self.value:,.6g}  (how far off is private; the range is public; cost {cost(self.loss)})"
