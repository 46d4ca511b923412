"""The Cauchy pair: what real Cauchy noise costs, by the hyperbolic distance of location and scale."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from tacit.exact import positive, whole
from tacit.frozen import frozen
from tacit.loss.pairs.pair import Pair
from tacit.loss.sharp import shown
from tacit.noise.ball import Ball, ball


@frozen(repr=False)
class CauchyPair(Pair):
    """The loss of two Cauchy laws, of locations f, f′ and scales s, s′, at hyperbolic distance ≤ ε.

    The distance d is given by cosh d = 1 + ((f−f′)² + (s−s′)²)/2ss′. Claim: whoever adds Cauchy noise, neighbours'
    (f, s) being at most ε apart, releases at this cost; in particular it is ε-private with δ = 0. Proof: the
    densities are s/π over the quadratic form (y−f)² + s², whose matrix, divided by s, has determinant 1. So the
    largest and the least ratio of two densities are the eigenvalues of a matrix of determinant 1 and trace ((f−f′)² +
    s² + s′²)/ss′ = 2·cosh d: they are e^d and e^−d. Möbius maps of the line carry Cauchy laws to Cauchy laws and keep
    d, so every pair at distance d is equivalent to scales 1 and e^d at one location; and adding Cauchy noise of scale
    t to both of those brings them to any smaller distance, so smaller ones are dominated. The two directions
    coincide, because y ↦ e^d/y swaps the laws.
    """

    distance: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "distance", positive(self.distance, "epsilon"))

    @property
    def pure_epsilon(self) -> Fraction:
        return self.distance

    def delta_ball(self, epsilon: Fraction) -> Ball:
        """(2/π)(atan c − e^t·atan(c/u)) at t, with u = e^ε: the narrow law has ratio > e^t on |y| < c."""
        if epsilon >= self.distance:
            return arb(0)
        u, t = ball(self.distance).exp(), ball(epsilon).exp()
        c = (-u * ball(epsilon - self.distance).expm1() / (t - 1 / u)).sqrt()
        return 2 / arb.pi() * (c.atan() - t * (c / u).atan())

    def rdp_ball(self, order: Fraction) -> Ball:
        """ln P_{α−1}(cosh ε)/(α−1), a Legendre function, by Laplace's integral ∫(cosh ε + sinh ε·cos θ)^{α−1}dθ/2π."""
        return ball(self.distance).cosh().legendre_p(ball(order - 1)).log() / ball(order - 1)

    def group(self, people: int) -> CauchyPair:
        """Hyperbolic distance obeys the triangle inequality: kε for k people, in the same family."""
        return CauchyPair(self.distance * whole(people, "people", 1))

    def __str__(self) -> str:
        return f"Cauchy noise, ε = {shown(self.distance)}"
