"""Symmetric finite pairs: their privacy regions, compared exactly, and their products.

The region of such a pair is bounded by straight lines: its corners are known, and whether one region lies within
another is decided exactly. The product of pairs that look the same from both worlds is the exact composition of several
responses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from math import comb, prod

from tacit.errors import Refused
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Loss
from tacit.loss.pairs.finite_pair import Atom, FinitePair
from tacit.loss.pairs.neyman_pearson import BestTests, ExponentialSum
from tacit.loss.pairs.optimal_composition import MixedApprox
from tacit.loss.pairs.repeated_approx import RepeatedApprox

ZERO = Fraction(0)
_MOST_COINS = 16  # with more total losses an exact comparison would take long
_MOST_COMPARED_ATOMS = 60


def table_of(loss: Loss) -> FinitePair | None:
    """The symmetric finite pair whose region is that of the loss; None where there is none, or it is too large."""
    if isinstance(loss, FinitePair):
        return loss if is_symmetric(loss) and len(loss.atoms) <= _MOST_COMPARED_ATOMS else None
    if isinstance(loss, Approx):
        return table_of(RepeatedApprox(loss.exact_epsilon, loss.exact_delta, 1))
    if isinstance(loss, RepeatedApprox) and loss.times < _MOST_COINS:
        k, own = loss.times, loss.part.exact_epsilon
        patterns = {(k - 2 * i) * own: comb(k, i) for i in range(k + 1)} if own else {own: 1}
        return _coins_as_table(patterns, (1 - loss.part.exact_delta) ** k)
    if isinstance(loss, MixedApprox) and len(loss.losses) <= _MOST_COINS:
        return _coins_as_table(loss.patterns, prod((1 - part.exact_delta for part in loss.parts), start=Fraction(1)))
    return None


def lies_within_table(inner: FinitePair, outer: FinitePair) -> bool:
    """Whether no test does better against the inner pair: ties included, for symmetric pairs.

    The outer boundary is convex and the inner one straight between its corners, so their difference is largest at an
    inner corner; and that lies above the outer boundary iff it lies above the line of every outer edge. The masses are
    sums of exponentials, and such comparisons are exact.
    """
    tests, bounds = inner.directions[0], outer.directions[0]
    return all(
        _is_below_edge(corner, tests.scale, edge, bounds.scale)
        for corner in tests.corners
        for edge in pairwise(bounds.corners)
    )


def corners_of(tests: BestTests) -> list[tuple[ExponentialSum, ExponentialSum]]:
    """The corners (power, size) without those on the two axes that the next one surpasses."""
    corners = list(tests.corners)
    while len(corners) > 1 and not corners[1][1].terms:
        corners.pop(0)
    while len(corners) > 1 and corners[-2][0] == tests.scale:
        corners.pop()
    return corners


def _is_below_edge(
    corner: tuple[ExponentialSum, ExponentialSum],
    scale: ExponentialSum,
    edge: tuple[tuple[ExponentialSum, ExponentialSum], tuple[ExponentialSum, ExponentialSum]],
    edge_scale: ExponentialSum,
) -> bool:
    (a, b), ((a0, b0), (a1, b1)) = corner, edge
    rise = (a * edge_scale - a0 * scale) * (b1 - b0)
    run = (b * edge_scale - b0 * scale) * (a1 - a0)
    return not (rise - run).is_positive()


def _coins_as_table(patterns: dict[Fraction, int], kept: Fraction) -> FinitePair:
    """Coins of total loss L in so many patterns, which are used with probability `kept`.

    Otherwise everything is revealed.
    """
    top = max(patterns)
    atoms = []
    for loss, count in patterns.items():
        p, q = (top + loss) / 2, (top - loss) / 2
        given = (1 - kept) * count
        atoms += [Atom(kept * count, p, kept * count, q), Atom(given, p, ZERO, ZERO), Atom(ZERO, ZERO, given, q)]
    return FinitePair(tuple(atoms))


_MOST_PRODUCT_ATOMS = 600


def is_symmetric(pair: FinitePair) -> bool:
    """Whether swapping the two laws gives the same table, up to the order of its rows."""
    return Counter(pair.atoms) == Counter(Atom(a.weight_q, a.exponent_q, a.weight_p, a.exponent_p) for a in pair.atoms)


def symmetric_product(pairs: Iterable[FinitePair]) -> FinitePair:
    """(P₁×…×P_k, Q₁×…×Q_k), rows of equal likelihood ratio gathered: the exact cost of the k releases together.

    Claim: it dominates k releases with parameters fixed in advance (Zhu–Dong–Wang 2022). A pair may stand for its
    neighbours in either order; with symmetric pairs the order does not matter, and for others the orders of the parts
    might differ and the product would be too low: refused.
    """
    product = FinitePair((Atom(Fraction(1), Fraction(0), Fraction(1), Fraction(0)),))
    for pair in pairs:
        if not is_symmetric(pair):
            raise Refused(
                f"the product of ({pair}) with other pairs",
                "Its two directions differ, so a product must know which world is which.",
                "symmetric pairs, `Composition`, or the numeric accountant, which composes each direction.",
            )
        product = _times(product, pair)
        if not len(product.atoms) <= _MOST_PRODUCT_ATOMS:
            raise Refused(
                f"a product of more than {_MOST_PRODUCT_ATOMS} outputs",
                "Exact arithmetic on it would take too long.",
                "fewer parts, or the numeric accountant's bracket.",
            )
    return product


def _times(left: FinitePair, right: FinitePair) -> FinitePair:
    gathered: dict[tuple[Fraction, Fraction, Fraction | None], tuple[Fraction, Fraction]] = {}
    for a in left.atoms:
        for b in right.atoms:
            p, q = a.weight_p * b.weight_p, a.weight_q * b.weight_q
            if p or q:
                key = (a.exponent_p + b.exponent_p, a.exponent_q + b.exponent_q, p / q if q else None)
                before = gathered.get(key, (Fraction(0), Fraction(0)))
                gathered[key] = (before[0] + p, before[1] + q)
    return FinitePair(tuple(Atom(p, r, q, s) for (r, s, _), (p, q) in gathered.items()))
