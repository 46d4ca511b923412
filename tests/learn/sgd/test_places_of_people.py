"""Where people are and who is sampled: exact laws on few people, and batches whose sizes say nothing of anyone."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from tacit.learn.sgd.places import NOBODY, CountedPlaces, SampledPlaces
from tacit.noise.bits import Scripted, Seeded
from tacit.noise.gaussian_law import RoundedGaussian


def arrangements(people: int, places: int) -> Counter[tuple[int, ...]]:
    """How often each arrangement comes, over all orders of the words that it is drawn from."""
    found: Counter[tuple[int, ...]] = Counter()
    for order in permutations(range(max(people, places))):
        bits = Scripted(np.array(order, np.uint64).tobytes())
        found[tuple(SampledPlaces.drawn(people, places, bits).who.tolist())] += 1
    return found


@pytest.mark.parametrize(("people", "places"), [(1, 3), (3, 4), (3, 5), (4, 4)])
def test_others_are_where_they_would_be_without_somebody(people: int, places: int) -> None:
    """Exactly: all arrangements are as likely, and leaving one person's place empty gives those without that person."""
    with_one, without = arrangements(people, places), arrangements(people - 1, places)
    assert len(set(with_one.values())) == 1
    left: Counter[tuple[int, ...]] = Counter()
    for who, times in with_one.items():
        left[tuple(NOBODY if each == people - 1 else each for each in who)] += times
    assert left == without


def test_people_in_the_order_of_their_names_are_caught() -> None:
    """A broken twin: the first places are taken, and whoever comes after somebody moves when they leave."""
    with_one, without = (np.array([0, 1, 2]), np.array([1, 2, NOBODY]))  # person 0 leaves
    assert not np.array_equal(np.where(with_one == 0, NOBODY, with_one), without)


def test_ties_are_drawn_again() -> None:
    words = np.array([5, 5, 7, 1, 2, 3], np.uint64)
    assert SampledPlaces.drawn(2, 3, Scripted(words.tobytes())).who.tolist() == [0, 1, NOBODY]


def test_too_few_places_hold_some_of_the_people() -> None:
    who = SampledPlaces.drawn(9, 4, Seeded(1)).who
    assert len(set(who.tolist())) == 4
    assert 0 <= who.min() <= who.max() < 9


def steps_of_each(people: int, rate: Fraction, steps: int) -> np.ndarray:
    """In how many steps each person is sampled."""
    arrangement, bits, seen = SampledPlaces.drawn(people, people + 50, Seeded(2)), Seeded(3), np.zeros(people, int)
    for _ in range(steps):
        for who in arrangement.batches(rate, 64, bits):
            assert 0 < len(who) <= 64
            seen[who[who != NOBODY]] += 1
    return seen


def is_poisson(seen: np.ndarray, rate: float, steps: int) -> bool:
    """Whether means and variances over people are those of binomials; false alarm below 10⁻⁸ at 6 deviations."""
    mean, variance, many = steps * rate, steps * rate * (1 - rate), len(seen)
    near = abs(seen.mean() - mean) < 6 * (variance / many) ** 0.5
    return near and abs(np.mean((seen - mean) ** 2) / variance - 1) < 6 * (2.1 / many) ** 0.5


def test_everybody_is_sampled_by_coins() -> None:
    assert is_poisson(steps_of_each(3_000, Fraction(1, 8), 64), 1 / 8, 64)


def test_shuffled_batches_are_caught() -> None:
    """A broken twin: everybody once in 8 steps, which a price for Poisson samples does not cover."""
    order = np.random.default_rng(1)
    seen = np.zeros(3_000, int)
    for _ in range(8):
        for part in np.array_split(order.permutation(3_000), 8):
            seen[part] += 1
    assert not is_poisson(seen, 1 / 8, 64)


def test_sizes_of_batches_come_from_coins_alone() -> None:
    """With the same coins, a data set of nobody has batches of the same sizes; a rate of 1 takes every place."""
    sizes = [
        [len(who) for who in SampledPlaces(np.full(300, value)).batches(Fraction(1, 3), 32, Seeded(4))]
        for value in (NOBODY, 7)
    ]
    assert sizes[0] == sizes[1]
    assert sum(len(who) for who in SampledPlaces(np.arange(300)).batches(Fraction(1), 32, Seeded(4))) == 300


@pytest.mark.parametrize("overflow", ["1e-16", "1e-6", "0.01"])
@pytest.mark.parametrize("variance", ["0.5", "40", "100000"])
def test_places_are_enough_for_one_more(variance: str, overflow: str) -> None:
    counted = CountedPlaces(Fraction(variance), Fraction(overflow))
    law, many = RoundedGaussian(counted.variance), 1_000
    enough = next(noise for noise in range(-10_000, 1) if counted.places(many + noise) >= many + 1)
    assert law.tail(-enough + 1) < float(counted.overflow)  # by symmetry, of noise below `enough`
    assert counted.places(-5) > counted.margin
    assert abs(counted.released(many, Seeded(5)) - many) <= counted.margin
