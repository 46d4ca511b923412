"""K-ary response on a device: the true one of K options, with odds against each other one that ε permits."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from tacit.errors import Refused
from tacit.exact import Number, exact, whole
from tacit.frozen import frozen
from tacit.local.randomizers.odds import odds_within
from tacit.local.randomizers.randomizer import Randomizer, below
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
