"""Frequency oracles whose report is a set of options: subset selection, and optimised unary encoding.

Subset selection reports a set of the best whole size. Unary encoding sends one bit per option: the true one's is a fair
coin, and each other is rarely set.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import comb, floor, prod

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, whole
from tacit.frozen import frozen
from tacit.local.frequencies.block_design import BlockDesign, DesignedOracle
from tacit.local.frequencies.oracle import Oracle, checked_odds, checked_options
from tacit.local.frequencies.random_sets import draw_listed, draw_packed, packed_coins
from tacit.local.frequencies.report_rows import (
    Rows,
    column_sums,
    pack,
    padding,
    row_sizes,
    set_bits,
    set_ceilings,
    unpack,
    width,
)
from tacit.local.randomizers.randomizer import odds_within
from tacit.local.randomizers.subset_selection import SubsetSelection
from tacit.loss.pairs.finite_pair import Atom, FinitePair
from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import UniformBelow


@frozen
class SubsetOracle(DesignedOracle):
    """Sets of d options: each that holds the true one with weight r, each other with weight 1 (Ye and Barg 2018).

    Claim, for the replacement of one option by another: ln(r)-private, as of `SubsetSelection`, which is what a device
    draws. With the better of the two whole sizes next to K/(r+1) no other ln(r)-private report has a lower mean
    variance of unbiased estimates (arXiv 2603.11523). A row is the set as packed bits, or, where d ≤ K/64, the sorted
    list of its options.
    """

    options: int
    size: int
    odds: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_options(self.options))
        object.__setattr__(self, "size", whole(self.size, "size", 1))
        object.__setattr__(self, "odds", checked_odds(self.odds))
        if not self.size < self.options:
            raise Refused(f"sets of {self.size} of {self.options}", "They tell nothing.", "0 < size < options.")

    @classmethod
    def within(cls, epsilon: Number, options: int) -> SubsetOracle:
        """The oracle of the exactly best size, with the largest odds that ε permits."""
        odds, known = odds_within(epsilon), checked_options(options)
        low = min(max(floor(known / (odds + 1)), 1), known - 1)
        sizes = (low, min(low + 1, known - 1))
        return min((cls(known, size, odds) for size in sizes), key=lambda oracle: oracle.mean_variance)

    @cached_property
    def device(self) -> SubsetSelection:
        """The randomizer that each person runs."""
        return SubsetSelection(self.options, self.size, self.odds)

    @cached_property
    def design(self) -> BlockDesign:
        others = self.options - 1
        return BlockDesign(self.options * others, self.size * others, self.size * (self.size - 1), self.odds)

    @property
    def is_listed(self) -> bool:
        """Whether a list of the set's options is no longer than its packed bits."""
        return 64 * self.size <= self.options

    @property
    def message_bits(self) -> int:
        """One number for each option of the list, or one bit per option."""
        return self.size * (self.options - 1).bit_length() if self.is_listed else self.options

    @property
    def ceilings(self) -> tuple[int, ...]:
        return (self.options,) * self.size if self.is_listed else set_ceilings(self.options)

    def checked_rows(self, reports: ArrayLike) -> Rows:
        """As for every oracle; and every set must have the right size."""
        read = super().checked_rows(reports)
        rows = read if self.is_listed else read.astype(np.uint64, copy=False)
        if not ((np.diff(rows, axis=1) > 0).all() if self.is_listed else (row_sizes(rows) == self.size).all()):
            raise Refused("a set of another size", "Nobody can have sent it.", f"sets of {self.size} options.")
        return rows

    def decoding_steps(self, people: int) -> int:
        return people * (self.size if self.is_listed else -(-self.options // 8)) + self.options

    def alphabet(self) -> Iterator[tuple[int, ...]]:
        return (members if self.is_listed else pack(self.options, members) for members in self.device.alphabet())

    def probability(self, answer: int, report: tuple[int, ...]) -> Fraction:
        members = report if self.is_listed else unpack(report)
        weight = self.odds if answer in members else Fraction(1)
        return weight / (self.design.total * comb(self.options, self.size)) * self.design.reports

    def randomize(self, answers: Integers, bits: Bits) -> Rows:
        coin = UniformBelow(self.hit.denominator)
        has_truth = coin.draw(answers.size, bits) < self.hit.numerator
        draw = draw_listed if self.is_listed else draw_packed
        return draw(answers, has_truth, self.options, self.size, bits)

    def support(self, reports: Rows) -> Integers:
        if self.is_listed:
            return np.bincount(reports.reshape(-1), minlength=self.options).astype(np.int64)
        return column_sums(reports, self.options)


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
