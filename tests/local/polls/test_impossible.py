"""At most 1 in 2,000 polls that follow their design is called impossible: enumerated for every design."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import factorial, prod
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from tacit.local.polls.designs.list_experiment import ListExperiment
from tacit.local.polls.designs.nonrandomized_response import AtLeastOne
from tacit.local.polls.designs.two_samples import TwoSamples, UnrelatedEstimated
from tacit.local.polls.estimation.prevalence import Prevalence, misfit
from tacit.local.polls.estimation.yes_no_channel import YesNoChannel

LIMIT = 1 / 2000
PEOPLE = [*range(1, 40), 60, 100, 150, 250, 400, 1000]
CHANNELS = {
    "Warner 3/4": YesNoChannel(Fraction(3, 4), Fraction(1, 4)),
    "Warner 1/4": YesNoChannel(Fraction(1, 4), Fraction(3, 4)),
    "Warner 0.51": YesNoChannel(Fraction(51, 100), Fraction(49, 100)),
    "the die": YesNoChannel(Fraction(5, 6), Fraction(1, 6)),
    "Kuk": YesNoChannel(Fraction(4, 5), Fraction(1, 20)),
    "one of 20": YesNoChannel(Fraction(3, 22), Fraction(1, 22)),
    "triangular": YesNoChannel(Fraction(1), Fraction(1, 4)),
}


def is_called_impossible(estimate: Any) -> bool:
    """At the confidence of the least interval, so that no interval hides it."""
    beyond = 0.0 if estimate.value < 0 else 1.0
    return misfit(estimate, (beyond, beyond)).startswith("impossible")


@pytest.mark.parametrize("name", list(CHANNELS))
def test_one_rate(name: str) -> None:
    channel = CHANNELS[name]
    rates = [channel.rate(share) for share in (0.0, 0.01, 0.3, 0.5, 0.99, 1.0)]
    worst = 0.0
    for people in PEOPLE:
        counts = np.arange(people + 1)
        called = [
            is_called_impossible(Prevalence(channel, x / people, people, people, count=x)) for x in range(people + 1)
        ]
        worst = max(worst, *(float(binom.pmf(counts[called], people, rate).sum()) for rate in rates))
    assert worst <= LIMIT
    assert worst > LIMIT / 20, "and it is used: the longest polls come near it"


@pytest.mark.parametrize("design", [AtLeastOne(), UnrelatedEstimated("2/3"), UnrelatedEstimated("1/5")], ids=str)
def test_two_rates(design: TwoSamples) -> None:
    """At every count of both samples, with innocuous prevalences over the whole range."""
    for people, others in ((12, 12), (25, 10), (10, 30), (30, 30)):
        called = np.zeros((people + 1, others + 1), bool)
        for yes, other in product(range(people + 1), range(others + 1)):
            found = design.estimate([1] * yes + [0] * (people - yes), [1] * other + [0] * (others - other))
            called[yes, other] = is_called_impossible(found)
        for share, u in product((0.0, 0.02, 0.5, 1.0), np.linspace(0.01, 0.99, 25)):
            rate = float(design.blend.rate(np.array(share), np.array(u)))
            law = np.outer(binom.pmf(range(people + 1), people, rate), binom.pmf(range(others + 1), others, u))
            assert float(law[called].sum()) <= LIMIT


def test_two_rates_of_many_people_are_told_apart() -> None:
    """Where tails are too small for floats, and where a difference is within chance."""
    far = UnrelatedEstimated("1/2").estimate([0] * 50_000, [1] * 40_000 + [0] * 10_000)
    assert far.surprise() == 0.0
    near = UnrelatedEstimated("1/2").estimate([1] * 19_900 + [0] * 30_100, [1] * 40_000 + [0] * 10_000)
    assert near.surprise() > 0.05


@pytest.mark.parametrize("people", [8, 9])
def test_two_lists(people: int) -> None:
    """One item and the sensitive one: all tallies of both groups, under all laws of a grid."""
    tallies = list(_tallies(people, 3))
    called = []
    for short, long in product([each for each in tallies if not each[2]], tallies):
        found = ListExperiment(1).estimate(_listed(short), _listed(long))
        if is_called_impossible(found):
            called.append((short, long))
    assert called
    worst = 0.0
    for own, both, only in ((u, p * u, p * (1 - u)) for u in np.linspace(0, 1, 21) for p in (0.0, 0.1, 0.5, 1.0)):
        short_law, long_law = (1 - own, own, 0.0), (1 - own - only, own - both + only, both)
        worst = max(worst, sum(_chance(short, short_law) * _chance(long, long_law) for short, long in called))
    assert 0 < worst <= LIMIT


def _tallies(people: int, kinds: int) -> Iterator[tuple[int, ...]]:
    if kinds == 1:
        yield (people,)
        return
    for first in range(people + 1):
        for rest in _tallies(people - first, kinds - 1):
            yield (first, *rest)


def _listed(tally: tuple[int, ...]) -> list[int]:
    return [number for number, people in enumerate(tally) for _ in range(people)]


def _chance(tally: tuple[int, ...], law: tuple[float, ...]) -> float:
    ways = factorial(sum(tally)) // prod(factorial(count) for count in tally)
    return ways * float(prod(max(0.0, share) ** count for share, count in zip(law, tally, strict=True)))
