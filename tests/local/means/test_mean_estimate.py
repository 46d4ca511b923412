"""Estimated means: intervals that hold for every number of reports, against exact tails and simulated surveys."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from tacit.errors import Refused
from tacit.local.means.mean_estimate import farthest, people_needed, population_error, respondents_error
from tacit.local.means.optimal_mean import best_mean
from tacit.noise.bits import Seeded

MISS = Fraction(1, 40)


@pytest.mark.parametrize("people", [1, 5, 50, 1000, 10**5])
@pytest.mark.parametrize("rate", [0.001, 0.1, 0.5, 0.9])
def test_bennett_bounds_every_binomial_tail(people: int, rate: float) -> None:
    exact = Fraction(rate)
    bound = farthest(exact * (1 - exact), Fraction(1), people, MISS)
    assert binom.sf(np.ceil(people * (rate + float(bound))) - 1, people, rate) <= float(MISS) * (1 + 1e-9)
    assert binom.cdf(np.floor(people * (rate - float(bound))), people, rate) <= float(MISS) * (1 + 1e-9)


def test_bennett_is_close_to_the_normal_tail_for_many() -> None:
    bound = farthest(Fraction(1, 4), Fraction(1), 10**8, MISS)
    assert float(bound) == pytest.approx(np.sqrt(2 * np.log(40) / 4e8), rel=1e-3)


def test_needed_people_are_the_least() -> None:
    response = best_mean(1)
    people = people_needed(response, "0.05")
    assert population_error(response, people) <= Fraction(1, 20) < population_error(response, people - 1)
    assert respondents_error(response, people) < population_error(response, people)
    with pytest.raises(Refused):
        people_needed(response, 0)


@pytest.mark.parametrize("epsilon", [1, 4])
def test_intervals_cover(epsilon: int) -> None:
    """200 surveys each: the exact intervals miss in at most 5%; false-alarm rate 1e-6."""
    response, bits, draws = best_mean(epsilon), Seeded(21), np.random.default_rng(3)
    most = int(binom.isf(1e-6, 200, 0.05))
    for people in (50, 500):
        missed = own = normal = 0
        for _ in range(200):
            values = np.where(draws.random(people) < 0.8, -1.0, 0.5)
            found = response.estimate(response.rehearse(values, bits))
            low, high = found.interval()
            missed += not low <= -0.7 <= high
            low, high = found.respondents_interval()
            own += not low <= values.mean() <= high
            low, high = found.normal_interval()
            normal += not low <= -0.7 <= high
        assert max(missed, own) <= most
        assert normal <= int(binom.isf(1e-6, 200, 0.07)), "the normal interval is near its level at these sizes"


def test_an_estimate_reads_as_a_person_wants() -> None:
    response = best_mean(2)
    found = response.estimate(response.rehearse(np.full(10_000, 0.25), Seeded(2)))
    assert "95% interval" in str(found)
    assert found.people == 10_000
    assert found.value == pytest.approx(0.25, abs=5 * found.standard_error)
    assert response.estimate([0]).standard_error == float("inf")
    assert response.estimate([0]).interval() == (-1.0, response.estimate([0]).interval()[1])
