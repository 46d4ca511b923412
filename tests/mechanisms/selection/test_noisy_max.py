"""Report noisy max: its exact law over all neighbours; ε²/8 does not hold for it; never worse than the exponential."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.divergence import violations
from tests.goodness import FALSE_ALARM, p_value
from tests.mechanisms.selection.selections import largest_loss, law_pairs, worst_lag_probability

from tacit.errors import Refused
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.pairs.bounded_range import BoundedRange
from tacit.mechanisms.selection.above_threshold import AboveThreshold
from tacit.mechanisms.selection.candidates import Exponential, NoisyMax, PermuteAndFlip
from tacit.noise.bits import Seeded

ADD = Relation.ADD_REMOVE


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("epsilon", ["1/2", 1, 3])
def test_no_pair_of_neighbours_costs_more_than_the_loss(epsilon: object, monotonic: bool) -> None:
    mechanism = NoisyMax(3, 1, ADD, epsilon, None, monotonic)
    assert violations(mechanism.loss, law_pairs(mechanism)) == []
    assert violations(mechanism.loss.zcdp(), law_pairs(mechanism)) == []
    assert float(mechanism.loss.zcdp().rho) == pytest.approx(mechanism.epsilon * math.tanh(mechanism.epsilon / 2))
    assert largest_loss(mechanism) == pytest.approx(float(mechanism.epsilon), rel=1e-12)  # attained


@pytest.mark.parametrize("epsilon", ["1/2", 1, 3])
def test_the_exponential_mechanisms_bounded_range_and_its_rho_do_not_hold(epsilon: object) -> None:
    mechanism = NoisyMax(3, 1, ADD, epsilon)
    assert violations(BoundedRange(mechanism.epsilon), law_pairs(mechanism))
    assert violations(Zcdp(mechanism.epsilon**2 / 8), law_pairs(mechanism))


def test_a_halved_noise_is_caught() -> None:
    honest = NoisyMax(3, 1, ADD, 1)
    assert violations(honest.loss, law_pairs(replace(honest, epsilon=Fraction(2))))


def test_monotonic_scores_under_replace_are_refused() -> None:
    """Who is replaced moves the counts (5, 5) to (6, 4): at the monotonic rate that costs 2 where 1 is stated."""
    added = NoisyMax(2, 1, ADD, 1, None, True)
    before, after = (float(added.probabilities(counts)[1]) for counts in ([5, 5], [6, 4]))
    assert math.log(before / after) == pytest.approx(2.0)
    for kind in (NoisyMax, Exponential, PermuteAndFlip):
        with pytest.raises(Refused, match="monotonic scores under replace"):
            kind(2, 1, Relation.REPLACE, 1, None, True)
    with pytest.raises(Refused, match="monotonic values under replace"):
        AboveThreshold(0, 1, Relation.REPLACE, "1/2", "1/2", None, True)


def test_geometric_noise_with_ties_is_another_mechanism() -> None:
    """Integer noise ties with positive probability; ties that go to the first favour it, though scores are equal."""
    reach, rate = 400, 0.5
    mass = np.exp(-rate * np.arange(reach)) * -math.expm1(-rate)

    def law(scores: tuple[int, int]) -> dict[int, float]:
        first = math.fsum(mass[x] * -math.expm1(-rate * max(0, scores[0] + x - scores[1] + 1)) for x in range(reach))
        return {0: first, 1: 1 - first}

    pairs = [(law((a, b)), law((a + i, b + j))) for a in range(3) for b in range(3) for i in (-1, 1) for j in (-1, 1)]
    assert violations(Pure(1), pairs) == []
    assert law((1, 1))[0] > 0.6
    assert float(NoisyMax(2, 1, ADD, 1).probabilities([1, 1])[0]) == 0.5


def test_draws_follow_the_law() -> None:
    """Chi-square, 6,000 draws; false-alarm rate FALSE_ALARM."""
    mechanism, scores, bits = NoisyMax(4, 2, ADD, "1.5"), np.array([3, 0, 5, 4]), Seeded(2)
    drawn = np.bincount([mechanism.rehearse(scores, bits).value for _ in range(6000)], minlength=4)
    assert p_value(drawn, [float(mass) for mass in mechanism.probabilities(scores)]) > FALSE_ALARM


@pytest.mark.parametrize("confidence", ["0.6", "0.9", "0.95"])
def test_the_error_is_the_least_that_holds_for_all_scores(confidence: str) -> None:
    mechanism = NoisyMax(3, 1, ADD, 3)
    miss = 1 - float(confidence)
    bound = int(mechanism.error(confidence))
    heights = bound + 3
    assert worst_lag_probability(mechanism, bound + 1, heights) <= miss
    assert bound == 0 or worst_lag_probability(mechanism, bound, heights) > miss
    assert worst_lag_probability(mechanism, 2, heights) == pytest.approx(float(mechanism.failure(2)), rel=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 10**6), st.fractions(Fraction(1, 100), 10), st.sampled_from(["0.5", "0.9", "0.999"]))
def test_it_is_never_worse_than_the_exponential_mechanism(size: int, epsilon: Fraction, confidence: str) -> None:
    exponential = Exponential(size, 3, ADD, epsilon)
    assert NoisyMax(size, 3, ADD, epsilon).error(confidence) <= exponential.error(confidence)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=2, max_size=5), st.fractions(Fraction(1, 10), 5), st.integers(1, 6))
def test_it_lags_no_more_than_the_exponential_mechanism_on_any_scores(
    scores: list[int], epsilon: Fraction, lag: int
) -> None:
    """McKenna and Sheldon 2020: the score of its choice is stochastically the larger."""

    def behind(mechanism: Exponential | NoisyMax) -> float:
        masses = mechanism.probabilities(np.array(scores))
        return sum(float(mass) for mass, score in zip(masses, scores, strict=True) if max(scores) - score >= lag)

    size = len(scores)
    assert behind(NoisyMax(size, 1, ADD, epsilon)) <= behind(Exponential(size, 1, ADD, epsilon)) + 1e-12


def test_extremes() -> None:
    assert NoisyMax(2, 1, ADD, 10**6).error() == 0
    assert NoisyMax(1, 1, ADD, 1).error("0.999999") == 0
    assert NoisyMax.for_loss(Zcdp("1/8"), 3, 1, ADD).epsilon < Exponential.for_loss(Zcdp("1/8"), 3, 1, ADD).epsilon
    assert NoisyMax(("a", "b"), 1, ADD, 40).release([0, 100]).value == "b"
