"""Clopper–Pearson ends and their longest reach, against scipy's beta quantiles."""

from __future__ import annotations

from fractions import Fraction

import pytest
from scipy.stats import beta

from tacit.mechanisms.response.proportion import longest_reach, lower_end, upper_end


@pytest.mark.parametrize("trials", [1, 2, 17, 300, 10**5])
@pytest.mark.parametrize("miss", [Fraction(1, 4), Fraction(1, 40), Fraction(1, 10**9)])
def test_the_ends_are_beta_quantiles_rounded_outwards(trials: int, miss: Fraction) -> None:
    for count in {0, 1, trials // 3, trials - 1, trials}:
        above = beta.isf(float(miss), count + 1, trials - count) if count < trials else 1.0
        below = beta.ppf(float(miss), count, trials - count + 1) if count else 0.0
        assert above - 1e-12 <= upper_end(count, trials, miss) <= above + 1e-9
        assert below - 1e-9 <= lower_end(count, trials, miss) <= below + 1e-12


@pytest.mark.parametrize("trials", [*range(1, 30), 101, 1000])
@pytest.mark.parametrize("miss", [Fraction(1, 3), Fraction(1, 40), Fraction(1, 10**6)])
def test_the_longest_reach_is_the_longest_of_all_counts(trials: int, miss: Fraction) -> None:
    reaches = [beta.isf(float(miss), count + 1, trials - count) - count / trials for count in range(trials)]
    assert max(reaches) - 1e-12 <= longest_reach(trials, miss) <= max(reaches) + 1e-9


def test_a_large_poll_is_quick_and_the_strides_lose_nothing_visible() -> None:
    trials, miss = 40_000, Fraction(1, 40)
    reaches = beta.isf(0.025, range(18_001, 20_002), range(trials - 18_000, trials - 20_001, -1)) - [
        count / trials for count in range(18_000, 20_001)
    ]
    assert longest_reach(trials, miss) == pytest.approx(reaches.max(), rel=1e-7)
