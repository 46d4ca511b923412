"""Second moments: sums of products of every two columns, as blocks, and the matrix that noisy sums give.

Columns are a constant 1, numbers, and indicators of levels. A product that is another product already, or always 0, is
added up once, or not at all: an indicator times itself, or times another level of the same key.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import ceil

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.learn.sums.bounded_sums import KeyedBlock
from tacit.learn.sums.design import STEPS, ScaledDesign
from tacit.query.sql.clamp import ONE, Cut

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

UNIT_PRODUCT = STEPS**2  # steps of a product of 1


@frozen(eq=False)
class Moments:
    """The products of a design. Where it `has_target`, its last number is multiplied by the others, not by itself."""

    design: ScaledDesign
    has_target: bool

    @cached_property
    def blocks(self) -> tuple[KeyedBlock, ...]:
        return tuple(self._blocks())

    def _blocks(self) -> Iterator[KeyedBlock]:
        scaled, one = self.design.scaled, ONE.scaled(UNIT_PRODUCT, 1)
        yield KeyedBlock("0", 1, (one, *(_unit(each) for each in scaled)))
        features = len(scaled) - self.has_target
        for place in range(features):
            yield KeyedBlock("0", 1, tuple(_product(scaled, place, other) for other in range(place, len(scaled))))
        levels = [len(key.values or ()) for key in self.design.keys]
        for place, many in enumerate(levels):
            yield KeyedBlock(f"c{place}", many, (one, *(_unit(each) for each in scaled)))
        for (first, one_many), (second, other_many) in combinations(enumerate(levels), 2):
            yield KeyedBlock(f"c{first} * {other_many} + c{second}", one_many * other_many, (one,))

    @property
    def columns(self) -> int:
        """How many columns the matrix has: 1, numbers with the target, and all levels but the first of each key."""
        return 1 + len(self.design.numbers) + sum(len(key.values or ()) - 1 for key in self.design.keys)

    @cached_property
    def places(self) -> NDArray[np.intp]:
        """For every two columns the place of their sum among all; −1 where it is always 0, −2 where it is unknown."""
        numbers = 1 + len(self.design.numbers)
        found = np.full((self.columns, self.columns), -1, np.intp)
        if self.has_target:
            found[numbers - 1, numbers - 1] = -2
        starts = np.cumsum([0, *(block.size for block in self.blocks)])
        found[0, :numbers] = np.arange(numbers)
        features = numbers - 1 - self.has_target
        for place in range(features):
            found[1 + place, 1 + place : numbers] = starts[1 + place] + np.arange(numbers - 1 - place)
        many = [len(key.values or ()) for key in self.design.keys]
        begins = numbers + np.cumsum([0, *(each - 1 for each in many)])
        for key, levels in enumerate(many):
            cells = starts[1 + features + key] + np.arange(1, levels) * numbers
            own = np.arange(begins[key], begins[key + 1])
            found[:numbers, own] = np.arange(numbers)[:, None] + cells[None, :]
            found[own, own] = cells
        for pair, (one, two) in enumerate(combinations(range(len(many)), 2)):
            start = starts[1 + features + len(many) + pair]
            cells = np.arange(1, many[one])[:, None] * many[two] + np.arange(1, many[two])[None, :]
            found[begins[one] : begins[one + 1], begins[two] : begins[two + 1]] = start + cells
        return np.asarray(np.maximum(found, found.T))

    def matrix(self, summed: Integers | Floats) -> Floats:
        """The symmetric matrix of sums of products; an unknown one is NaN."""
        whole = np.append(np.asarray(summed, np.float64) / UNIT_PRODUCT, [np.nan, 0.0])  # −2 and −1 from the end
        return np.asarray(whole[self.places])

    @property
    def names(self) -> list[str]:
        """What the columns are called: "1", numbers, and key = value."""
        levels = [f"{key.name} = {value}" for key in self.design.keys for value in (key.values or ())[1:]]
        return ["1", *(number.name for number in self.design.numbers), *levels]

    def squared_norm_up(self, reach: Fraction) -> int:
        """The largest squared norm of a row whose numbers keep within `reach` of the way to their bounds."""
        keys, numbers = len(self.design.keys), len(self.design.numbers)
        features = numbers - self.has_target
        products = features * (features + 1) // 2 + features * self.has_target
        ones = 1 + keys + keys * (keys - 1) // 2
        return ceil((ones + (1 + keys) * numbers * reach**2 + products * reach**4) * UNIT_PRODUCT**2)


def _unit(value: Cut) -> Cut:
    return value.scaled(STEPS, 1)


def _product(scaled: list[Cut], first: int, second: int) -> Cut:
    return scaled[first].squared() if first == second else scaled[first].times(scaled[second])
