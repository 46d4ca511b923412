"""Affine response: a report is a vector, and supports the options whose product with it is one of a few elements."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np

from tacit.errors import Refused
from tacit.exact import Number, whole
from tacit.frozen import frozen
from tacit.local.frequencies.design import Design
from tacit.local.frequencies.designed import DesignedOracle
from tacit.local.frequencies.field import Field
from tacit.local.frequencies.oracle import checked_odds, checked_options
from tacit.local.frequencies.points import Points, digits_for
from tacit.local.frequencies.projective_decoding import Decoding
from tacit.local.frequencies.rows import Rows
from tacit.local.randomizers.odds import odds_within
from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import UniformBelow


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
    def design(self) -> Design:
        return Design(self.order**2, self.targets * self.order, self.targets**2, self.odds)

    @property
    def vectors(self) -> int:
        """How many reports there are."""
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
