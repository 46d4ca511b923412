"""The bounds that counts give: exactly valid, sharp where nothing is left to doubt, and silent without evidence."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from tacit.audit.black_box.bounds import Counts, delta_at_least, epsilon_at_least, pure_epsilon_at_least
from tacit.audit.black_box.power import smallest_seen


@pytest.mark.parametrize("odds", [1, Fraction(3, 2), 4])
@pytest.mark.parametrize("alarm_rate", [0.05, 0.001])
def test_the_pure_bound_is_wrong_as_rarely_as_it_says(odds: Fraction, alarm_rate: float) -> None:
    """Over every count of right guesses out of 60, each with its exact probability at the worst admitted rate."""
    guesses, rate = 60, Fraction(odds) / (1 + odds)
    wrong = Fraction(0)
    for right in range(guesses + 1):
        counts = Counts(first_as_first=right, second_as_first=guesses - right, firsts=100, seconds=100)
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
            counts = Counts(hits, strays, 0, 0, trials, trials)
            said = epsilon_at_least(counts, True, float(delta), 0.05)
            over = delta_at_least(counts, True, math.log(odds), 0.05)
            if said > math.log(odds) or over > delta:
                wrong += (
                    math.comb(trials, hits) * p**hits * (1 - p) ** (trials - hits)
                    * math.comb(trials, strays) * q**strays * (1 - q) ** (trials - strays)
                )  # fmt: skip
    assert wrong <= 0.05


def test_both_sides_of_a_score_count_together() -> None:
    one = pure_epsilon_at_least(Counts(100, 20, 0, 0, 500, 500), 0.01)
    both = pure_epsilon_at_least(Counts(100, 20, 20, 100, 500, 500), 0.01)
    assert 0 < one < both < math.log(5)


def test_no_guess_says_nothing() -> None:
    assert pure_epsilon_at_least(Counts(firsts=10, seconds=10), 0.05) == 0
    assert epsilon_at_least(Counts(0, 0, 0, 0, 10, 10), True, 0.0, 0.05) == 0
    assert delta_at_least(Counts(), True, 1.0, 0.05) == 0


def test_more_answers_see_smaller_violations() -> None:
    seen = [smallest_seen(0.1, 0.1, samples, 1e-4) for samples in (10_000, 100_000, 10_000_000)]
    assert math.inf > seen[0] > seen[1] > seen[2] > 0.1
    assert smallest_seen(0.1, 0.001, 1_000, 1e-4) == math.inf
