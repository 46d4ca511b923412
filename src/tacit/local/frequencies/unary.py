"""Optimised unary encoding: one bit an option, of which the true one is a fair coin and each other is rarely set."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

from tacit.exact import Number
from tacit.frozen import frozen
from tacit.local.frequencies.coins import packed_coins
from tacit.local.frequencies.oracle import Oracle, checked_odds, checked_options
from tacit.local.frequencies.rows import Rows, column_sums, pack, padding, set_bits, set_ceilings, unpack, width
from tacit.local.randomizers.odds import odds_within
from tacit.loss.pairs.finite_pair import Atom, FinitePair
from tacit.noise.bits import Bits, Integers


@frozen
class UnaryOracle(Oracle):
    """K independent bits: the true option's is 1 with probability 1/2, each other's with 1/(r+1) (Wang et al. 2017).

    Claim, for the replacement of one option by another: ln(r)-private, and no better. Proof: only the bits of the two
    options have other laws; their ratios are at most (1/2)(1−q)/((1/2)q) = r for q = 1/(r+1). Every bit is flipped with
    positive probability, the true one too. A row is the packed bits.
    """

    options: int
    odds: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_options(self.options))
        object.__setattr__(self, "odds", checked_odds(self.odds))

    @classmethod
    def within(cls, epsilon: Number, options: int) -> UnaryOracle:
        """The encoding with the largest odds that ε permits."""
        return cls(options, odds_within(epsilon))

    @property
    def hit(self) -> Fraction:
        return Fraction(1, 2)

    @property
    def stray(self) -> Fraction:
        return 1 / (self.odds + 1)

    @cached_property
    def loss(self) -> FinitePair:
        """That of two bits: the one option's and the other's."""
        zero, rates = Fraction(0), ((1 - self.hit, self.hit), (1 - self.stray, self.stray))
        (true, other), both = rates, product((0, 1), repeat=2)
        return FinitePair(tuple(Atom(true[a] * other[b], zero, other[a] * true[b], zero) for a, b in both))

    @property
    def message_bits(self) -> int:
        return self.options

    @property
    def ceilings(self) -> tuple[int, ...]:
        return set_ceilings(self.options)

    def decoding_steps(self, people: int) -> int:
        return people * -(-self.options // 8) + self.options

    def alphabet(self) -> Iterator[tuple[int, ...]]:
        for chosen in product((False, True), repeat=self.options):
            yield pack(self.options, tuple(option for option, is_in in enumerate(chosen) if is_in))

    def probability(self, answer: int, report: tuple[int, ...]) -> Fraction:
        members = set(unpack(report))
        others = prod(
            self.stray if option in members else 1 - self.stray for option in range(self.options) if option != answer
        )
        return others * (self.hit if answer in members else 1 - self.hit)

    def randomize(self, answers: Integers, bits: Bits) -> Rows:
        words = width(self.options)
        rows = packed_coins(self.stray, answers.size * words, bits).reshape(-1, words)
        rows[:, -1] &= padding(self.options)
        set_bits(rows, answers, (bits.octets(answers.size) & 1).astype(np.bool_))
        return rows

    def support(self, reports: Rows) -> Integers:
        return column_sums(reports.astype(np.uint64, copy=False), self.options)
