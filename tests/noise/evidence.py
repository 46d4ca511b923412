"""What a sampler does on every bit string, and how surprising a histogram is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.stats import chi2

from tacit.noise.ball import Ball, ball, precision
from tacit.noise.bits import Bits
from tacit.noise.rehearsal import Scripted, ScriptEnded

OCTETS = tuple(bytes([value]) for value in range(256))
FALSE_ALARM = 1e-6  # of each statistical test; the seeds are fixed, so it is a probability over seeds, not over runs


def outcomes(
    draw: Callable[[Bits], Hashable], letters: Iterable[Sequence[bytes]]
) -> tuple[Counter[Hashable], int, int]:
    """How many scripts lead to each output, how many leave it undecided, and how many there are."""
    decided: Counter[Hashable] = Counter()
    undecided = total = 0
    for script in product(*letters):
        total += 1
        try:
            decided[draw(Scripted(b"".join(script)))] += 1
        except ScriptEnded:
            undecided += 1
    return decided, undecided, total


def broken_brackets(
    draw: Callable[[Bits], Hashable],
    letters: Iterable[Sequence[bytes]],
    law: Mapping[Hashable, Fraction | Callable[[], Ball]],
    most_undecided: Fraction,
) -> list[Hashable]:
    """The outputs whose mass is not within [decided, decided + undecided] of all scripts, in certified arithmetic.

    An output the law does not know has mass 0. Too many undecided scripts would make the brackets idle: refused.
    """
    decided, undecided, total = outcomes(draw, letters)
    assert Fraction(undecided, total) <= most_undecided, (undecided, total)
    broken = []
    for output in decided.keys() | law.keys():
        mass = law.get(output, Fraction(0))
        low, high = Fraction(decided[output], total), Fraction(decided[output] + undecided, total)
        with precision(256):
            if isinstance(mass, Fraction):
                sound = low <= mass <= high
            else:
                sound = not (mass() < ball(low) or mass() > ball(high))
        if not sound:
            broken.append(output)
    return broken


def p_value(observed: Sequence[int], masses: Sequence[float]) -> float:
    """Pearson's chi-square: the chance of a histogram at least this far from the law (every expected count ≥ 5)."""
    counts, shares = np.asarray(observed, float), np.asarray(masses, float)
    expected = shares * counts.sum()
    assert expected.min() >= 5
    assert abs(shares.sum() - 1) < 1e-9
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), counts.size - 1))
