"""Every upper end of the shuffle held against exact enumeration, ranging over what the others hold."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import logsumexp
from tests.local.shuffle.shuffled_laws import exact_delta, float_delta, kary_laws, neighbours

from tacit.local.randomizers.randomizer import Randomizer, WeightTable
from tacit.local.randomizers.subset_selection import KaryResponse, SubsetSelection
from tacit.local.shuffle.shuffled import ShuffledReports
from tacit.loss.families.approx import Pure

ROUND_OFF = 1e-10

LISTED: list[tuple[Randomizer[Any], int]] = [
    (WeightTable.of([["3/4", "1/4"], ["1/4", "3/4"]]), 6),
    (WeightTable.of([["5/6", "1/6"], ["1/4", "3/4"]]), 6),
    (WeightTable.of([["1/2", "3/10", "1/5"], ["1/5", "2/5", "2/5"], ["1/3", "1/3", "1/3"]]), 4),
    (WeightTable.of([["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"]]), 5),
    (KaryResponse(3, Fraction(5)), 4),
    (KaryResponse(4, Fraction(20)), 3),
    (SubsetSelection(4, 2, Fraction(3)), 3),
    (SubsetSelection(3, 2, Fraction(7)), 3),
]


@pytest.mark.parametrize(("randomizer", "most"), LISTED, ids=str)
def test_all_data_sets_of_a_few_people(randomizer: Randomizer[Any], most: int) -> None:
    """All neighbours, both directions, in fractions: every upper end holds, and no lower end is above the worst."""
    for people in range(1, most + 1):
        pairs = list(neighbours(randomizer, people))
        known = ShuffledReports(randomizer, people)
        anybody = ShuffledReports(known.local, people)
        for share in (0, Fraction(1, 3), Fraction(4, 5)):
            epsilon = share * known.local.exact_epsilon
            factor = Fraction(math.exp(epsilon))
            worst = float(max(exact_delta(one, other, factor) for one, other in pairs))
            low, up = known.delta_between(epsilon)
            assert low * (1 - ROUND_OFF) <= worst <= up * (1 + ROUND_OFF)
            assert worst <= anybody.delta(epsilon) * (1 + ROUND_OFF)
            if isinstance(randomizer, WeightTable) and len(randomizer.weights) == len(randomizer.weights[0]) == 2:
                assert low == pytest.approx(worst, rel=1e-6), "every data set of so few people is tried"
                assert up == pytest.approx(worst, rel=1e-6)


CASES = [
    (people, epsilon, options, holders)
    for people in (2, 7, 20, 60, 200)
    for epsilon in (0.2, 1.0, 2.0, 4.0)
    for options, holders in (
        (2, (people - 1, 0)),
        (2, ((people - 1) // 2, people // 2)),
        (5, (0, people - 1)),
        (16, (people - 1, 0)),
        (16, ((people - 1) // 3, people - 1 - (people - 1) // 3)),
    )
] + [
    (people, epsilon, options, holders)
    for people in (3, 12, 24)
    for epsilon in (0.5, 2.0, 4.0)
    for options, holders in (
        (3, (0, 0, people - 1)),
        (10, (0, 0, people - 1)),
        (10, (people // 3, people // 3, people - 1 - 2 * (people // 3))),
    )
]
SHARES = (0.15, 0.5, 0.85)


@cache
def laws(options: int, epsilon: float, holders: tuple[int, ...]) -> tuple[NDArray[Any], NDArray[Any]]:
    return kary_laws(options, epsilon, holders)


@cache
def shuffled(options: int, epsilon: float, people: int) -> ShuffledReports:
    return ShuffledReports(KaryResponse.within(epsilon, options), people)


def worst_of(options: int, epsilon: float, holders: tuple[int, ...], at: float) -> float:
    one, other = laws(options, epsilon, holders)
    return max(float_delta(one, other, at), float_delta(other, one, at))


def test_there_are_many_cases() -> None:
    assert len(CASES) * len(SHARES) >= 200
    assert max(people for people, *_ in CASES) == 200


@pytest.mark.parametrize("epsilon", sorted({case[1] for case in CASES}))
def test_upper_ends_hold_for_kary_response(epsilon: float) -> None:
    """Both the randomizer's own bound and the clones', at three ε each, for up to 200 people."""
    for people, own, options, holders in CASES:
        if own != epsilon:
            continue
        for share in SHARES:
            at = share * own
            exact = worst_of(options, own, holders, at)
            if exact < 1e-13:
                continue  # floats that cancel tell nothing here
            known = delta_of(options, own, people, at)
            assert known >= exact * (1 - 1e-7), (people, own, options, holders, share)
            assert clones_of(own, people, at) >= exact * (1 - 1e-7)


@cache
def delta_of(options: int, epsilon: float, people: int, at: float) -> float:
    return shuffled(options, epsilon, people).delta(at)


@cache
def clones_of(epsilon: float, people: int, at: float) -> float:
    return ShuffledReports(Pure(epsilon), people).delta(at)


@pytest.mark.parametrize(("options", "people", "epsilon"), [(2, 60, 1.0), (3, 24, 2.0), (10, 24, 1.0)])
def test_lower_ends_are_attained(options: int, people: int, epsilon: float) -> None:
    """The attack's figure is below the exact value of its data set, and near it."""
    found = shuffled(options, epsilon, people)
    held = (
        [(people - 1, 0), (0, people - 1)]
        if options == 2
        else [(people - 1, 0, 0), (0, people - 1, 0), (0, 0, people - 1)]
    )
    for share in SHARES:
        at = share * epsilon
        low, up = found.delta_between(at)
        exact = max(worst_of(options, epsilon, holders, at) for holders in held)
        assert low <= exact * (1 + 1e-7)
        assert low >= 0.999 * exact
        assert up >= exact * (1 - 1e-7)


def test_the_published_counterexample() -> None:
    """n = 40, ε₀ = 4, K = 16: everyone else holding one of the two values, ε at δ = 1e-6 is at least 3.98, not 3.24."""
    exact = max(worst_of(16, 4.0, (39, 0), 3.98), worst_of(16, 4.0, (0, 39), 3.98))
    assert exact > 1e-6
    found = shuffled(16, 4.0, 40).epsilon_between(1e-6)
    assert 3.98 <= found.lower <= found.upper <= 4
    assert ShuffledReports(Pure(4), 40).epsilon(1e-6) >= found.lower


def test_renyi_and_tradeoff_hold_for_enumerated_laws() -> None:
    found = shuffled(5, 2.0, 20)
    for holders in ((19, 0), (0, 19), (9, 10)):
        one, other = laws(5, 2.0, holders)
        keep = (one > 0) & (other > 0)
        p, q = one[keep], other[keep]
        for order in (1.5, 2.0, 10.0, 64.0):
            ways = (np.log(p), np.log(q)), (np.log(q), np.log(p))
            exact = max(float(logsumexp(order * a + (1 - order) * b)) / (order - 1) for a, b in ways)
            assert exact <= found.rdp(order) <= found.local.rdp(order)
        ranked = np.argsort(-(p / q))
        alarms, hits = np.cumsum(q[ranked]), np.cumsum(p[ranked])
        for level in (0.001, 0.05, 0.3):
            miss = 1 - float(np.interp(level, np.append(0.0, alarms), np.append(0.0, hits)))
            assert found.tradeoff(level) <= miss + 1e-12
            assert found.tradeoff(level) >= found.local.tradeoff(level)
