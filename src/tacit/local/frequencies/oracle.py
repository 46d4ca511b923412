"""Frequency oracles: a way to report one of K options, and a way to count options from many reports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, exact, probability, whole
from tacit.local.frequencies.frequency_estimates import Frequencies
from tacit.local.frequencies.report_rows import Rows, checked_rows
from tacit.local.least_noise import frequency_words
from tacit.loss.families.loss import Loss, Relation
from tacit.noise.bits import ENTROPY, Bits, Integers, Rehearsal

MOST_OPTIONS = 1 << 24


class Oracle(ABC):
    """One person's option becomes a row of whole numbers, which supports some of the options.

    Claims, for the replacement of one person's option by any other: the row costs `loss`. And, for every option v, a
    row supports v with probability `hit` where v is true and `stray` where another is, whichever: so the estimate
    (count/n − stray)/(hit − stray) is unbiased and its variance is known exactly. All probabilities are fractions, and
    `alphabet` and `probability` name every one of them, so that a test can hold both claims without rounding.
    """

    relation = Relation.REPLACE
    options: int
    odds: Fraction

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """The loss of one report."""

    @property
    @abstractmethod
    def hit(self) -> Fraction:
        """P(a report supports an option | the option is true)."""

    @property
    @abstractmethod
    def stray(self) -> Fraction:
        """P(a report supports an option | another one is true)."""

    @property
    @abstractmethod
    def message_bits(self) -> int:
        """The size of a report in bits."""

    @property
    @abstractmethod
    def ceilings(self) -> tuple[int, ...]:
        """The exclusive upper bound of each number of a row."""

    @abstractmethod
    def decoding_steps(self, people: int) -> int:
        """The approximate number of elementary steps to count the support of all options in so many reports."""

    @abstractmethod
    def alphabet(self) -> Iterator[tuple[int, ...]]:
        """Every possible report, as a row."""

    @abstractmethod
    def probability(self, answer: int, report: tuple[int, ...]) -> Fraction:
        """P(report | answer)."""

    @abstractmethod
    def randomize(self, answers: Integers, bits: Bits) -> Rows:
        """A row for each answer, from these bits. Callers use `report`."""

    @abstractmethod
    def support(self, reports: Rows) -> Integers:
        """The number of reports that support each option."""

    @property
    def answers(self) -> int:
        return self.options

    def report(self, answers: ArrayLike) -> Rows:
        """The reports of people with these options, one row each, from the operating system's entropy.

        A device that has one option, `report(5)`, gets its row.
        """
        return self._randomized(answers, ENTROPY)

    def rehearse(self, answers: ArrayLike, bits: Rehearsal) -> Rows:
        """The same on scripted or seeded bits, for tests and simulations: not private."""
        if not isinstance(bits, Rehearsal):
            raise Refused(
                f"a rehearsal on {type(bits).__name__}",
                "A rehearsal is repeatable and must not look like a release.",
                "a Rehearsal source such as Seeded(1); or report(answers), which takes no source.",
            )
        return self._randomized(answers, bits)

    def _randomized(self, answers: ArrayLike, bits: Bits) -> Rows:
        rows = self.randomize(self._checked(np.atleast_1d(np.asarray(answers))), bits)
        return rows if np.ndim(answers) else rows[0]

    def estimate(self, reports: ArrayLike) -> Frequencies:
        """The frequency of each option among the senders of these reports, and in their population."""
        rows = self.checked_rows(reports)
        return Frequencies(self.support(rows), len(rows), self.hit, self.stray)

    def checked_rows(self, reports: ArrayLike) -> Rows:
        """The reports as rows that could have been sent; others are refused."""
        return checked_rows(reports, self.ceilings)

    def variance(self, share: Number, people: int) -> Fraction:
        """The exact variance of an estimate for people drawn from a population with this true share.

        The support is binomial with rate λ = stray + (hit − stray)·share: λ(1−λ)/(n·(hit − stray)²).
        """
        rate = self.stray + (self.hit - self.stray) * probability(share, "share")
        return rate * (1 - rate) / (whole(people, "people", 1) * (self.hit - self.stray) ** 2)

    def variance_given(self, share: Number, people: int) -> Fraction:
        """The exact variance for these given people, of whom this share has the option: the noise of the reports alone.

        The support is a sum of independent coins, share·n of them with rate hit and the others with rate stray.
        """
        own = probability(share, "share")
        noise = own * self.hit * (1 - self.hit) + (1 - own) * self.stray * (1 - self.stray)
        return noise / (whole(people, "people", 1) * (self.hit - self.stray) ** 2)

    @property
    def mean_variance(self) -> Fraction:
        """n·Var for given people, averaged over the options: the same whatever the true shares, for they sum to one."""
        return self.variance_given(Fraction(1, self.options), 1)

    @property
    def worst_variance(self) -> Fraction:
        """n·Var for given people at the worst share: it is linear in the share, so at 0 or at 1."""
        return max(self.variance_given(0, 1), self.variance_given(1, 1))

    @property
    def optimality(self) -> str:
        """Its reports compared with the optimum at their ε, which is ln(odds)."""
        return frequency_words(self.odds, self.options, self.mean_variance)

    def _checked(self, answers: ArrayLike) -> Integers:
        """The answers as integers; an invalid one is refused without being named."""
        read = np.asarray(answers)
        if not (read.ndim == 1 and read.size > 0 and read.dtype.kind in "iu"):
            raise Refused("answers that are no list of integers", "They cannot be read.", "one integer a person.")
        if not (read.min() >= 0 and read.max() < self.options):
            raise Refused("an answer that is none of those offered", "It has no report.", f"0 to {self.options - 1}.")
        return read.astype(np.int64)


def checked_options(options: int) -> int:
    """Refuse fewer than 2 options or more than 2^24."""
    known = whole(options, "options", 2)
    if not known <= MOST_OPTIONS:
        raise Refused(f"{known} options", "They cannot be counted one by one.", f"at most {MOST_OPTIONS}; or prefixes.")
    return known


def checked_odds(odds: Number) -> Fraction:
    """Refuse odds that are not above 1."""
    known = exact(odds, "odds")
    if not known > 1:
        raise Refused(f"odds of {known}", "A report must be likelier with the truth.", "odds > 1.")
    return known
