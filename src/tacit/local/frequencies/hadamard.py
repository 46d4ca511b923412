"""Hadamard response: a report is a column of a Hadamard matrix, and supports the options whose rows have a +1 there.

Reports are counted by the Walsh–Hadamard transform: sums of a table with the sign (−1)^⟨u, y⟩, for every u at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np

from tacit.exact import Number
from tacit.frozen import frozen
from tacit.local.frequencies.block_design import BlockDesign, DesignedOracle
from tacit.local.frequencies.oracle import checked_odds, checked_options
from tacit.local.frequencies.report_rows import Rows
from tacit.local.randomizers.randomizer import odds_within
from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import UniformBelow


def walsh(table: Integers) -> Integers:
    """Σ_y table[y]·(−1)^(number of binary digits that u and y share), for every u; 2^m entries in m·2^m steps."""
    out = table.astype(np.int64)
    half = 1
    while half < out.size:
        pairs = out.reshape(-1, 2, half)
        low, high = pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]
        pairs[:, 0], pairs[:, 1] = low, high
        half *= 2
    return out


@frozen
class HadamardOracle(DesignedOracle):
    """A column y below 2^m > K: weight r where ⟨v+1, y⟩ is even in binary, else 1 (Acharya, Sun and Zhang 2019).

    Claim, for the replacement of one option by another: ln(r)-private, as of every block design: each option is
    supported by half of the columns, two together by a quarter, since v+1 and w+1 are independent over two elements.
    Short messages and the fastest decoding; its variance is near the optimum for ε up to about 0.2 only. A row is the
    column.
    """

    options: int
    odds: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_options(self.options))
        object.__setattr__(self, "odds", checked_odds(self.odds))

    @classmethod
    def within(cls, epsilon: Number, options: int) -> HadamardOracle:
        """The response with the largest odds that ε permits."""
        return cls(options, odds_within(epsilon))

    @cached_property
    def design(self) -> BlockDesign:
        return BlockDesign(4, 2, 1, self.odds)

    @property
    def columns(self) -> int:
        return 1 << self.message_bits

    @property
    def message_bits(self) -> int:
        return self.options.bit_length()

    @property
    def ceilings(self) -> tuple[int, ...]:
        return (self.columns,)

    def decoding_steps(self, people: int) -> int:
        return people + self.columns * self.message_bits

    def alphabet(self) -> Iterator[tuple[int, ...]]:
        return ((column,) for column in range(self.columns))

    def probability(self, answer: int, report: tuple[int, ...]) -> Fraction:
        is_even = (answer + 1 & report[0]).bit_count() % 2 == 0
        return (self.hit if is_even else 1 - self.hit) / (self.columns // 2)

    def randomize(self, answers: Integers, bits: Bits) -> Rows:
        """A uniform column; where its parity is not the one wanted, the lowest digit of v+1 is flipped in it."""
        wants_even = UniformBelow(self.hit.denominator).draw(answers.size, bits) < self.hit.numerator
        columns, rows = UniformBelow(self.columns).draw(answers.size, bits), answers + 1
        flips = _parity(rows & columns) == wants_even
        return np.where(flips, columns ^ (rows & -rows), columns)[:, None]

    def support(self, reports: Rows) -> Integers:
        """Even columns less odd ones is the transform; even and odd ones together are all."""
        balance = walsh(np.bincount(reports[:, 0], minlength=self.columns))
        return (len(reports) + balance[1 : self.options + 1]) // 2


def _parity(numbers: Integers) -> Integers:
    """1 where an odd number of binary digits is set, of numbers below 2^32."""
    folded = numbers
    for shift in (16, 8, 4, 2, 1):
        folded = folded ^ (folded >> shift)
    return folded & 1
