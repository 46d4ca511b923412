"""Useful, not reconstructible, and not private: the mean of a random half."""

from __future__ import annotations

from fractions import Fraction
from math import comb, sqrt

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import whole
from tacit.frozen import frozen
from tacit.loss.pairs.finite_pair import Atom, FinitePair
from tacit.noise.bits import Bits
from tacit.noise.uniform import UniformBelow

_ZERO = Fraction(0)


@frozen
class RandomHalf:
    """The number of ones in a random half of n people's bits; over n/2 it is the mean.

    It is useful: the mean's deviation is below 1/√n. It reconstructs nobody: its law depends on the number of ones
    alone, so an adversary who sees it guesses single bits no better than one who knows that number. And yet, for the
    replacement of one bit, it is not (ε, δ)-private for any ε and any δ < ½: let all be 0, or one of them 1. In the
    second world the answer is 1 with probability ½, in the first never. Not being reconstructible is too weak a
    promise; noise is what is missing, not sampling.
    """

    people: int

    def __post_init__(self) -> None:
        if not whole(self.people, "people", least=2) % 2 == 0:
            raise Refused(f"half of {self.people:,} people", "It is no whole number.", "an even number.")
        object.__setattr__(self, "people", int(self.people))

    @property
    def half(self) -> int:
        return self.people // 2

    def law(self, ones: int) -> dict[int, Fraction]:
        """The probability of each count of ones in the half, exactly (hypergeometric)."""
        many = whole(ones, "ones")
        if not many <= self.people:
            raise Refused("more ones than people", "Each has one bit.", f"at most {self.people:,}.")
        zeros, halves = self.people - many, comb(self.people, self.half)
        counts = range(max(0, self.half - zeros), min(self.half, many) + 1)
        return {count: Fraction(comb(many, count) * comb(zeros, self.half - count), halves) for count in counts}

    def loss(self, ones: int = 0) -> FinitePair:
        """What it costs between data with so many ones and with one more; at 0 it is worst."""
        first, second = self.law(ones), self.law(ones + 1)
        counts = sorted(first.keys() | second.keys())
        return FinitePair(tuple(Atom(first.get(at, _ZERO), _ZERO, second.get(at, _ZERO), _ZERO) for at in counts))

    def deviation(self, ones: int) -> float:
        """The standard deviation of the mean of the half."""
        share = ones / self.people
        return sqrt(share * (1 - share) / (self.people - 1))

    def release(self, bits_of_people: ArrayLike, bits: Bits) -> float:
        """The mean of a random half: of each number of people left, one of them is taken at random."""
        left = np.asarray(bits_of_people).tolist()
        if len(left) != self.people:
            raise Refused("bits of another number of people", "Half of them is another.", f"{self.people:,} bits.")
        taken = 0
        for _ in range(self.half):
            taken += left.pop(int(UniformBelow(len(left)).draw(1, bits)[0]))
        return taken / self.half

    def describe(self) -> str:
        worst = self.deviation(self.half)
        return (
            f"The mean of a random half of {self.people:,} people: off by {worst:.2g} or so, nobody's bit can be read "
            "from it, and it is (ε, δ)-private for no δ below 1/2."
        )

    def __str__(self) -> str:
        return self.describe()
