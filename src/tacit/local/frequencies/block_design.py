"""Block designs: reports that each support some options, any two options together in equally many of them.

Three numbers determine the cost of such an oracle and its support probabilities. The simplest is K-ary
response: a report is one option and supports it alone.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np

from tacit.exact import Number
from tacit.frozen import frozen
from tacit.local.frequencies.oracle import Oracle, checked_odds, checked_options
from tacit.local.frequencies.report_rows import Rows
from tacit.local.randomizers.randomizer import odds_within
from tacit.local.randomizers.subset_selection import KaryResponse
from tacit.loss.families.loss import Loss
from tacit.loss.pairs.finite_pair import Atom, FinitePair
from tacit.noise.bits import Bits, Integers


@frozen
class BlockDesign:
    """Among `reports` reports, `supporting` support a given option and `both` support two given options.

    Each report that supports the true option is sent with weight `odds`, each other with weight 1. Claim, for the
    replacement of one option by another: the report is ln(odds)-private. Proof: every option has the same total
    weight, and two weights of one report are equal or have ratio `odds`. The three numbers may have a common factor.
    """

    reports: int
    supporting: int
    both: int
    odds: Fraction

    @property
    def total(self) -> Fraction:
        """The weight of all reports."""
        return self.odds * self.supporting + self.reports - self.supporting

    @property
    def hit(self) -> Fraction:
        return self.odds * self.supporting / self.total

    @property
    def stray(self) -> Fraction:
        return (self.odds * self.both + self.supporting - self.both) / self.total

    @property
    def loss(self) -> FinitePair:
        zero, one = Fraction(0), Fraction(self.supporting - self.both)
        both, neither = Fraction(self.both), Fraction(self.reports - 2 * self.supporting + self.both)
        weights = (
            (self.odds * both, self.odds * both),
            (self.odds * one, one),
            (one, self.odds * one),
            (neither, neither),
        )
        return FinitePair(tuple(Atom(p, zero, q, zero) for p, q in weights))


class DesignedOracle(Oracle):
    """An oracle whose reports are the blocks of a design."""

    @property
    @abstractmethod
    def design(self) -> BlockDesign:
        """How many reports there are, how many support an option, and how many support two."""

    @property
    def loss(self) -> Loss:
        return self.design.loss

    @property
    def hit(self) -> Fraction:
        return self.design.hit

    @property
    def stray(self) -> Fraction:
        return self.design.stray


@frozen
class KaryOracle(DesignedOracle):
    """The true option with odds r : 1 against each other one. A row is that one option.

    Claim, for the replacement of one option by another: ln(r)-private, as of `KaryResponse`, which devices draw. The
    optimum for few options (fewer than about 1.4·(e^ε + 1)): it is subset selection of size one.
    """

    options: int
    odds: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_options(self.options))
        object.__setattr__(self, "odds", checked_odds(self.odds))

    @classmethod
    def within(cls, epsilon: Number, options: int) -> KaryOracle:
        """The response with the largest odds that ε permits."""
        return cls(options, odds_within(epsilon))

    @cached_property
    def device(self) -> KaryResponse:
        """The randomizer that each person runs."""
        return KaryResponse(self.options, self.odds)

    @cached_property
    def design(self) -> BlockDesign:
        return BlockDesign(self.options, 1, 0, self.odds)

    @property
    def message_bits(self) -> int:
        return (self.options - 1).bit_length()

    @property
    def ceilings(self) -> tuple[int, ...]:
        return (self.options,)

    def decoding_steps(self, people: int) -> int:
        return people + self.options

    def alphabet(self) -> Iterator[tuple[int, ...]]:
        return ((report,) for report in self.device.alphabet())

    def probability(self, answer: int, report: tuple[int, ...]) -> Fraction:
        return self.device.probability(answer, report[0])

    def randomize(self, answers: Integers, bits: Bits) -> Rows:
        return self.device.draw_many(answers, bits)[:, None]

    def support(self, reports: Rows) -> Integers:
        return np.bincount(reports[:, 0], minlength=self.options).astype(np.int64)
