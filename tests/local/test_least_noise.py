"""The optimum of local reports: held against our oracles, and against a search over channels that knows no subsets."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from tacit.errors import Refused
from tacit.local.frequencies.oracle_choice import KINDS, best
from tacit.local.frequencies.set_reports import SubsetOracle
from tacit.local.least_noise import (
    frequency_variance,
    odds_up,
    yes_no_variance,
    yes_no_words,
)
from tacit.local.polls.designs.multiple_choice import OneOfMany, SetOfMany
from tacit.local.polls.designs.nonrandomized_response import Crosswise
from tacit.local.polls.designs.randomized_response import ForcedDesign, WarnerDesign

Floats = NDArray[np.float64]


def least_over_channels(odds: float, options: int, reports: int, starts: int = 4) -> float:
    """The least mean variance that a descent over channels finds: a row of probabilities for each answer."""
    random = np.random.default_rng(11)
    pairs = [(i, j) for i in range(options) for j in range(options) if i != j]

    def mean_variance(flat: Floats) -> float:
        table = flat.reshape(options, reports)
        least = np.trace(np.linalg.inv((table / table.mean(axis=0)) @ table.T + 1e-9 * np.eye(options)))
        return float((least - 1) / options)

    def within_odds(flat: Floats) -> Floats:
        table = flat.reshape(options, reports)
        return np.concatenate([odds * table[i] - table[j] for i, j in pairs])

    def sums(flat: Floats) -> Floats:
        return np.asarray(flat.reshape(options, reports).sum(axis=1) - 1)

    rules = [{"type": "ineq", "fun": within_odds}, {"type": "eq", "fun": sums}]
    bounds = [(1e-6, 1.0)] * (options * reports)
    found = []
    for _ in range(starts):
        start = random.uniform(1, odds, size=(options, reports))
        start /= start.sum(axis=1, keepdims=True)
        result = minimize(mean_variance, start.ravel(), bounds=bounds, constraints=rules, method="SLSQP")
        if within_odds(result.x).min() > -1e-8 and abs(sums(result.x)).max() < 1e-8:
            found.append(float(result.fun))
    return min(found)


@pytest.mark.parametrize(("options", "odds"), [(2, 2.0), (3, 2.0), (3, 8.0), (4, 2.0)])
def test_no_channel_that_a_search_finds_is_below_it(options: int, odds: float) -> None:
    bound = float(frequency_variance(Fraction(odds), options))
    found = least_over_channels(odds, options, reports=6 if options == 4 else options)
    assert bound <= found * (1 + 1e-6)
    assert found <= 1.02 * bound  # the search comes near: a bound that is 5% too high is caught
    assert not 1.05 * bound <= found


@pytest.mark.parametrize("options", [2, 3, 5, 16, 100, 1000])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
def test_subset_selection_attains_it_and_nothing_of_ours_is_below(options: int, epsilon: str) -> None:
    ours = SubsetOracle.within(epsilon, options)
    assert ours.mean_variance == frequency_variance(ours.odds, options)
    least = frequency_variance(odds_up(epsilon), options)
    for kind in KINDS:
        assert kind.within(epsilon, options).mean_variance >= least
    if options == 2:
        assert not 1.05 * float(least) <= float(ours.mean_variance)  # a bound that is 5% too high is caught


def test_two_options_are_a_yes_or_no_question() -> None:
    for odds in (Fraction(3, 2), Fraction(3), Fraction(40)):
        assert frequency_variance(odds, 2) == yes_no_variance(odds)


def test_warner_and_the_even_forced_response_attain_it() -> None:
    for design in (WarnerDesign(Fraction(3, 4)), ForcedDesign(Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))):
        channel = design.channel
        variance = channel.hit * (1 - channel.hit) / channel.contrast**2
        assert variance == yes_no_variance(Fraction(3))
        assert yes_no_words(channel.hit, channel.stray) == (
            "The noise of these reports is the least that any report of this ε could have, if estimates from it are "
            "unbiased."
        )


def test_an_uneven_forced_response_does_not() -> None:
    channel = ForcedDesign(Fraction(1, 2), Fraction(1, 10), Fraction(4, 10)).channel
    odds = channel.hit / channel.stray
    worst = max(rate * (1 - rate) for rate in (channel.hit, channel.stray)) / channel.contrast**2
    assert worst > yes_no_variance(odds)
    assert yes_no_words(channel.hit, channel.stray).startswith("The noise of these reports is within 2 of the least")


def test_every_oracle_says_how_near_it_is() -> None:
    for kind in KINDS:
        oracle = kind.within("ln 3", 16)
        assert oracle.mean_variance >= frequency_variance(oracle.odds, 16)  # at its own odds
        assert "any report of this ε could have" in oracle.optimality
        assert oracle.optimality.endswith("averaged over the options.")
    assert SubsetOracle.within("ln 3", 16).optimality.startswith("The noise of these reports is the least that")
    assert KINDS[0].within("ln 3", 16).optimality.startswith("The noise of these reports is within 1.35 of the least")
    assert best("ln 3", 16).oracle.optimality in str(best("ln 3", 16))


def test_designs_without_an_epsilon_against_everybody_say_nothing() -> None:
    assert Crosswise(Fraction(1, 4)).optimality == ""
    assert OneOfMany.within("ln 3", 4).optimality.startswith("The noise of these reports is")
    assert SetOfMany.within("ln 3", 16).optimality.startswith("The noise of these reports is the least that")


def test_odds_are_rounded_up() -> None:
    assert float(odds_up(1)) == pytest.approx(exp(1))
    assert odds_up("0.5") ** 2 >= Fraction(exp(1)) * (1 - Fraction(1, 2**50))
    with pytest.raises(Refused):
        odds_up(0)
    with pytest.raises(Refused):
        yes_no_variance(Fraction(1))
