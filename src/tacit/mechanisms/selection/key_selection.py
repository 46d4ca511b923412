"""Private key selection: each key is kept with the largest probability that (ε, δ) permits.

Each person holds at most a public number of keys; the input is the number of people with each key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import Number, proper, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Relation
from tacit.mechanisms.inputs import Key, column, count_keys, in_key_order, key_text, read_key
from tacit.mechanisms.mechanism import Answer, Mechanism, percent
from tacit.mechanisms.statistics.counts import check_terms
from tacit.noise.ball import Ball, ball, fraction_down, less, precision
from tacit.noise.bits import Bits
from tacit.noise.uniform import UniformReal

_MOST_STEPS = 100_000


@frozen
class KeySelection(Mechanism[Any, "SelectedKeys"]):
    """Keeps a key that n people hold with probability π(n), the largest there is under (ε, δ).

    π(0) = 0 and π(n+1) = min(e^ε π(n) + δ, 1 − e^−ε(1 − π(n) − δ), 1) (Desfontaines, Voss, Gipson and Mandayam 2020).
    Claim: each key alone is (ε, δ)-private when one person joins or leaves, since for kept and for withheld the two
    bounds are those of the definition; and no rule that is (ε, δ)-private keeps any key more often. One person touches
    at most `most_keys` keys, twice as many under replace. With k touched keys each uses (ε/k, δ′) with
    (1−δ′)^k = 1−δ, and together they are (ε, δ) (Kairouz, Oh and Viswanath 2015). Counts are not released.
    """

    target: Approx
    relation: Relation
    most_keys: int = 1

    def __post_init__(self) -> None:
        check_terms(self.target, self.relation)
        object.__setattr__(self, "most_keys", whole(self.most_keys, "most_keys", 1))
        aim = self.target
        if not (isinstance(aim, Approx) and aim.exact_epsilon > 0 and 0 < aim.exact_delta < 1):
            raise Refused(
                f"private keys at ({aim})",
                "That a key appears at all can give its only holder away, and this must have a probability δ > 0.",
                "an Approx(ε, δ) with ε > 0 and 0 < δ < 1.",
            )
        if not len(self.keeping) <= _MOST_STEPS:
            raise Refused(f"private keys at ({aim})", "Only keys of very many people would appear.", "a larger ε.")

    @property
    def loss(self) -> Approx:
        return self.target

    @property
    def touched(self) -> int:
        """The largest number of keys whose counts one person changes."""
        return self.most_keys * (2 if self.relation is Relation.REPLACE else 1)

    @cached_property
    def epsilon(self) -> Fraction:
        """The share of ε for each key."""
        return self.target.exact_epsilon / self.touched

    @cached_property
    def delta(self) -> Fraction:
        """The share of δ for each key: 1 − (1−δ)^(1/k), rounded down."""
        if self.touched == 1:
            return self.target.exact_delta
        with precision(256):
            return fraction_down(-((-ball(self.target.exact_delta)).log1p() / self.touched).expm1())

    @cached_property
    def keeping(self) -> tuple[Fraction, ...]:
        """π(0), π(1), … up to the first that is certain, each rounded down to 64 bits."""
        with precision(256):
            return tuple(fraction_down(chance) for chance in self._chances(_MOST_STEPS + 2))

    def keep_probability(self, people: int) -> Ball:
        """The exact π(n), at the working precision."""
        if whole(people, "people") >= len(self.keeping):
            return ball(1)
        return self._chances(people + 1)[-1]

    def _chances(self, most: int) -> list[Ball]:
        growth, decay, delta = ball(self.epsilon).exp(), (-ball(self.epsilon)).exp(), ball(self.delta)
        chances = [ball(0)]
        while len(chances) < most and not chances[-1] >= 1:
            last = chances[-1]
            chances.append((growth * last + delta).min(1 - decay * (1 - last - delta)).min(ball(1)))
        return chances

    def surely(self, confidence: Number = "0.95") -> int:
        """The least number of people whose key appears with this confidence."""
        share = proper(confidence, "confidence")
        return next(
            people
            for people in range(len(self.keeping) + 1)
            if less(lambda: ball(share), partial(self.keep_probability, people))
        )

    def error(self, confidence: Number = "0.95") -> int:
        """The largest number of people that a withheld key may have, with this confidence."""
        return self.surely(confidence) - 1

    def privatize(self, value: Any, bits: Bits) -> tuple[Key, ...]:
        counts = count_held(value, self.most_keys)
        keys = in_key_order(counts)
        kept = self.kept(np.array([min(counts[key], _MOST_STEPS) for key in keys], np.int64), bits)
        return tuple(key for key, is_kept in zip(keys, kept, strict=True) if is_kept)

    def kept(self, counts: NDArray[np.int64], bits: Bits) -> NDArray[np.bool_]:
        """Which keys are kept, from the number of people with each; a key of nobody is never kept."""
        people = np.minimum(counts, len(self._words))
        words = bits.words(len(people))
        kept: NDArray[np.bool_] = np.equal(people, len(self._words))  # π = 1
        uncertain = np.flatnonzero(~kept)
        bounds = self._words[people[uncertain]]
        kept[uncertain] = words[uncertain] < bounds
        for place in uncertain[(words[uncertain] >= bounds) & (words[uncertain] - bounds <= 1)]:
            exactly = partial(self.keep_probability, int(people[place]))
            kept[place] = UniformReal(bits, int(words[place])).is_below(exactly)
        return kept

    @cached_property
    def _words(self) -> NDArray[np.uint64]:
        """⌊π(n)·2⁶⁴⌋ for every π(n) < 1, or one less, since π(n) was rounded: a word below it is surely below π(n)."""
        return np.array([int(chance * 2**64) for chance in self.keeping if chance < 1], np.uint64)

    def probability(self, records: Any, output: Collection[Key]) -> Ball:
        """The exact probability of these keys."""
        counts = count_held(records, self.most_keys)
        chance = ball(1 if set(output) <= set(counts) else 0)
        for key, people in counts.items():
            kept = self.keep_probability(people)
            chance *= kept if key in output else 1 - kept
        return chance

    def answer(self, private: Any) -> SelectedKeys:
        return SelectedKeys(private, self)


@frozen(eq=False)
class SelectedKeys(Answer):
    """The keys that were kept, in the order of the keys themselves. Every one of them occurs."""

    value: tuple[Key, ...]
    mechanism: KeySelection

    def interval(self, confidence: Number = "0.95") -> tuple[int, int]:
        """A withheld key is held by at most this many people."""
        return 0, self.mechanism.error(confidence)

    def describe(self, confidence: Number = "0.95") -> str:
        keys = "\n".join(key_text(key) for key in self.value) if self.value else "no key was common enough"
        usual, sure = self.mechanism.surely("0.5"), self.mechanism.surely(confidence)
        return (
            f"{keys}\n(keys held by fewer than about {usual:,} people are withheld, and one held by {sure:,} or more "
            f"appears with probability {percent(confidence)}; cost {self.mechanism.target})"
        )


def count_held(records: Any, most: int) -> Counter[Key]:
    """How many people hold each key that occurs; a record is one key, or for most > 1 also a collection of them.

    A person counts once for each of their keys, and for the first `most` of them in the order of keys; values that are
    not keys are left out. Each record is read by itself, so one person changes at most `most` counts, each by 1.
    """
    if most == 1:
        return count_keys(records)
    counts: Counter[Key] = Counter()
    for record in column(records):
        held = record if isinstance(record, (list, tuple, set, frozenset)) else (record,)
        keys = {key for item in held if (key := read_key(item)) is not None}
        counts.update(in_key_order(keys)[:most])
    return counts
