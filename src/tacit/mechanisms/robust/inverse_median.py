"""Private medians and other quantiles by inverse sensitivity: a point is likelier, the fewer records must change."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, positive, proper
from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.loss.pairs.bounded_range import BoundedRange
from tacit.mechanisms.mechanism import Answer, Mechanism, cost, percent
from tacit.mechanisms.robust.public_range import PublicRange, check_span
from tacit.noise.ball import Ball, ball, first_true, less
from tacit.noise.bits import Bits, Integers
from tacit.noise.selection_draws import choice_law, choose
from tacit.noise.uniform import UniformBelow

_FINEST = 1 << 20


class Pieces(NamedTuple):
    """The range, cut where the score changes: each piece has a start, a number of points, and one depth."""

    starts: Integers
    widths: Integers
    depths: Integers


@frozen
class InverseMedian(Mechanism[ArrayLike, "QuantileAnswer"]):
    """Selects a point y of a public range with probability ∝ e^{−ε·depth(y)/2}, for a quantile q.

    With L records below y, E equal to it and n in all, y is a q-quantile iff L ≤ qn ≤ L + E, and misses it by
    r(y) = max(0, L − qn, qn − L − E) ranks. Under replace, depth = ⌈r⌉: the number of records to replace until y is a
    quantile (move ⌈r⌉ records onto y), so a neighbour's depth differs by at most 1. Under add/remove, depth =
    r/max(q, 1−q): one more record moves L − qn by 1−q or −q, and qn − L − E by q or −(1−q). (For the median that is
    2r, again the number of changes.)

    Claim, under either relation: the range of the privacy loss is at most ε (bounded range), hence ε-private with δ =
    0 and ε²/8-zCDP. Proof: it is the exponential mechanism with a score of sensitivity 1; as an inverse-sensitivity
    mechanism see Asi and Duchi (2020). The depth is constant between neighbouring records, so a piece is chosen with
    weight width·e^{−ε·depth/2} and then a point of it uniformly: the law is exact. Records go to the nearest point of
    the range, NaN counts as zero; with no records every point is equally likely.
    """

    epsilon: Fraction
    span: PublicRange
    relation: Relation
    q: Fraction = Fraction(1, 2)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_span(self.span)
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "q", proper(self.q, "q"))
        if not self.q.denominator <= _FINEST:
            raise Refused(f"the quantile {self.q}", "Its ranks do not fit 64 bits.", f"a denominator ≤ {_FINEST}.")

    @property
    def loss(self) -> BoundedRange:
        return BoundedRange(self.epsilon)

    @property
    def rate(self) -> Fraction:
        """By how much the logarithm of the weight falls with each whole unit of `Pieces.depths`."""
        if self.relation is Relation.REPLACE:
            return self.epsilon / 2
        return self.epsilon / (2 * max(self.q, 1 - self.q) * self.q.denominator)

    def pieces(self, values: ArrayLike) -> Pieces:
        """The pieces, alternately gaps and records: depths in changes under replace, else in ranks·denominator(q)."""
        records, counts = np.unique(self.span.steps(values), return_counts=True)
        below = np.concatenate([[0], np.cumsum(counts)])
        starts = np.empty(2 * records.size + 1, np.int64)
        starts[0], starts[1::2], starts[2::2] = self.span.first, records, records + 1
        widths = np.diff(starts, append=self.span.last + 1)
        lower, upper = np.repeat(below, 2)[:-1], np.repeat(below, 2)[1:]
        top, bottom = self.q.numerator, self.q.denominator
        aim = top * int(below[-1])
        miss = np.maximum(0, np.maximum(bottom * lower - aim, aim - bottom * upper))
        return Pieces(starts, widths, -(-miss // bottom) if self.relation is Relation.REPLACE else miss)

    def privatize(self, value: ArrayLike, bits: Bits) -> float:
        starts, widths, depths = self.pieces(value)
        piece = choose(widths, depths, self.rate, bits)
        return self.span.place(int(starts[piece]) + UniformBelow(int(widths[piece])).draw_integer(bits))

    def probability(self, value: ArrayLike, output: float) -> Ball:
        """P(output) for these records, at a point of the range."""
        starts, widths, depths = self.pieces(value)
        step = int(self.span.steps([output])[0])
        piece = int(np.flatnonzero((starts <= step) & (step < starts + widths))[0])
        return choice_law(widths, depths, self.rate)[piece] / int(widths[piece])

    def error(self, confidence: Number = "0.95") -> float:
        """The largest distance in ranks between answer and quantile with this confidence, on any data.

        Some point has depth 0 and weight 1; all others weigh at most m·e^{−rate·t} if their depth is t or more. So
        P(depth ≥ t) ≤ x/(1+x) with x = m·e^{−rate·t}, and equal records attain it.
        """
        share, others = proper(confidence, "confidence"), self.span.size - 1

        def holds(t: int) -> bool:
            def failure() -> Ball:
                x = others * (-ball(self.rate * (t + 1))).exp()
                return x / (1 + x)

            return less(failure, lambda: ball(1 - share))

        depth = first_true(holds)
        return float(depth if self.relation is Relation.REPLACE else Fraction(depth, self.q.denominator))

    def answer(self, private: float) -> QuantileAnswer:
        return QuantileAnswer(private, self)


class QuantileAnswer(Answer):
    """A private quantile: its error is in ranks, and there is no bound on the error in value."""

    def interval(self, confidence: Number = "0.95") -> tuple[float, float]:
        raise Refused(
            "an interval around a private quantile",
            "It is near in rank; how far apart ranks lie in value is private.",
            "error(confidence), in ranks; or quantiles on both sides, as releases of their own.",
        )

    def describe(self, confidence: Number = "0.95") -> str:
        ranks = self.error(confidence)
        sure = f"{percent(confidence)} sure; cost {cost(self.loss)}"
        return f"{self.value:,.6g}  (off by at most {ranks:,g} ranks, {sure})"
