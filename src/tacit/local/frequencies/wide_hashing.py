"""Local hashing of a domain too large to list: a report can be tested for any value, but not for all values."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import floor

import numpy as np

from tacit.exact import whole
from tacit.frozen import frozen
from tacit.local.frequencies.hashing import Hashed
from tacit.local.frequencies.oracle import checked_odds
from tacit.local.frequencies.report_rows import Rows
from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import UniformBelow

_PRIME = (1 << 31) - 1
_LIMB = 30
_CELLS = 1 << 18


@frozen
class WideHashing(Hashed):
    """Values of `length` bits: y = Σ slopeᵢ·limbᵢ + shift modulo a prime P, bucket ⌊y·g/P⌋ by g-ary response.

    Claim, for the replacement of one value by another: ln(r)-private. Proof: slopes and shift, uniform below P, do not
    depend on the value, and given them the report has ratios 1 or r. Two different values go to a uniform pair of
    places (one slope's limbs differ by something other than 0), so they share a bucket with probability Σ(nᵢ/P)²,
    for any two values: `stray` is exact. A row is slopes, shift and reported bucket.
    """

    length: int
    buckets: int
    odds: Fraction
    prime: int = _PRIME
    limb: int = _LIMB

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", whole(self.length, "length", 1))
        object.__setattr__(self, "buckets", whole(self.buckets, "buckets", 2))
        object.__setattr__(self, "odds", checked_odds(self.odds))

    @classmethod
    def for_odds(cls, odds: Fraction, length: int) -> WideHashing:
        """With the better whole number of buckets next to odds + 1."""
        near = (cls(length, max(2, floor(odds) + step), odds) for step in (1, 2))
        return min(near, key=lambda hashing: hashing.stray * (1 - hashing.stray) / (hashing.hit - hashing.stray) ** 2)

    @property
    def answers(self) -> int:
        return 1 << self.length

    @property
    def limbs(self) -> int:
        return -(-self.length // self.limb)

    @property
    def message_bits(self) -> int:
        return (self.limbs + 1) * self.prime.bit_length() + (self.buckets - 1).bit_length()

    @cached_property
    def together(self) -> Fraction:
        """The probability that two different values share a bucket; (P mod g) buckets have one place more."""
        small, large = divmod(self.prime, self.buckets)
        squares = large * (small + 1) ** 2 + (self.buckets - large) * small**2
        return Fraction(squares, self.prime**2)

    @property
    def ceilings(self) -> tuple[int, ...]:
        """The exclusive upper bound of each number of a row."""
        return (self.prime,) * (self.limbs + 1) + (self.buckets,)

    def alphabet(self) -> Iterator[tuple[int, ...]]:
        return product(*[range(self.prime)] * (self.limbs + 1), range(self.buckets))

    def probability(self, answer: int, report: tuple[int, ...]) -> Fraction:
        bucket = int(self._buckets(np.array([answer]), np.array([report]))[0])
        keys: int = self.prime ** (self.limbs + 1)
        return self.response.probability(bucket, report[-1]) / keys

    def randomize(self, values: Integers, bits: Bits) -> Rows:
        """A row for each value."""
        keys = UniformBelow(self.prime).draw(values.size * (self.limbs + 1), bits).reshape(values.size, -1)
        rows = np.concatenate([keys, np.zeros((values.size, 1), np.int64)], axis=1)
        rows[:, -1] = self.response.draw_many(self._buckets(values, rows), bits)
        return rows

    def support(self, reports: Rows, values: Integers) -> Integers:
        """The number of reports that support each of these values, in reports × values steps."""
        counts = np.zeros(values.size, np.int64)
        step = max(1, _CELLS // values.size)
        for start in range(0, len(reports), step):
            part = reports[start : start + step, None]
            counts += (self._buckets(values, part) == part[..., -1]).sum(axis=0)
        return counts

    def _buckets(self, values: Integers, rows: Rows) -> Integers:
        places = rows[..., self.limbs]
        for limb in range(self.limbs):
            digit = values >> (limb * self.limb) & (1 << self.limb) - 1
            places = places + rows[..., limb] * digit % self.prime
        found: Integers = places % self.prime * self.buckets // self.prime
        return found
