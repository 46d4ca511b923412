"""A randomizer given by whole weights: row by answer, column by report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, combinations
from math import lcm
from typing import Any

import numpy as np

from tacit.errors import Refused
from tacit.exact import Number, probability
from tacit.frozen import frozen
from tacit.local.randomizers.randomizer import Randomizer, below
from tacit.loss.composition.parallel import worst
from tacit.loss.families.loss import Loss
from tacit.loss.pairs.finite_pair import Atom, FinitePair
from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import UniformBelow


@frozen
class WeightTable(Randomizer[int]):
    """P(report r | answer a) = weights[a][r] / total, for whole weights whose rows have one total.

    Claim, for the replacement of one answer by another: the report costs the worst pair of rows. One integer u below
    the total decides: the report is the first r at which the row's running sum exceeds u.
    """

    weights: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, rows: Sequence[Sequence[Number]]) -> WeightTable:
        """The table of these probabilities, row by answer; each row must add up to 1."""
        read = [[probability(cell, "probability") for cell in row] for row in rows]
        if not (len(read) >= 2 and len({len(row) for row in read}) == 1 and all(sum(row) == 1 for row in read)):
            raise Refused(
                "a table of probabilities",
                "Its rows differ in length, do not add up to 1, or are fewer than two.",
                "one row an answer, each adding up to exactly 1, such as [['3/4', '1/4'], ['1/4', '3/4']].",
            )
        total = lcm(*(cell.denominator for row in read for cell in row))
        return cls(tuple(tuple(int(cell * total) for cell in row) for row in read))

    @property
    def answers(self) -> int:
        return len(self.weights)

    @cached_property
    def total(self) -> int:
        return sum(self.weights[0])

    @cached_property
    def loss(self) -> Loss:
        zero = Fraction(0)
        pairs = [
            FinitePair(tuple(Atom(Fraction(p), zero, Fraction(q), zero) for p, q in zip(one, other, strict=True)))
            for one, other in combinations(dict.fromkeys(self.weights), 2)
        ]
        return pairs[0] if len(pairs) == 1 else worst(pairs)

    def alphabet(self) -> Iterator[int]:
        return iter(range(len(self.weights[0])))

    def probability(self, answer: int, report: int) -> Fraction:
        return Fraction(self.weights[answer][report], self.total)

    def draw(self, answer: int, bits: Bits) -> int:
        place = below(self.total, bits)
        return next(report for report, end in enumerate(accumulate(self.weights[answer])) if place < end)

    def draw_many(self, answers: Integers, bits: Bits) -> Integers:
        """A report for each of many answers: the same law, from other bytes."""
        places = UniformBelow(self.total).draw(answers.size, bits)
        ends = np.cumsum(np.array(self.weights, np.int64), axis=1)
        reports: Integers = np.sum(places[:, None] >= ends[answers], axis=1)
        return reports

    def written(self) -> dict[str, Any]:
        return {"kind": "table", "weights": [[str(weight) for weight in row] for row in self.weights]}
