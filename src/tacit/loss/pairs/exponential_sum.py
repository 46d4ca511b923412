"""Sums c₁e^(r₁) + … + cₙe^(rₙ) with rational c and r, whose sign can be decided exactly."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from flint import arb

from tacit.frozen import frozen
from tacit.noise.ball import Ball, ball, less


@frozen
class ExponentialSum:
    """Σ c·e^r over distinct rational exponents r with rational, nonzero c.

    It is zero only if it has no terms: the e^r of distinct rational r are linearly independent over the
    rationals (Lindemann–Weierstrass). So a sum that has terms has a sign, which enough precision shows.
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
