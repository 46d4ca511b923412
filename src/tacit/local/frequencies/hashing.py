"""Optimal local hashing: the option's bucket under a random affine map, by K-ary response over the buckets.

A report does not distinguish two options that share a bucket.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import floor

import numpy as np
from flint import fmpz

from tacit.errors import Refused
from tacit.exact import Number, whole
from tacit.frozen import frozen
from tacit.local.frequencies.oracle import Oracle, checked_odds, checked_options
from tacit.local.frequencies.report_rows import Rows
from tacit.local.randomizers.randomizer import odds_within
from tacit.local.randomizers.subset_selection import KaryResponse
from tacit.loss.pairs.finite_pair import Atom, FinitePair
from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import UniformBelow


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
        """The probability that two different options share a bucket."""

    @cached_property
    def response(self) -> KaryResponse:
        """The response that reports the bucket."""
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


_CELLS = 1 << 21


@frozen
class HashingOracle(Hashed, Oracle):
    """A random map y = slope·v + shift modulo the least prime P ≥ K; the bucket ⌊y·g/P⌋, reported by g-ary response.

    Claim, for the replacement of one option by another: ln(r)-private. Proof: the map (slope from 1 to P−1, shift from
    0 to P−1, both uniform) does not depend on the option, and given the map the bucket's report has ratios 1 or r. What
    is exact: two different options go to a uniform pair of different places, for slope and shift solve for any such
    pair in exactly one way; so they share a bucket with probability Σ nᵢ(nᵢ−1)/P(P−1), nᵢ the buckets' sizes, for any
    two options. Hence `stray` and the variances are exact, not only on average over ideal hash functions. A row is
    slope, shift and reported bucket.
    """

    options: int
    buckets: int
    odds: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_options(self.options))
        object.__setattr__(self, "buckets", whole(self.buckets, "buckets", 2))
        object.__setattr__(self, "odds", checked_odds(self.odds))
        if not self.buckets <= self.prime:
            raise Refused(f"{self.buckets} buckets", "Some would stay empty.", f"at most {self.prime}.")

    @classmethod
    def within(cls, epsilon: Number, options: int) -> HashingOracle:
        """The best number of buckets next to r + 1, with the largest odds that ε permits."""
        odds, most = odds_within(epsilon), _prime_from(checked_options(options))
        near = {min(max(floor(odds) + step, 2), most) for step in range(-1, 4)}
        return min((cls(options, buckets, odds) for buckets in sorted(near)), key=lambda oracle: oracle.mean_variance)

    @cached_property
    def prime(self) -> int:
        return _prime_from(self.options)

    @cached_property
    def _edges(self) -> Integers:
        """Bucket z holds the places from edge z to edge z+1."""
        return -(-np.arange(self.buckets + 1) * self.prime // self.buckets)

    @cached_property
    def together(self) -> Fraction:
        sizes = np.diff(self._edges).tolist()
        return Fraction(sum(size * (size - 1) for size in sizes), self.prime * (self.prime - 1))

    @property
    def message_bits(self) -> int:
        return 2 * (self.prime - 1).bit_length() + (self.buckets - 1).bit_length()

    @property
    def ceilings(self) -> tuple[int, ...]:
        return self.prime, self.prime, self.buckets

    def decoding_steps(self, people: int) -> int:
        return 2 * people + min(people, self.prime) * (self.prime + self.options)

    def alphabet(self) -> Iterator[tuple[int, ...]]:
        return product(range(1, self.prime), range(self.prime), range(self.buckets))

    def probability(self, answer: int, report: tuple[int, ...]) -> Fraction:
        slope, shift, said = report
        bucket = (slope * answer + shift) % self.prime * self.buckets // self.prime
        return self.response.probability(bucket, said) / (self.prime * (self.prime - 1))

    def randomize(self, answers: Integers, bits: Bits) -> Rows:
        slopes = UniformBelow(self.prime - 1).draw(answers.size, bits) + 1
        shifts = UniformBelow(self.prime).draw(answers.size, bits)
        buckets = (slopes * answers + shifts) % self.prime * self.buckets // self.prime
        return np.stack([slopes, shifts, self.response.draw_many(buckets, bits)], axis=1)

    def support(self, reports: Rows) -> Integers:
        """A report supports the options whose slope·v lies in an interval that wraps round modulo P.

        For one slope at a time the intervals are added up by their ends, and read off at slope·v.
        """
        rows = reports[np.argsort(reports[:, 0], kind="stable")]
        slopes, starts = np.unique(rows[:, 0], return_index=True)
        ends, counts = np.append(starts[1:], len(rows)), np.zeros(self.options, np.int64)
        step = max(1, _CELLS // (self.prime + self.options))
        for first in range(0, slopes.size, step):
            some = slopes[first : first + step]
            part = rows[starts[first] : ends[first + some.size - 1]]
            held = self._held(part, np.searchsorted(some, part[:, 0]), some.size)
            places = some[:, None] * np.arange(self.options) % self.prime
            counts += np.take_along_axis(held, places, axis=1).sum(axis=0)
        return counts

    def _held(self, rows: Rows, line: Integers, lines: int) -> Integers:
        """For each slope and place, how many of its reports' intervals hold the place."""
        low = (self._edges[rows[:, 2]] - rows[:, 1]) % self.prime
        high = low + np.diff(self._edges)[rows[:, 2]]
        wraps = high > self.prime
        size, long = lines * (self.prime + 1), self.prime + 1
        change = np.bincount(line * long + low, minlength=size) + np.bincount(line[wraps] * long, minlength=size)
        change -= np.bincount(line * long + np.where(wraps, high - self.prime, high), minlength=size)
        held: Integers = np.cumsum(change.reshape(lines, long), axis=1)
        return held


def _prime_from(least: int) -> int:
    """The least prime ≥ least."""
    found = least
    while not fmpz(found).is_prime():
        found += 1
    return found
