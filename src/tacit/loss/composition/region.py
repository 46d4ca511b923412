"""Privacy regions: the error rates that a test between neighbouring worlds can reach, and those it cannot.

The region of a group of people follows from the trade-off curve, as tightly as one person's curve permits.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, probability, whole
from tacit.frozen import frozen
from tacit.loss.composition.sequential import Composition, compose
from tacit.loss.dominance import dominates
from tacit.loss.families.approx import Approx
from tacit.loss.families.curve import float_down, float_up
from tacit.loss.families.loss import Loss, a_loss
from tacit.loss.families.precision import sharp
from tacit.loss.pairs.finite_pair import FinitePair
from tacit.loss.pairs.optimal_composition import MixedApprox, optimal_composition
from tacit.loss.pairs.repeated_approx import RepeatedApprox
from tacit.loss.pairs.symmetric_tables import corners_of, is_symmetric, lies_within_table, symmetric_product, table_of
from tacit.noise.ball import START_BITS, Ball, ball, down, precision, up


@frozen
class Region:
    """The pairs (false alarms, misses) that tests against a loss can reach, for one person or a group.

    Its lower boundary is the trade-off function f (Wasserman–Zhou 2010; Kairouz–Oh–Viswanath 2015; Dong–Roth–Su
    2022); it is convex and its mirror image about (½, ½) bounds it above. The boundary is exact, rounded down, where
    the loss is: Gaussian, Laplace, responses, (ε, δ) and their exact compositions. For a loss known by a bound or a
    bracket, the region drawn contains the true one. For k people it is 1 − (1−f)^{∘k}.
    """

    loss: Loss
    people: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.loss, Loss):
            raise Refused(f"the region of a {type(self.loss).__name__}", "It is no loss.", "a `Loss`.")
        object.__setattr__(self, "people", whole(self.people, "people", least=1))

    def boundary(self, false_alarms: Number) -> float:
        """f(α): the least miss rate at this false-alarm rate, rounded down."""
        if self.people == 1:
            return max(0.0, self.loss.tradeoff(false_alarms))
        return max(0.0, group_tradeoff(self.loss, self.people, false_alarms))

    def bracket(self, false_alarms: Number, looks: int = 600) -> tuple[float, float]:
        """The boundary at α between two certified ends, for one person; they are as close as the loss's own bracket.

        The upper end comes from the lower ends of δ: f(α) is the supremum over ε of the larger of 1−δ(ε)−e^ε α and
        e^−ε(1−δ(ε)−α), and for near ≤ ε ≤ far both are at most their value with e^near and δ(far). (At α = 0 no
        finite ε bounds it, and the upper end is 1.)
        """
        alpha, count = probability(false_alarms, "false_alarms"), whole(looks, "looks", least=1)
        if self.people > 1:
            raise Refused("a bracket for a group", "A group's curve is a bound, not attained.", "`boundary`.")
        cells = [_ceiling(alpha, Fraction(0), None, 0.0)]
        for _ in range(count):
            _, near, far, low = cells[0]
            if near > _FARTHEST:
                break
            heapq.heappop(cells)
            middle = (near + far) / 2 if far is not None else 2 * near + 1
            at_middle = self.loss.delta_between(middle)[0]
            heapq.heappush(cells, _ceiling(alpha, near, middle, at_middle))
            heapq.heappush(cells, _ceiling(alpha, middle, far, low))
        return self.boundary(alpha), min(float_up(1 - alpha), max(0.0, -cells[0][0]))

    def permits(self, false_alarms: Number, misses: Number) -> bool:
        """Whether the known bounds permit a test with these error rates; False is a proof that there is none."""
        alpha, beta = probability(false_alarms, "false_alarms"), probability(misses, "misses")
        return beta >= Fraction(self.boundary(alpha)) and 1 - beta >= Fraction(self.boundary(1 - alpha))

    def delta(self, epsilon: Number, looks: int = 1000) -> float:
        """The δ at ε that the region implies, sup over α of 1−f(α)−e^ε α (conjugacy); rounded up.

        For one person it is the loss's own. For a group the supremum is bounded interval by interval, and the worst
        interval is halved at each step: f falls, so between a < b it is at most 1−f(b)−e^ε a. It is never above the
        group's closed form, where the loss has one.
        """
        at, count = nonnegative(epsilon, "epsilon"), whole(looks, "looks", least=1)
        if self.people == 1:
            return self.loss.delta(at)
        growth = Fraction(down(sharp(lambda: ball(at).exp())))
        top = [(-(1 - Fraction(self.boundary(1))), Fraction(0), Fraction(1))]
        for _ in range(count):
            _, low, high = heapq.heappop(top)
            middle = (low + high) / 2
            for a, b in ((low, middle), (middle, high)):
                heapq.heappush(top, (growth * a - 1 + Fraction(self.boundary(b)), a, b))
        return min(float_up(max(Fraction(0), -top[0][0])), self._closed_delta(at))

    def _closed_delta(self, epsilon: Fraction) -> float:
        try:
            return self.loss.group(self.people).delta(epsilon)
        except Refused:
            return 1.0

    def lies_within(self, other: Region) -> bool:
        """Whether this region is contained in the other: every test does at least as well there.

        By Blackwell's theorem this holds iff the first pair of laws is a post-processing of the second: the
        data-processing inequality is one half of it, its converse the other. Decided exactly, or refused as open.
        """
        if self.people == other.people == 1:
            inner, outer = table_of(self.loss), table_of(other.loss)
            if inner is not None and outer is not None:
                return lies_within_table(inner, outer)
            return dominates(other.loss, self.loss)
        if self.loss == other.loss:
            return self.people <= other.people or self._is_open(other)
        return self._is_open(other)

    def _is_open(self, other: Region) -> bool:
        raise Refused(
            f"whether the region of {self} lies within that of {other}",
            "Regions of groups are compared only for the same loss and a growing group.",
            "regions of one person, or `loss.group(people)` as a loss of its own.",
        )

    def group(self, people: int) -> Region:
        """The region of a group of this many people (of this many groups, if it is one already)."""
        return Region(self.loss, self.people * whole(people, "people", least=1))

    def vertices(self) -> tuple[tuple[float, float], ...]:
        """The corners of a boundary made of straight lines, from α = 0 on, both coordinates rounded down."""
        if self.people == 1 and isinstance(self.loss, (RepeatedApprox, MixedApprox)):
            return self.loss.vertices()
        if self.people == 1 and (table := table_of(self.loss)) is not None:
            return _table_vertices(table)
        raise Refused(
            f"the corners of the region of {self}",
            "Its boundary is not known to be made of straight lines.",
            "(ε, δ), a symmetric finite pair or their composition; or `sample`.",
        )

    def sample(self, points: int = 101) -> tuple[tuple[float, float], ...]:
        """Points of the lower boundary for a figure: its corners where it has them, else denser towards both ends."""
        try:
            return self.vertices()
        except Refused:
            cuts = _spread(whole(points, "points", least=2) - 1)
            return tuple((max(0.0, float_down(alpha)), self.boundary(alpha)) for alpha in cuts)

    def __str__(self) -> str:
        return f"({self.loss})" if self.people == 1 else f"({self.loss}) for {self.people} people"


def compose_regions(regions: Iterable[Region]) -> Region:
    """The region of several releases together, fixed in advance: exact for (ε, δ), Gaussians and responses.

    Otherwise it contains the true region (`Composition`); the numeric accountant can be tighter.
    """
    listed = list(regions)
    if not all(region.people == 1 for region in listed):
        raise Refused(
            "the composition of regions of groups",
            "Group first and compose afterwards is not what a group's curve describes.",
            "the regions of one person composed, and then `group(people)`.",
        )
    losses = [region.loss for region in listed]
    if len(losses) == 1:
        return listed[0]
    basic = [loss for loss in losses if isinstance(loss, Approx)]
    if basic and len(basic) == len(losses):
        return Region(optimal_composition(basic))
    tables = [loss for loss in losses if isinstance(loss, FinitePair) and is_symmetric(loss)]
    if tables and len(tables) == len(losses):
        return Region(symmetric_product(tables))
    summed = compose(*losses)
    return Region(Composition(losses) if isinstance(summed, Composition) else summed)


def repeat_region(region: Region, times: int) -> Region:
    """The region of k releases like this one."""
    return compose_regions([region] * whole(times, "times", least=1))


_FARTHEST = 2**20  # a larger ε promises nothing
_Cell: TypeAlias = tuple[float, Fraction, Fraction | None, float]


def _ceiling(alpha: Fraction, near: Fraction, far: Fraction | None, low: float) -> _Cell:
    """A heap entry: minus the largest boundary value for ε from near to far (None: unbounded), then these ends."""
    left = 1 - Fraction(low)

    def most() -> Ball:
        growth = ball(near).exp()
        return (ball(left) - growth * ball(alpha)).max(ball(left - alpha) / growth)

    return -up(sharp(most)), near, far, low


def _spread(cells: int) -> list[Fraction]:
    """0 to 1 in steps that shrink towards both ends."""
    return [Fraction(round(2**60 * math.sin(math.pi * i / (2 * cells)) ** 2), 2**60) for i in range(cells + 1)]


def _table_vertices(pair: FinitePair) -> tuple[tuple[float, float], ...]:
    way = pair.directions[0]
    with precision(4 * START_BITS):
        scale = way.scale.ball()
        corners = [(b.ball() / scale, (way.scale - a).ball() / scale) for a, b in corners_of(way)]
    return tuple((_rate_down(alarms), _rate_down(misses)) for alarms, misses in corners)


def _rate_down(value: Ball) -> float:
    return max(0.0, down(value))


def group_tradeoff(loss: Loss, people: int, alpha: Number) -> float:
    """The least miss rate of a test that seeks a group of k people with false-alarm rate α; rounded down.

    f_k = 1 − (1−f)^{∘k} (Dong–Roth–Su 2022): a test of size α against one person's world has power at most
    1−f(α) there, which is its size for the next step. Each step is rounded towards more power, and
    1−f rises with α, so the result stays a lower bound. Same relation as the loss; never worse than the closed
    (kε, δ(e^{kε}−1)/(e^ε−1)).
    """
    size, power = whole(people, "people", least=1), probability(alpha, "alpha")
    a_loss(loss)
    for _ in range(size):
        if power == 1:
            break
        power = 1 - Fraction(loss.tradeoff(power))
    return float_down(1 - power)
