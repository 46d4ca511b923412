"""What hashing does to a response over buckets: two options that share a bucket cannot be told apart."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property

from tacit.local.randomizers.kary import KaryResponse
from tacit.loss.pairs.finite_pair import Atom, FinitePair


class Hashed(ABC):
    """A g-ary response with odds r over buckets that two different options share with probability `together`.

    Claim, for the replacement of one option by another: the report with its hash function costs `loss`, which is
    ln(r)-private. Proof: the hash function does not depend on the option; given it, both have the same bucket and the
    same law, or different ones and the laws of the response.
    """

    buckets: int
    odds: Fraction

    @property
    @abstractmethod
    def together(self) -> Fraction:
        """How often two different options share a bucket."""

    @cached_property
    def response(self) -> KaryResponse:
        """How the bucket is reported."""
        return KaryResponse(self.buckets, self.odds)

    @property
    def hit(self) -> Fraction:
        return self.odds / (self.odds + self.buckets - 1)

    @property
    def stray(self) -> Fraction:
        return self.together * self.hit + (1 - self.together) / (self.odds + self.buckets - 1)

    @property
    def loss(self) -> FinitePair:
        apart, other = 1 - self.together, self.together * (self.odds + self.buckets - 1)
        same = other + apart * (self.buckets - 2)
        return _pair([(same, same), (apart * self.odds, apart), (apart, apart * self.odds)])


def _pair(weights: Iterable[tuple[Fraction, Fraction]]) -> FinitePair:
    zero = Fraction(0)
    return FinitePair(tuple(Atom(p, zero, q, zero) for p, q in weights))
