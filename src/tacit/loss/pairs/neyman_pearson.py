"""The best tests between two finite laws: accept the outputs in the order of their likelihood ratio.

Their sizes and powers are sums c₁e^(r₁) + … + cₙe^(rₙ) with rational c and r, whose sign can be decided exactly.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from fractions import Fraction

from flint import arb

from tacit.frozen import frozen
from tacit.loss.families.precision import sharp
from tacit.noise.ball import Ball, ball, fraction_up, less


@frozen
class BestTests:
    """The tests of law A against law B: everything that (A, B) costs in this direction.

    `corners[k]` holds the masses (a, b) of the k outputs likeliest under A, both multiplied by `scale`, from nothing
    (k = 0) to everything.
    """

    corners: tuple[tuple[ExponentialSum, ExponentialSum], ...]
    scale: ExponentialSum

    @classmethod
    def of(cls, masses: Iterable[tuple[ExponentialSum, ExponentialSum]], scale: ExponentialSum) -> BestTests:
        """From the masses of the outputs, in falling order of a/b."""
        corners = [(ExponentialSum(()), ExponentialSum(()))]
        for a, b in masses:
            corners.append((corners[-1][0] + a, corners[-1][1] + b))
        return cls(tuple(corners), scale)

    def advantage(self, epsilon: Fraction) -> ExponentialSum:
        """The largest A(S) − e^ε B(S) over all sets S of outputs, times `scale`: add outputs while the sum grows."""

        def gains(k: int) -> bool:
            (a, b), (a_before, b_before) = self.corners[k], self.corners[k - 1]
            return (a - a_before - (b - b_before).scaled(Fraction(1), epsilon)).is_positive()

        count = bisect_left(range(1, len(self.corners)), True, key=lambda k: not gains(k))
        a, b = self.corners[count]
        return a - b.scaled(Fraction(1), epsilon)

    def epsilon_ball(self, delta: Fraction) -> Ball:
        """The least ε, perhaps negative, with A(S) − e^ε B(S) ≤ δ for all S: the largest ln((A(S)−δ)/B(S))."""
        worst = arb.neg_inf()
        for a, b in self.corners:
            excess = a - self.scale.scaled(delta)
            if not excess.is_positive():
                continue
            if not b.terms:
                return arb.pos_inf()
            worst = worst.max((excess.ball() / b.ball()).log())
        return worst

    def miss_ball(self, alpha: Fraction) -> Ball:
        """The least miss rate at false-alarm rate α: by the corners, and straight between them."""
        allowed = self.scale.scaled(alpha)
        last = bisect_left(self.corners, True, key=lambda corner: (corner[1] - allowed).is_positive()) - 1
        a, b = self.corners[last]
        miss = (self.scale - a).ball()
        if last + 1 < len(self.corners):
            a_next, b_next = self.corners[last + 1]
            miss -= (allowed - b).ball() * ((a_next - a).ball() / (b_next - b).ball())
        return miss / self.scale.ball()

    def giveaway(self) -> Fraction:
        """The mass of the outputs that only A can give: exact if it is rational, else barely above."""
        given = self._given()
        share = given.share_of(self.scale)
        if share is not None:
            return share
        return min(Fraction(1), fraction_up(sharp(lambda: given.ball() / self.scale.ball())))

    def largest_loss(self) -> Fraction:
        """The largest finite ln(a/b), or 0 if that is larger: exact if it is rational, else barely above."""
        a, b = next(corner for corner in self.corners if corner[1].terms)
        a -= self._given()
        if not a.terms:
            return Fraction(0)
        loss = a.log_ratio_to(b)
        if loss is None:
            loss = fraction_up(sharp(lambda: (a.ball() / b.ball()).log()))
        return max(Fraction(0), loss)

    def _given(self) -> ExponentialSum:
        return [a for a, b in self.corners if not b.terms][-1]


@frozen
class ExponentialSum:
    """Σ c·e^r over distinct rational exponents r with rational, nonzero c.

    It is zero only if it has no terms: the e^r of distinct rational r are linearly independent over the
    rationals (Lindemann–Weierstrass). So a sum that has terms has a sign, which is found at a high enough precision.
    """

    terms: tuple[tuple[Fraction, Fraction], ...]  # (exponent, coefficient), sorted

    @classmethod
    def of(cls, terms: Iterable[tuple[Fraction, Fraction]]) -> ExponentialSum:
        """The sum of c·e^r over the given (r, c), like exponents gathered."""
        gathered: dict[Fraction, Fraction] = {}
        for exponent, coefficient in terms:
            gathered[exponent] = gathered.get(exponent, Fraction(0)) + coefficient
        return cls(tuple(sorted((r, c) for r, c in gathered.items() if c != 0)))

    def __add__(self, other: ExponentialSum) -> ExponentialSum:
        return ExponentialSum.of(self.terms + other.terms)

    def __sub__(self, other: ExponentialSum) -> ExponentialSum:
        return self + other.scaled(Fraction(-1))

    def __mul__(self, other: ExponentialSum) -> ExponentialSum:
        return ExponentialSum.of((r + s, c * d) for r, c in self.terms for s, d in other.terms)

    def scaled(self, factor: Fraction, exponent: Fraction = Fraction(0)) -> ExponentialSum:
        """This sum times factor·e^exponent."""
        return ExponentialSum.of((r + exponent, c * factor) for r, c in self.terms)

    def ball(self) -> Ball:
        """Its value, at Arb's working precision."""
        return sum((ball(c) * ball(r).exp() for r, c in self.terms), arb(0))

    def is_positive(self) -> bool:
        """Whether it is greater than zero: exactly, not numerically."""
        return bool(self.terms) and less(lambda: arb(0), self.ball)

    def share_of(self, whole: ExponentialSum) -> Fraction | None:
        """The rational c with self = c·whole, if there is one."""
        if not self.terms:
            return Fraction(0)
        if [r for r, _ in self.terms] != [r for r, _ in whole.terms]:
            return None
        shares = {c / d for (_, c), (_, d) in zip(self.terms, whole.terms, strict=True)}
        return shares.pop() if len(shares) == 1 else None

    def log_ratio_to(self, other: ExponentialSum) -> Fraction | None:
        """The rational r with self = e^r·other, if there is one."""
        if not self.terms or [c for _, c in self.terms] != [c for _, c in other.terms]:
            return None
        shifts = {r - s for (r, _), (s, _) in zip(self.terms, other.terms, strict=True)}
        return shifts.pop() if len(shifts) == 1 else None
