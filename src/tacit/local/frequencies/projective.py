"""Projective-geometry response and affine response.

Projective: a report is a point, and supports the options whose points are orthogonal to it. Affine: a report is a
vector, and supports the options whose product with it is one of a few elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

import numpy as np

from tacit.errors import Refused
from tacit.exact import Number, whole
from tacit.frozen import frozen
from tacit.local.frequencies.block_design import BlockDesign, DesignedOracle
from tacit.local.frequencies.finite_field import Field, prime_power
from tacit.local.frequencies.oracle import checked_odds, checked_options
from tacit.local.frequencies.projective_space import Decoding, Points, digits_for
from tacit.local.frequencies.report_rows import Rows
from tacit.local.randomizers.randomizer import odds_within
from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import UniformBelow

_LARGEST = 1 << 15


@frozen
class ProjectiveOracle(DesignedOracle):
    """A point y of the projective space over q elements: weight r where ⟨v, y⟩ = 0, else 1.

    Option v is the point (1, v's digits in base q). Claim, for the replacement of one option by another: ln(r)-private,
    as of every block design: each point is orthogonal to (q^(t−1)−1)/(q−1) of the (q^t−1)/(q−1) points, two different
    ones together to (q^(t−2)−1)/(q−1) (Feldman, Nelson, Nguyen and Talwar 2022). For q near r + 1 the variance is
    within a few percent of subset selection's, and a message has about log₂ K + log₂ q bits. A row is the point's
    number.
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
    def design(self) -> BlockDesign:
        sizes = [(self.order**size - 1) // (self.order - 1) for size in range(self.points.coordinates + 1)]
        return BlockDesign(sizes[-1], sizes[-2], sizes[-3], self.odds)

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
        """Coordinates but the first are free; the first makes ⟨v, y⟩ zero, or one: then the point is normalised."""
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
    """The least prime power ≥ least that `Field` supports."""
    return next(order for order in range(least, 4 * least) if _is_order(order))


def _order_down(most: int) -> int:
    """The greatest prime power ≤ most that `Field` supports."""
    return next(order for order in range(most, 1, -1) if _is_order(order))


def _is_order(number: int) -> bool:
    known = prime_power(number)
    return known is not None and (known[1] == 1 or number <= 512)


@frozen
class AffineOracle(DesignedOracle):
    """A vector y over a prime field of q elements: weight r where ⟨v, y⟩ is below d, else 1; v is (1, v's digits).

    Claim, for the replacement of one option by another: ln(r)-private, as of every block design: of every q² vectors
    d·q support an option, and d² support two different ones, since their products with y are independent and uniform.
    It supports a share d/q of the options, where projective geometry has 1/q alone: with 2/5 it fills the gap between
    fields of two and of three elements, where e^ε + 1 is about 2.5. A row is the vector's number in base q.
    """

    options: int
    order: int
    targets: int
    odds: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_options(self.options))
        object.__setattr__(self, "order", whole(self.order, "order", 2))
        object.__setattr__(self, "targets", whole(self.targets, "targets", 1))
        object.__setattr__(self, "odds", checked_odds(self.odds))
        if not (self.points.field.degree == 1 and self.targets < self.order):
            raise Refused(
                f"{self.targets} targets of {self.order}",
                "They tell nothing, or not here.",
                "a prime, and fewer targets.",
            )

    @classmethod
    def within(cls, epsilon: Number, options: int) -> AffineOracle:
        """Two targets of five, with the largest odds that ε permits."""
        return cls(options, 5, 2, odds_within(epsilon))

    @cached_property
    def points(self) -> Points:
        return Points(Field(self.order), 1 + digits_for(self.options, self.order))

    @cached_property
    def design(self) -> BlockDesign:
        return BlockDesign(self.order**2, self.targets * self.order, self.targets**2, self.odds)

    @property
    def vectors(self) -> int:
        """The number of possible reports."""
        found: int = self.order**self.points.coordinates
        return found

    @property
    def message_bits(self) -> int:
        return (self.vectors - 1).bit_length()

    @property
    def ceilings(self) -> tuple[int, ...]:
        return (self.vectors,)

    @cached_property
    def _decoding(self) -> Decoding:
        return Decoding(self.points, self.options, self.targets)

    def decoding_steps(self, people: int) -> int:
        return people + self._decoding.steps(min(people, self.vectors))

    def alphabet(self) -> Iterator[tuple[int, ...]]:
        return ((vector,) for vector in range(self.vectors))

    def probability(self, answer: int, report: tuple[int, ...]) -> Fraction:
        vector = self.points.digits(np.array(report), self.points.coordinates)
        is_target = int(self.points.product(self.points.options(np.array([answer])), vector)[0]) < self.targets
        share = self.hit / self.targets if is_target else (1 - self.hit) / (self.order - self.targets)
        return share * self.order / self.vectors

    def randomize(self, answers: Integers, bits: Bits) -> Rows:
        """All coordinates but the first are free; the first makes the product a uniform target, or a uniform other."""
        is_target = UniformBelow(self.hit.denominator).draw(answers.size, bits) < self.hit.numerator
        within = UniformBelow(self.targets).draw(answers.size, bits)
        without = UniformBelow(self.order - self.targets).draw(answers.size, bits) + self.targets
        free = UniformBelow(self.vectors // self.order).draw(answers.size, bits)
        vectors = self.points.digits(free * self.order, self.points.coordinates)
        product = self.points.product(self.points.options(answers), vectors)
        first = (np.where(is_target, within, without) - product) % self.order
        return (free * self.order + first)[:, None]

    def support(self, reports: Rows) -> Integers:
        numbers, counts = np.unique(reports[:, 0], return_counts=True)
        return self._decoding.support(self.points.digits(numbers, self.points.coordinates), counts)
