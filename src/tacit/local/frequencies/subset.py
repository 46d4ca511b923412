"""Subset selection as a frequency oracle: a report is a set of options, of the best whole size."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from math import comb, floor

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, whole
from tacit.frozen import frozen
from tacit.local.frequencies.design import Design
from tacit.local.frequencies.designed import DesignedOracle
from tacit.local.frequencies.listed_sets import draw_listed
from tacit.local.frequencies.oracle import checked_odds, checked_options
from tacit.local.frequencies.packed_sets import draw_packed
from tacit.local.frequencies.rows import Rows, column_sums, pack, row_sizes, set_ceilings, unpack
from tacit.local.randomizers.odds import odds_within
from tacit.local.randomizers.subset import SubsetSelection
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
    def design(self) -> Design:
        others = self.options - 1
        return Design(self.options * others, self.size * others, self.size * (self.size - 1), self.odds)

    @property
    def is_listed(self) -> bool:
        """Whether a list of the set's options is no longer than its packed bits."""
        return 64 * self.size <= self.options

    @property
    def message_bits(self) -> int:
        """A number for each option of the list, or one bit an option."""
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
