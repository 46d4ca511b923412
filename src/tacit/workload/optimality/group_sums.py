"""opt(W) of sums by public groups: what one person may do to them, and the least total variance that follows.

Each of G groups has a count or a sum, and the question is all of them. The differences v of neighbours are, at least:

- under add/remove: M·e_j for every group j, where M is the most that one person adds to one group; where a person
  counts once in each of up to k groups, every set of s ≤ k groups, v = 1_S;
- under replace: M·(e_i − e_j), one person leaving group j for group i; and R·e_j, where two values of one group may
  differ by R.

opt = min { tr Σ : vᵀΣ⁻¹v ≤ 1 for all these v } (`unbiased`). More differences make it larger, so any part of them
bounds it below. Claims: (1) M²·G. (2) M²·(√((G−1)(m − w)) + √w)², for any m from 1 to min(k, G), w being s²/G at s = m,
interpolated between whole s. (3) 2M²(G − 1). (4) R²·G.

Proof. Permuting groups permutes the v and changes no trace, and tr X⁻¹ is convex in X = Σ⁻¹: so an X = p·(I − J/G) +
q·J/G is optimal, J all ones. Then tr Σ = (G − 1)/p + 1/q, and v = M·1_S asks for M²·(p·s(1 − s/G) + q·s²/G) ≤ 1. In
the mean over two neighbouring s that is M²·(p·(m − w) + q·w) ≤ 1: Cauchy and Schwarz give (2), and (1) at m = 1.
M·(e_i − e_j) asks for 2M²p ≤ 1, and q may be as large as one likes: (3). (4) is (1) with R for M. ∎

Gaussian noise of one size in each group attains (1). The best m attains opt for sets of groups: means of other s have a
larger w at the same m, and from m = 1 on (2) falls with w.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.noise.ball import START_BITS, ball, fraction_down, precision

_STEPS, _FINE = 80, 2**20  # of a search that need not be exact


@frozen
class PersonalMove:
    """The certainly possible changes of sums by group by one unit of privacy, in the unit of the sums.

    `spread` is in how many groups a person may count at once, `between` how far two values of one group may differ.
    """

    groups: int
    most: Fraction
    spread: int = 1
    is_replaced: bool = False
    between: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if not (self.groups >= 1 and self.spread >= 1 and self.most >= 0 and 0 <= self.between <= 2 * self.most):
            raise Refused("such a move of one person", "It is none.", "a group, and amounts of at least 0.")

    @property
    def in_one_group(self) -> Fraction:
        """The largest difference of neighbours in one group alone."""
        if not self.is_replaced:
            return self.most
        return max(self.between, self.most if self.groups > 1 else Fraction(0))

    def optimum_down(self) -> Fraction:
        """The largest of the valid claims, rounded down; 0 where there is none."""
        if self.is_replaced:
            return max(2 * self.most**2 * (self.groups - 1), self.between**2 * self.groups)
        return max(self.most**2 * self.groups, self._spread_down())

    def _spread_down(self) -> Fraction:
        """Claim 2 at about the best m: it is concave in m, and any m is allowed."""
        most = min(self.spread, self.groups)
        low, high = 1.0, float(most)
        for _ in range(_STEPS if most > 1 else 0):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            low, high = (left, high) if self._root(left) < self._root(right) else (low, right)
        mean = min(max(Fraction(round(low * _FINE), _FINE), Fraction(1)), Fraction(most))
        with precision(START_BITS):
            apart, together = (ball(part).sqrt() for part in self._parts(mean))
            return fraction_down((apart + together) ** 2 * ball(self.most) ** 2)

    def _root(self, mean: float) -> float:
        return float(sum(float(part) ** 0.5 for part in self._parts(Fraction(mean))))

    def _parts(self, mean: Fraction) -> tuple[Fraction, Fraction]:
        """(G − 1)(m − w), and w."""
        size = floor(mean)
        within = (size**2 + (mean - size) * (2 * size + 1)) / self.groups
        return (self.groups - 1) * (mean - within), within
