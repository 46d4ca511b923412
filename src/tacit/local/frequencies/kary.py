"""K-ary response as a frequency oracle: a report is one option and supports it alone."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np

from tacit.exact import Number
from tacit.frozen import frozen
from tacit.local.frequencies.design import Design
from tacit.local.frequencies.designed import DesignedOracle
from tacit.local.frequencies.oracle import checked_odds, checked_options
from tacit.local.frequencies.rows import Rows
from tacit.local.randomizers.kary import KaryResponse
from tacit.local.randomizers.odds import odds_within
from tacit.noise.bits import Bits, Integers


@frozen
class KaryOracle(DesignedOracle):
    """The true option with odds r : 1 against each other one. A row is that one option.

    Claim, for the replacement of one option by another: ln(r)-private, as of `KaryResponse`, which is what a device
    draws. The best there is for few options (fewer than about 1.4·(e^ε + 1)): it is subset selection of
    size one.
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
    def design(self) -> Design:
        return Design(self.options, 1, 0, self.odds)

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
