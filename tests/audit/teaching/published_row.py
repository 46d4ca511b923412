"""A δ without privacy: with δ ≥ 1/2n a (0, δ)-private mechanism may publish a person's whole row."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from tacit.errors import Refused
from tacit.exact import Number, probability, whole
from tacit.frozen import frozen
from tacit.loss.pairs.finite_pair import Atom, FinitePair
from tacit.noise.bits import Bits
from tacit.noise.uniform import Bernoulli, UniformBelow

_ZERO = Fraction(0)


@frozen
class PublishedRow:
    """Throws a fair coin, and on heads publishes the row of one of n people at random, as it is.

    Claim, for the replacement of one row: it is (0, 1/2n)-private, and no better. Proof: the row that differs is
    published with probability ½·1/n; all else has the same law. So ε = 0, the best there is, beside a δ that looks
    small for large n — and every second run reveals somebody entirely. That is why δ must lie far below 1/n.
    """

    people: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "people", whole(self.people, "people", least=1))

    @cached_property
    def loss(self) -> FinitePair:
        told = Fraction(1, 2 * self.people)
        rest = 1 - told
        return FinitePair(
            (Atom(told, _ZERO, _ZERO, _ZERO), Atom(_ZERO, _ZERO, told, _ZERO), Atom(rest, _ZERO, rest, _ZERO))
        )

    def release(self, rows: Sequence[Any], bits: Bits) -> tuple[int, Any] | None:
        """Who and their row, or nothing."""
        if len(rows) != self.people:
            raise Refused("rows of another number of people", "The chance depends on it.", f"{self.people:,} rows.")
        if not Bernoulli(Fraction(1, 2)).draw(1, bits)[0]:
            return None
        who = int(UniformBelow(self.people).draw(1, bits)[0])
        return who, rows[who]

    def describe(self) -> str:
        return (
            f"(0, {1 / (2 * self.people):g})-private, and in every second run one of {self.people:,} people's rows "
            "is published as it is."
        )

    def __str__(self) -> str:
        return self.describe()


def least_error(people: int, delta: Number) -> Fraction:
    """How often, at least, a (0, δ)-private estimate of a mean is off by ½ or more, on one of two data sets.

    The converse: below 1/2n a (0, δ) permits no useful answer. From all zeros to all ones there are n
    replacements, so that no event's probability differs by more than nδ between them. If the estimate lies below ½
    with probability p on all ones and q on all zeros, q ≤ p + nδ, and the larger of p and 1 − q is at least (1−nδ)/2.
    """
    return max(Fraction(0), (1 - whole(people, "people", least=1) * probability(delta, "delta")) / 2)
