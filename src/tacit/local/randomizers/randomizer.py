"""Local randomizers: tables of exact probabilities, of reports given answers; and tables of whole weights.

The odds that a local ε permits are a fraction, which a device can compare without rounding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, combinations
from math import lcm
from typing import Any, Generic, TypeVar

import numpy as np

from tacit.errors import Refused
from tacit.exact import Number, exact, positive, probability, whole
from tacit.frozen import frozen
from tacit.loss.composition.parallel import worst
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.pairs.finite_pair import Atom, FinitePair
from tacit.noise.ball import ball, fraction_down, precision
from tacit.noise.bits import ENTROPY, Bits, Integers, Rehearsal
from tacit.noise.uniform import UniformBelow

_BITS = 32  # of the odds: a relative loss of 2^-32, and totals that fit 64 bits for every domain of use
_MOST = 40


def odds_within(epsilon: Number) -> Fraction:
    """The largest fraction of 32 bits that is at most e^ε: a report's probabilities may differ by this factor.

    An ε can be written as a logarithm: "ln 3" is odds of exactly 3, "ln 5/2" of 5/2.
    """
    if isinstance(epsilon, str) and epsilon.strip().startswith("ln"):
        return _exponential(epsilon.strip().removeprefix("ln"))
    own = positive(epsilon, "epsilon")
    if not own <= _MOST:
        raise Refused(f"a local ε of {float(own):g}", "Such a report is the answer itself.", f"0 < ε ≤ {_MOST}.")
    with precision(256):
        found = fraction_down(ball(own).exp(), _BITS)
    if not found > 1:
        raise Refused(f"a local ε of {float(own):g}", "It is too small to tell from 0.", "ε ≥ 1e-9.")
    return found


def _exponential(written: str) -> Fraction:
    """The odds of an ε that is written as their logarithm."""
    behind = written.strip(" ()")
    try:
        odds = exact(behind, "epsilon")
    except Refused:
        raise Refused(f"epsilon = ln {behind[:40]}", "It is the logarithm of no number.", '"ln 3", "ln 5/2".') from None
    with precision(256):
        if not 1 < odds <= fraction_down(ball(_MOST).exp(), 256):
            raise Refused(f"epsilon = ln {behind[:40]}", f"It is not above 0 and at most {_MOST}.", '"ln 3", "ln 5/2".')
        return odds if odds.numerator.bit_length() <= _BITS else fraction_down(ball(odds), _BITS)


Report = TypeVar("Report")


class Randomizer(ABC, Generic[Report]):
    """One person's answer, from 0 to answers − 1, becomes a report.

    Claim, for the replacement of that person's answer by any other: `loss`. All probabilities are fractions, so that a
    test can hold P(report | answer) ≤ e^ε·P(report | other) over the whole alphabet without rounding. Randomness comes
    as uniform integers below a bound, and nothing else: the browser's module draws the same integers from the same
    bytes, and so makes the same report.
    """

    relation = Relation.REPLACE

    @property
    @abstractmethod
    def answers(self) -> int:
        """The number of possible answers."""

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """The loss of one report."""

    @abstractmethod
    def alphabet(self) -> Iterator[Report]:
        """Every possible report."""

    @abstractmethod
    def probability(self, answer: int, report: Report) -> Fraction:
        """P(report | answer)."""

    @abstractmethod
    def draw(self, answer: int, bits: Bits) -> Report:
        """The report of an answer, from these bits. Callers use `report`."""

    @abstractmethod
    def written(self) -> dict[str, Any]:
        """The randomizer for a device, as JSON with integers beyond 2^53 as text."""

    def report(self, answer: int) -> Report:
        """The report of a person with this answer, from the operating system's entropy. There is no seed."""
        return self.draw(self._checked(answer), ENTROPY)

    def rehearse(self, answer: int, bits: Rehearsal) -> Report:
        """The same on scripted or seeded bits, for tests and simulations: not private."""
        if not isinstance(bits, Rehearsal):
            raise Refused(
                f"a rehearsal on {type(bits).__name__}",
                "A rehearsal is repeatable and must not look like a release.",
                "a Rehearsal source such as Seeded(1); or report(answer), which takes no source.",
            )
        return self.draw(self._checked(answer), bits)

    def _checked(self, answer: int) -> int:
        """The answer; an invalid one is refused without being named."""
        known = whole(answer, "answer")
        if not known < self.answers:
            raise Refused("an answer that is none of those offered", "It has no report.", f"0 to {self.answers - 1}.")
        return known


def below(bound: int, bits: Bits) -> int:
    """A uniform integer in [0, bound): ⌊bit length/8⌋+1 bytes, most significant first; anew if in the remainder."""
    return UniformBelow(bound).draw_integer(bits)


@frozen
class WeightTable(Randomizer[int]):
    """P(report r | answer a) = weights[a][r] / total, for whole weights whose rows have one total.

    Claim, for the replacement of one answer by another: the report costs the worst pair of rows. One integer u below
    the total decides: the report is the first r at which the row's running sum exceeds u.
    """

    weights: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, rows: Sequence[Sequence[Number]]) -> WeightTable:
        """The table of these probabilities, row by answer; each row must add up to 1."""
        read = [[probability(cell, "probability") for cell in row] for row in rows]
        if not (len(read) >= 2 and len({len(row) for row in read}) == 1 and all(sum(row) == 1 for row in read)):
            raise Refused(
                "a table of probabilities",
                "Its rows differ in length, do not add up to 1, or are fewer than two.",
                "one row an answer, each adding up to exactly 1, such as [['3/4', '1/4'], ['1/4', '3/4']].",
            )
        total = lcm(*(cell.denominator for row in read for cell in row))
        return cls(tuple(tuple(int(cell * total) for cell in row) for row in read))

    @property
    def answers(self) -> int:
        return len(self.weights)

    @cached_property
    def total(self) -> int:
        return sum(self.weights[0])

    @cached_property
    def loss(self) -> Loss:
        zero = Fraction(0)
        pairs = [
            FinitePair(tuple(Atom(Fraction(p), zero, Fraction(q), zero) for p, q in zip(one, other, strict=True)))
            for one, other in combinations(dict.fromkeys(self.weights), 2)
        ]
        return pairs[0] if len(pairs) == 1 else worst(pairs)

    def alphabet(self) -> Iterator[int]:
        return iter(range(len(self.weights[0])))

    def probability(self, answer: int, report: int) -> Fraction:
        return Fraction(self.weights[answer][report], self.total)

    def draw(self, answer: int, bits: Bits) -> int:
        place = below(self.total, bits)
        return next(report for report, end in enumerate(accumulate(self.weights[answer])) if place < end)

    def draw_many(self, answers: Integers, bits: Bits) -> Integers:
        """A report for each of many answers: the same law, from other bytes."""
        places = UniformBelow(self.total).draw(answers.size, bits)
        ends = np.cumsum(np.array(self.weights, np.int64), axis=1)
        reports: Integers = np.sum(places[:, None] >= ends[answers], axis=1)
        return reports

    def written(self) -> dict[str, Any]:
        return {"kind": "table", "weights": [[str(weight) for weight in row] for row in self.weights]}
