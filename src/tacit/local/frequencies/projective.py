"""Projective-geometry response: a report is a point, and supports the options whose points are orthogonal to it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

import numpy as np

from tacit.exact import Number, whole
from tacit.frozen import frozen
from tacit.local.frequencies.design import Design
from tacit.local.frequencies.designed import DesignedOracle
from tacit.local.frequencies.field import Field, prime_power
from tacit.local.frequencies.oracle import checked_odds, checked_options
from tacit.local.frequencies.points import Points, digits_for
from tacit.local.frequencies.projective_decoding import Decoding
from tacit.local.frequencies.rows import Rows
from tacit.local.randomizers.odds import odds_within
from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import UniformBelow

_LARGEST = 1 << 15


@frozen
class ProjectiveOracle(DesignedOracle):
    """A point y of the projective space over q elements: weight r where ⟨v, y⟩ = 0, else 1.

    Option v is the point (1, v's digits in base q). Claim, for the replacement of one option by another:
    ln(r)-private, as of every block design: each point is orthogonal to (q^(t−1)−1)/(q−1) of the (q^t−1)/(q−1) points,
    two different ones together to (q^(t−2)−1)/(q−1) (Feldman, Nelson, Nguyen and Talwar 2022). For q near r + 1 the
    variance is that of subset selection but for a few percent, and a message has about log₂ K + log₂ q bits. A row is
    the point's number.
    """

    options: int
    order: int
    odds: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_options(self.options))
        object.__setattr__(self, "order", whole(self.order, "order", 2))
        object.__setattr__(self, "odds", checked_odds(self.odds))
        _ = self.points

    @classmethod
    def within(cls, epsilon: Number, options: int) -> ProjectiveOracle:
        """The best order among the prime powers next to r + 1, and those whose space has just room for the options."""
        odds, known = odds_within(epsilon), checked_options(options)
        wanted = min(odds + 1, Fraction(_LARGEST))
        roomy = [ceil(wanted), *(max(2, ceil(known ** (1 / digits))) for digits in range(1, 25))]
        orders = {_order_down(floor(wanted)), *(_order_up(least) for least in roomy if least <= _LARGEST)}
        return min((cls(known, order, odds) for order in sorted(orders)), key=lambda oracle: oracle.mean_variance)

    @cached_property
    def points(self) -> Points:
        return Points(Field(self.order), 1 + digits_for(self.options, self.order))

    @cached_property
    def design(self) -> Design:
        sizes = [(self.order**size - 1) // (self.order - 1) for size in range(self.points.coordinates + 1)]
        return Design(sizes[-1], sizes[-2], sizes[-3], self.odds)

    @property
    def message_bits(self) -> int:
        return (self.points.count - 1).bit_length()

    @property
    def ceilings(self) -> tuple[int, ...]:
        return (self.points.count,)

    @cached_property
    def _decoding(self) -> Decoding:
        return Decoding(self.points, self.options)

    def decoding_steps(self, people: int) -> int:
        return people + self._decoding.steps(min(people, self.points.count))

    def alphabet(self) -> Iterator[tuple[int, ...]]:
        return ((point,) for point in range(self.points.count))

    def probability(self, answer: int, report: tuple[int, ...]) -> Fraction:
        place = self.points.coordinates_of(np.array(report))
        is_orthogonal = int(self.points.product(self.points.options(np.array([answer])), place)[0]) == 0
        return (self.odds if is_orthogonal else Fraction(1)) / self.design.total

    def randomize(self, answers: Integers, bits: Bits) -> Rows:
        """Coordinates but the first are free; the first makes ⟨v, y⟩ zero, or one: then the point is named."""
        is_orthogonal = UniformBelow(self.hit.denominator).draw(answers.size, bits) < self.hit.numerator
        free = self.order ** (self.points.coordinates - 1)
        numbers = UniformBelow(free).draw(answers.size, bits)
        within = np.flatnonzero(is_orthogonal)
        numbers[within] = UniformBelow(free - 1).draw(within.size, bits) + 1
        place = self.points.digits(numbers * self.order, self.points.coordinates)
        product = self.points.product(self.points.options(answers), place)
        field = self.points.field
        place[0] = field.add((~is_orthogonal).astype(np.int64), field.negatives[product])
        return self.points.number_of(place)[:, None]

    def support(self, reports: Rows) -> Integers:
        points, counts = np.unique(reports[:, 0], return_counts=True)
        return self._decoding.support(self.points.coordinates_of(points), counts)


def _order_up(least: int) -> int:
    """The least prime power ≥ least that a field is made for here."""
    return next(order for order in range(least, 4 * least) if _is_order(order))


def _order_down(most: int) -> int:
    """The greatest prime power ≤ most that a field is made for here."""
    return next(order for order in range(most, 1, -1) if _is_order(order))


def _is_order(number: int) -> bool:
    known = prime_power(number)
    return known is not None and (known[1] == 1 or number <= 512)
