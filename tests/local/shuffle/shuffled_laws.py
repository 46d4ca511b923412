"""The exact law of shuffled reports for one data set: with which every bound of the shuffle is compared."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.local.randomizers.randomizer import Randomizer

Histogram = tuple[tuple[Any, int], ...]


def histogram_law(randomizer: Randomizer[Any], answers: Iterable[int]) -> dict[Histogram, Fraction]:
    """Every histogram of the reports of these answers, with its probability: fractions, nothing left out."""
    reports = list(randomizer.alphabet())
    law: dict[Histogram, Fraction] = {(): Fraction(1)}
    for answer in answers:
        added: dict[Histogram, Fraction] = {}
        for histogram, mass in law.items():
            for report in reports:
                counts = Counter(dict(histogram))
                counts[report] += 1
                key = tuple(sorted(counts.items()))
                added[key] = added.get(key, Fraction(0)) + mass * randomizer.probability(answer, report)
        law = added
    return law


def neighbours(randomizer: Randomizer[Any], people: int) -> Iterator[tuple[dict[Any, Fraction], dict[Any, Fraction]]]:
    """The laws of all pairs of data sets that differ in one answer, in both directions."""
    for others in combinations_with_replacement(range(randomizer.answers), people - 1):
        laws = [histogram_law(randomizer, (own, *others)) for own in range(randomizer.answers)]
        yield from ((one, other) for one in laws for other in laws if one is not other)


def exact_delta(one: dict[Any, Fraction], other: dict[Any, Fraction], factor: Fraction) -> Fraction:
    """The hockey-stick divergence at e^ε = factor."""
    return sum((max(Fraction(0), mass - factor * other[key]) for key, mass in one.items()), Fraction(0))


def kary_laws(options: int, epsilon: float, holders: tuple[int, ...]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The two laws of (h₀, h₁, …) for K-ary response where the person holds 0, or 1, and `holders[a]` others hold a.

    Reports of answers that nobody holds here are equally likely in both worlds, whatever the rest: merging them loses
    nothing. The array has room for everybody, so that nothing is rolled round. One person after the other, all terms
    positive: the relative error stays below 1e-12 for n ≤ 200.
    """
    shown = len(holders)
    odds = math.exp(epsilon)
    total = odds + options - 1
    law = np.zeros((sum(holders) + 2,) * shown)
    law[(0,) * shown] = 1.0

    def add(before: NDArray[Any], answer: int) -> NDArray[Any]:
        after = (options - shown) / total * before
        for report in range(shown):
            weight = (odds if report == answer else 1.0) / total
            after = after + weight * np.roll(before, 1, axis=report)
        return after

    for answer, count in enumerate(holders):
        for _ in range(count):
            law = add(law, answer)
    return add(law, 0), add(law, 1)


def float_delta(one: NDArray[Any], other: NDArray[Any], epsilon: float) -> float:
    """The hockey-stick divergence of two laws in floats, relative error about 1e-11 (more where nearly all cancels)."""
    return float(np.maximum(one - math.exp(epsilon) * other, 0.0).sum())
