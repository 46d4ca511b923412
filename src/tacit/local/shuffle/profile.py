"""What follows from a few certified points (ε, δ) of a release: its trade-off curve and its Rényi divergences."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from flint import arb

from tacit.frozen import frozen
from tacit.loss.families.precision import sharp
from tacit.noise.ball import START_BITS, Ball, ball, down, precision, up


@frozen
class Profile:
    """Points (ε, δ) at which a release is (ε, δ)-private both ways round; ε rises from 0, and the last δ is 0."""

    points: tuple[tuple[Fraction, Fraction], ...]

    def tradeoff(self, alpha: Fraction) -> float:
        """max(0, 1−δ−e^ε α, e^−ε(1−δ−α)) over the points, rounded down: each point alone bounds every test."""
        with precision(START_BITS):
            lines = [
                (ball(1 - delta) - ball(epsilon).exp() * ball(alpha), (-ball(epsilon)).exp() * ball(1 - delta - alpha))
                for epsilon, delta in self.points
            ]
        return max(0.0, *(down(bound) for pair in lines for bound in pair))

    def rdp(self, order: Fraction) -> float:
        """A bound of the Rényi divergence of this order, rounded up.

        With E(g) the hockey-stick divergence at g = e^ε (Sason and Verdú 2016, at the power a):
        E_Q(P/Q)^a = 1 + a(a−1)·∫ g^{a−2}·E_g(P‖Q) + g^{−a−1}·E_g(Q‖P) dg over g ≥ 1. E is convex in g, so that it lies
        below the chords of points that lie above it.
        """

        def divergence() -> Ball:
            a, total = ball(order), arb(0)
            for (left, high), (right, low) in pairwise(self.points):
                start, end = ball(left).exp(), ball(right).exp()
                slope = ball(low - high) / (end - start)
                level = ball(high) - slope * start
                total += level * _power(start, end, a - 1) + slope * _power(start, end, a)
                total += level * _power(start, end, -a) + slope * _power(start, end, 1 - a)
            return (1 + a * (a - 1) * total).log() / (a - 1)

        return max(0.0, up(sharp(divergence)))


def _power(start: Ball, end: Ball, exponent: Ball) -> Ball:
    """∫ g^{exponent−1} dg from start to end."""
    return ((end.log() * exponent).exp() - (start.log() * exponent).exp()) / exponent
