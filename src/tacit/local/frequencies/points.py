"""The points of a projective space over a finite field, numbered."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tacit.frozen import frozen
from tacit.local.frequencies.field import Field
from tacit.noise.bits import Integers


@frozen
class Points:
    """Vectors up to a factor: each point has one vector whose last coordinate other than 0 is 1.

    Points whose last such coordinate is the jth come after all with an earlier one, in the order of the number that
    their coordinates before it make in base q. Many points are an array with one line a coordinate.
    """

    field: Field
    coordinates: int

    @property
    def count(self) -> int:
        return int(self._begins[-1])

    @cached_property
    def _begins(self) -> Integers:
        """The number of the first point whose last coordinate other than 0 is the jth, for each j, and of all."""
        q = self.field.order
        return np.array([(q**place - 1) // (q - 1) for place in range(self.coordinates + 1)], np.int64)

    def coordinates_of(self, numbers: Integers) -> Integers:
        """The vectors of these points."""
        last = np.searchsorted(self._begins, numbers, side="right") - 1
        code = numbers - self._begins[last] + self.field.order**last
        return self.digits(code, self.coordinates)

    def digits(self, numbers: Integers, count: int) -> Integers:
        """The lowest digits of each number in base q, the lowest first: one line a digit."""
        digits: Integers = numbers // self.field.order ** np.arange(count)[:, None] % self.field.order
        return digits

    def options(self, answers: Integers) -> Integers:
        """The vectors that stand for options: 1, and the option's digits."""
        return np.concatenate([np.ones((1, answers.size), np.int64), self.digits(answers, self.coordinates - 1)])

    def number_of(self, vectors: Integers) -> Integers:
        """The points of these vectors, none of which is 0."""
        last = self.coordinates - 1 - np.argmax(vectors[::-1] != 0, axis=0)
        inverse = self.field.inverses[np.take_along_axis(vectors, last[None], axis=0)[0]]
        code = np.zeros(vectors.shape[1], np.int64)
        for place in range(self.coordinates):
            code += self.field.multiply(vectors[place], inverse) * self.field.order**place
        numbers: Integers = code - self.field.order**last + self._begins[last]
        return numbers

    def product(self, left: Integers, right: Integers) -> Integers:
        """⟨left, right⟩, vector by vector."""
        total = self.field.multiply(left[0], right[0])
        for one, other in zip(left[1:], right[1:], strict=True):
            total = self.field.add(total, self.field.multiply(one, other))
        return total


def digits_for(options: int, order: int) -> int:
    """How many digits in this base tell so many options apart."""
    digits = 1
    while order**digits < options:
        digits += 1
    return digits
