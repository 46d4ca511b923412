"""K-ary response and subset selection on a device.

K-ary response reports the true one of K options, with the odds against each other one that ε permits. Subset selection
reports a set of options that holds the true one more often than any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from tacit.errors import Refused
from tacit.exact import Number, exact, whole
from tacit.frozen import frozen
from tacit.local.randomizers.randomizer import Randomizer, below, odds_within
from tacit.loss.pairs.finite_pair import Atom, FinitePair
from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import UniformBelow


@frozen
class KaryResponse(Randomizer[int]):
    """Reports the true option with odds r : 1 against each other one: r/(r+K−1), and 1/(r+K−1) for each other.

    Claim, for the replacement of one answer by another: the report is ln(r)-private, and no better. Proof: two
    probabilities of one report are equal or have ratio r. With r = a/b in lowest terms, one integer u below
    a + (K−1)b decides: u < a is the truth, else the ⌊(u−a)/b⌋th of the other options.
    """

    options: int
    odds: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", whole(self.options, "options", 2))
        object.__setattr__(self, "odds", exact(self.odds, "odds"))
        if not self.odds > 1:
            raise Refused(f"odds of {self.odds}", "The truth must be likelier than any other answer.", "odds > 1.")

    @classmethod
    def within(cls, epsilon: Number, options: int) -> KaryResponse:
        """The response with the largest odds that ε permits."""
        return cls(options, odds_within(epsilon))

    @property
    def answers(self) -> int:
        return self.options

    @property
    def total(self) -> int:
        return self.odds.numerator + (self.options - 1) * self.odds.denominator

    @cached_property
    def loss(self) -> FinitePair:
        zero, one, neither = Fraction(0), Fraction(1), Fraction(self.options - 2)
        atoms = (self.odds, one), (one, self.odds), (neither, neither)
        return FinitePair(tuple(Atom(p, zero, q, zero) for p, q in atoms))

    def alphabet(self) -> Iterator[int]:
        return iter(range(self.options))

    def probability(self, answer: int, report: int) -> Fraction:
        return (self.odds if answer == report else 1) / (self.odds + self.options - 1)

    def draw(self, answer: int, bits: Bits) -> int:
        place = below(self.total, bits)
        if place < self.odds.numerator:
            return answer
        other = (place - self.odds.numerator) // self.odds.denominator
        return other + (other >= answer)

    def draw_many(self, answers: Integers, bits: Bits) -> Integers:
        """A report for each of many answers: the same law, from other bytes."""
        places = UniformBelow(self.total).draw(answers.size, bits)
        others = (places - self.odds.numerator) // self.odds.denominator
        return np.where(places < self.odds.numerator, answers, others + (others >= answers))

    def written(self) -> dict[str, Any]:
        odds = self.odds
        return {"kind": "kary", "options": self.options, "true": str(odds.numerator), "other": str(odds.denominator)}


@frozen
class SubsetSelection(Randomizer[tuple[int, ...]]):
    """Reports d of the K options: each set that holds the true one with weight r, each other set with weight 1.

    Claim, for the replacement of one answer by another: the report is ln(r)-private, and no better (for d < K). Proof:
    every answer lies in C(K−1, d−1) sets, so all answers have one total weight, and two weights of one set are equal or
    have ratio r. The truth is within with odds r·d : K−d (r = a/b in lowest terms: one integer below a·d + b·(K−d)
    decides); the rest is a uniform set of the other options, by Floyd's rule.
    """

    options: int
    size: int
    odds: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", whole(self.options, "options", 2))
        object.__setattr__(self, "size", whole(self.size, "size", 1))
        object.__setattr__(self, "odds", exact(self.odds, "odds"))
        if not (self.size < self.options and self.odds > 1):
            raise Refused(
                f"sets of {self.size} of {self.options} options with odds {self.odds}",
                "A set of all options, or one that is no likelier with the truth, tells nothing.",
                "0 < size < options, odds > 1.",
            )

    @property
    def answers(self) -> int:
        return self.options

    @property
    def within(self) -> int:
        """The weight of the truth being in the set, in whole units."""
        return self.odds.numerator * self.size

    @property
    def without(self) -> int:
        """The weight of its being left out, in the same units."""
        return self.odds.denominator * (self.options - self.size)

    @cached_property
    def loss(self) -> FinitePair:
        """Ordered pairs of places in a set of d stand for the sets that hold two given answers; likewise the others."""
        d, rest = self.size, self.options - self.size
        both, one, neither = d * (d - 1), d * rest, rest * (rest - 1)
        zero, r, unit = Fraction(0), self.odds, Fraction(1)
        weights = (both * r, both * r), (one * r, one * unit), (one * unit, one * r), (neither * unit, neither * unit)
        return FinitePair(tuple(Atom(p, zero, q, zero) for p, q in weights))

    def alphabet(self) -> Iterator[tuple[int, ...]]:
        return combinations(range(self.options), self.size)

    def probability(self, answer: int, report: tuple[int, ...]) -> Fraction:
        total = self.odds * comb(self.options - 1, self.size - 1) + comb(self.options - 1, self.size)
        return (self.odds if answer in report else 1) / total

    def draw(self, answer: int, bits: Bits) -> tuple[int, ...]:
        has_truth = below(self.within + self.without, bits) < self.within
        others, wanted = self.options - 1, self.size - has_truth
        chosen: set[int] = set()
        for last in range(others - wanted, others):
            place = below(last + 1, bits)
            chosen.add(last if place in chosen else place)
        found = [other + (other >= answer) for other in chosen] + [answer] * has_truth
        return tuple(sorted(found))

    def written(self) -> dict[str, Any]:
        return {
            "kind": "subset",
            "options": self.options,
            "size": self.size,
            "within": str(self.within),
            "without": str(self.without),
        }
