"""The bounds that counts give: exactly valid, tight for certain guesses, and trivial without evidence."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from tacit.audit.black_box.epsilon_bounds import (
    QUICK,
    GuessCounts,
    delta_at_least,
    epsilon_at_least,
    pure_epsilon_at_least,
)
from tacit.audit.stages.black_box import least_seen


@pytest.mark.parametrize("odds", [1, Fraction(3, 2), 4])
@pytest.mark.parametrize("alarm_rate", [0.05, 0.001])
def test_the_pure_bound_is_wrong_as_rarely_as_it_says(odds: Fraction, alarm_rate: float) -> None:
    """Over every count of right guesses out of 60, each with its exact probability at the worst admitted rate."""
    guesses, rate = 60, Fraction(odds) / (1 + odds)
    wrong = Fraction(0)
    for right in range(guesses + 1):
        counts = GuessCounts(first_as_first=right, second_as_first=guesses - right, firsts=100, seconds=100)
        if pure_epsilon_at_least(counts, alarm_rate) > math.log(odds):
            wrong += math.comb(guesses, right) * rate**right * (1 - rate) ** (guesses - right)
    assert wrong <= alarm_rate


def test_the_bound_with_a_delta_is_wrong_as_rarely_as_it_says() -> None:
    """p = e^ε q + δ exactly, 40 answers a world, every pair of counts."""
    trials, q, delta, odds = 40, Fraction(1, 10), Fraction(1, 5), Fraction(3)
    p = odds * q + delta
    wrong = Fraction(0)
    for hits in range(trials + 1):
        for strays in range(trials + 1):
            counts = GuessCounts(hits, strays, 0, 0, trials, trials)
            said = epsilon_at_least(counts, True, float(delta), 0.05)
            over = delta_at_least(counts, True, math.log(odds), 0.05)
            if said > math.log(odds) or over > delta:
                wrong += (
                    math.comb(trials, hits) * p**hits * (1 - p) ** (trials - hits)
                    * math.comb(trials, strays) * q**strays * (1 - q) ** (trials - strays)
                )  # fmt: skip
    assert wrong <= 0.05


def test_both_sides_of_a_score_count_together() -> None:
    one = pure_epsilon_at_least(GuessCounts(100, 20, 0, 0, 500, 500), 0.01)
    both = pure_epsilon_at_least(GuessCounts(100, 20, 20, 100, 500, 500), 0.01)
    assert 0 < one < both < math.log(5)


def test_no_guess_says_nothing() -> None:
    assert pure_epsilon_at_least(GuessCounts(firsts=10, seconds=10), 0.05) == 0
    assert epsilon_at_least(GuessCounts(0, 0, 0, 0, 10, 10), True, 0.0, 0.05) == 0
    assert delta_at_least(GuessCounts(), True, 1.0, 0.05) == 0


def test_more_guesses_see_smaller_violations() -> None:
    seen = [
        least_seen(GuessCounts(guesses, 0, 0, 0, guesses, guesses), True, 0.0, 0.1, 1e-4)
        for guesses in (200, 2_000, 200_000)
    ]
    assert math.inf > seen[0] > seen[1] > seen[2] > 0.1
    assert least_seen(GuessCounts(20, 0, 0, 0, 10_000, 10_000), True, 0.0, 1.0, 1e-4) == math.inf, (
        "20 guesses prove nothing"
    )


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_what_it_says_it_would_have_seen_it_sees(delta: float) -> None:
    """A violation of just that size contradicts the claim in 95 of 100 draws; fewer than 85 come once in 10,000."""
    seen = least_seen(GuessCounts(300, 100, 0, 0, 5_000, 5_000), True, delta, 0.5, 1e-3)
    stray = 101 / 5_000
    generator, found = np.random.default_rng(3), 0
    for _ in range(100):
        if delta:
            hits, strays = (
                int(generator.binomial(5_000, chance)) for chance in (stray * math.exp(seen) + delta, stray)
            )
            found += epsilon_at_least(GuessCounts(hits, strays, 0, 0, 5_000, 5_000), True, delta, 1e-3, QUICK) > 0.5
        else:
            right = int(generator.binomial(400, 1 / (1 + math.exp(-seen))))
            found += pure_epsilon_at_least(GuessCounts(right, 400 - right), 1e-3, QUICK) > 0.5
    assert found >= 85
