"""Regions bounded by straight lines: their corners, and whether one lies within another, decided exactly."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import comb, prod

from tacit.loss.composing.kov import RepeatedApprox
from tacit.loss.composing.optimal_composition import MixedApprox
from tacit.loss.composing.symmetric_product import is_symmetric
from tacit.loss.families.approx import Approx
from tacit.loss.loss import Loss
from tacit.loss.pairs.exponential_sum import ExponentialSum
from tacit.loss.pairs.finite_pair import Atom, FinitePair
from tacit.loss.pairs.neyman_pearson import BestTests

ZERO = Fraction(0)
_MOST_COINS = 16  # total losses beyond which exact comparison would take long
_MOST_ATOMS = 60


def table_of(loss: Loss) -> FinitePair | None:
    """The symmetric finite pair whose region is that of the loss; None where there is none, or it is too large."""
    if isinstance(loss, FinitePair):
        return loss if is_symmetric(loss) and len(loss.atoms) <= _MOST_ATOMS else None
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
    """Coins of total loss L in so many patterns, which speak with probability `kept`; else all is given away."""
    top = max(patterns)
    atoms = []
    for loss, count in patterns.items():
        p, q = (top + loss) / 2, (top - loss) / 2
        given = (1 - kept) * count
        atoms += [Atom(kept * count, p, kept * count, q), Atom(given, p, ZERO, ZERO), Atom(ZERO, ZERO, given, q)]
    return FinitePair(tuple(atoms))
