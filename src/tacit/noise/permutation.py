"""Uniformly random order, and uniformly random samples without replacement."""

from __future__ import annotations

import numpy as np

from tacit.errors import Refused
from tacit.exact import whole
from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import UniformBelow


def permutation(n: int, bits: Bits, *, width: int = 64) -> Integers:
    """The numbers 0 … n−1 in uniformly random order.

    Each number gets its own random word and the words are sorted; if any two are equal, all are drawn anew.
    `width` is the length of a word; the law is the same for every width that offers n different words.

    Proof: the words are independent and of one law, and drawing all of them anew treats all places alike; so which
    number got which of the distinct words is uniform, and with it the order. Breaking a tie by place would favour
    the orders that agree with it.
    """
    count = whole(n, "n")
    if not count <= 1 << width:
        raise Refused(f"a permutation of {count} by words of {width} bits", "Some words must be equal.", "wider words.")
    while True:
        words = bits.words(count, width)
        order = np.argsort(words)
        ranked = words[order]
        if not np.any(ranked[1:] == ranked[:-1]):
            return order.astype(np.int64, copy=False)


def sample_without_replacement(n: int, m: int, bits: Bits) -> Integers:
    """m different numbers below n ≤ 2^63, in the order drawn: each of the n!/(n−m)! sequences is equally likely.

    A small part of n is drawn with replacement, and repetitions are dropped: by symmetry each number that is new
    is uniform among those not yet seen. A large part is the beginning of a permutation.
    """
    everyone, wanted = whole(n, "n"), whole(m, "m")
    if not wanted <= everyone <= 1 << 63:
        raise Refused(f"{wanted} of {everyone} without replacement", "There are not that many.", "0 ≤ m ≤ n ≤ 2^63.")
    if 4 * wanted >= everyone:
        return permutation(everyone, bits)[:wanted]
    law = UniformBelow(everyone)
    drawn = law.draw(wanted, bits)
    while True:
        first = np.sort(np.unique(drawn, return_index=True)[1])
        if first.size >= wanted:
            return drawn[first[:wanted]]
        drawn = np.concatenate([drawn[first], law.draw(wanted - first.size, bits)])
