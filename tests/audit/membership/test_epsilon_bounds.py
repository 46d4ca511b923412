"""Lower bounds of ε: never above the truth more often than stated, and close to it where the attack is the best.

Simulations count how often a bound exceeds the true ε at confidence 1 − β: more than β·N + 4√(β·N) times in N runs
happens to a valid bound with probability below 10⁻³ here (binomial tail), and the seeds are fixed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.audit.membership.game import Game, best_success

from tacit.audit.membership.one_run import (
    Guesses,
    approximate_curve,
    chance_of_guesses,
    gaussian_curve,
    guess_extremes,
    one_run,
    one_run_epsilon,
    one_run_mu,
    refutes,
)
from tacit.audit.membership.rounds import Played, bound_from_rates, rate_at_least
from tacit.errors import Refused
from tacit.mechanisms.response.proportion import lower_end


def respond(epsilon: float, seed: int) -> Game:
    """Randomized response: the coin itself, right with probability e^ε/(1+e^ε)."""
    generator = np.random.default_rng(seed)
    sure = 1 / (1 + math.exp(-epsilon))
    return Game(
        lambda member, count: (generator.random(count) < sure) == member, lambda outputs: outputs.astype(np.float64)
    )


def test_rates_that_are_known_give_the_ratio() -> None:
    """10⁶ rounds at TPR ¾ and FPR ¼: ln 3 from below, to the third digit."""
    found = bound_from_rates(750_000, 10**6, 250_000, 10**6)
    assert math.log(3) - 0.02 < found.epsilon < math.log(3)
    assert found.contradicts(1)
    assert not found.contradicts(1.1)
    assert "ε ≥ 1.09 with 0.95 confidence (750,000 of 1,000,000 members found" in found.describe()


@pytest.mark.parametrize(("count", "trials"), [(0, 5), (1, 5), (5, 5), (17, 400), (399, 400), (70_000, 100_000)])
@pytest.mark.parametrize("miss", [Fraction(1, 40), Fraction(1, 10**6)])
def test_the_ends_are_the_certified_ones(count: int, trials: int, miss: Fraction) -> None:
    certified = lower_end(count, trials, miss)
    assert certified - 1e-8 <= rate_at_least(count, trials, float(miss)) <= certified


def test_both_ratios_count() -> None:
    """The mirrored test proves as much; δ takes its part off."""
    assert bound_from_rates(300, 1000, 5, 1000).epsilon == pytest.approx(bound_from_rates(995, 1000, 700, 1000).epsilon)
    assert bound_from_rates(300, 1000, 5, 1000, delta=0.1).epsilon < bound_from_rates(300, 1000, 5, 1000).epsilon
    assert bound_from_rates(500, 1000, 500, 1000).epsilon == 0
    assert bound_from_rates(0, 0, 0, 0).epsilon == 0


def test_a_bound_from_a_game_is_valid_and_tight() -> None:
    epsilon, beta, runs = 1.0, 0.2, 200
    bounds = [respond(epsilon, seed).play(2000, seed).bound(confidence=1 - beta).epsilon for seed in range(runs)]
    assert sum(bound > epsilon for bound in bounds) <= beta * runs + 4 * math.sqrt(beta * runs)
    assert np.median(bounds) > 0.8 * epsilon


def test_a_bound_from_a_game_with_delta_is_valid() -> None:
    """The optimal (ε, δ) response: with probability δ the bare truth, scored above everything."""
    epsilon, delta, beta, runs = 0.5, 0.1, 0.2, 200

    def bound(seed: int) -> float:
        generator = np.random.default_rng(seed)
        sure = 1 / (1 + math.exp(-epsilon))

        def release(member: bool, count: int) -> np.ndarray:
            noisy = np.where((generator.random(count) < sure) == member, 1.0, -1.0)
            return np.where(generator.random(count) < delta, 2.0 if member else -2.0, noisy)

        return Game(release, lambda outputs: outputs).play(4000, seed).bound(delta, 1 - beta).epsilon

    bounds = [bound(seed) for seed in range(runs)]
    assert sum(each > epsilon for each in bounds) <= beta * runs + 4 * math.sqrt(beta * runs)
    assert np.median(bounds) > 0.6 * epsilon


def test_success_is_at_most_what_the_game_permits() -> None:
    played = respond(1.0, 3).play(20_000, 3)
    assert played.accuracy(0.5) <= best_success(1) + 4 * 0.5 / math.sqrt(20_000)
    assert best_success(1) == pytest.approx(math.e / (1 + math.e))
    assert best_success(1, Fraction(1, 10)) == pytest.approx((math.e + 0.1) / (1 + math.e))


def canaries(count: int, epsilon: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Each canary's coin by randomized response, all in one run; a tie-breaking noise orders equal reports."""
    generator = np.random.default_rng(seed)
    coins = generator.integers(0, 2, count).astype(bool)
    told = (generator.random(count) < 1 / (1 + math.exp(-epsilon))) == coins
    return coins, told + 0.1 * generator.random(count)


@pytest.mark.parametrize("bound", [one_run, one_run_epsilon])
def test_one_run_is_valid_and_tight(bound: Callable[[Guesses, float, float], Any]) -> None:
    epsilon, beta, runs = 1.0, 0.2, 100
    guesses = [guess_extremes(*canaries(600, epsilon, seed), 150, 150) for seed in range(runs)]
    found = [bound(each, 0, 1 - beta).epsilon for each in guesses]
    assert sum(each > epsilon for each in found) <= beta * runs + 4 * math.sqrt(beta * runs)
    assert np.median(found) > 0.75 * epsilon


def test_one_run_by_hand() -> None:
    """All of 10 right at δ = 0: (e^ε/(1+e^ε))^10 = 0.05 at ε = ln(q/(1−q)), q = 0.05^(1/10)."""
    sure = 0.05**0.1
    found = one_run(Guesses(10, 10, 10))
    assert found.epsilon == pytest.approx(math.log(sure / (1 - sure)))
    assert "10 of 10 guesses right, about 10 canaries in one run" in found.describe()
    assert one_run(Guesses(10, 10, 5)).epsilon == 0
    assert chance_of_guesses(Guesses(10, 10, 10), 1.0, 0.01) == pytest.approx(
        (q := 1 / (1 + math.exp(-1))) ** 10 + 2 * 10 * 0.01 * max(_below(10, i, q) / i for i in range(1, 11))
    )


def _below(made: int, reach: int, sure: float) -> float:
    """P(10 − reach ≤ W < 10)."""
    masses = [math.comb(made, j) * sure**j * (1 - sure) ** (made - j) for j in range(made - reach, made)]
    return sum(masses)


@pytest.mark.parametrize("delta", [0, 1e-4])
@pytest.mark.parametrize("bound", [one_run, one_run_epsilon])
def test_more_right_guesses_prove_more(bound: Callable[[Guesses, float, float], Any], delta: float) -> None:
    """What the proof of validity needs."""
    found = [bound(Guesses(60, 40, right), delta, 0.9).epsilon for right in range(41)]
    assert all(a <= b + 1e-9 for a, b in pairwise(found))


def test_the_curve_is_sharper_than_the_tail_where_delta_counts() -> None:
    guesses = Guesses(1000, 200, 170)
    assert one_run_epsilon(guesses, 1e-3).epsilon > one_run(guesses, 1e-3).epsilon
    assert one_run_epsilon(guesses, 0).epsilon == pytest.approx(one_run(guesses, 0).epsilon, abs=0.25)


def gaussian_guesses(mu: float, count: int, each: int, seed: int) -> Guesses:
    generator = np.random.default_rng(seed)
    coins = generator.integers(0, 2, count).astype(bool)
    return guess_extremes(coins, mu * coins + generator.standard_normal(count), each, each)


def test_a_gaussian_curve_in_one_run() -> None:
    """A vector of canaries plus Gaussian noise has exactly μ-Gaussian privacy for each; the bound knows it nearly."""
    mu, beta, runs = 1.0, 0.2, 60
    found = [one_run_mu(gaussian_guesses(mu, 2000, 100, seed), 1 - beta) for seed in range(runs)]
    assert sum(each.mu > mu for each in found) <= beta * runs + 4 * math.sqrt(beta * runs)
    assert np.median([each.mu for each in found]) > 0.6 * mu
    plain = [one_run(gaussian_guesses(mu, 2000, 100, seed), 1e-5, 1 - beta).epsilon for seed in range(10)]
    assert min(each.at(1e-5).epsilon for each in found[:10]) > max(plain)
    assert found[0].describe().startswith("μ ≥ 0.")


@pytest.mark.parametrize(("canary_count", "made", "right"), [(1, 2, 1), (3, 2, 3), (3, -1, 0)])
def test_impossible_guesses_are_refused(canary_count: int, made: int, right: int) -> None:
    with pytest.raises(Refused):
        Guesses(canary_count, made, right)


def test_poor_rounds_are_refused() -> None:
    with pytest.raises(Refused, match="both worlds"):
        Played.of([True, True], [0, 1])
    with pytest.raises(Refused, match="no number"):
        Played.of([True, False], [0, math.nan])
    with pytest.raises(Refused, match="at most one"):
        bound_from_rates(3, 2, 0, 2)


def test_a_broken_bound_would_be_caught() -> None:
    """Without confidence ends, the plain ratio exceeds ε about half the time: the simulation above would fail."""
    plain = []
    for seed in range(200):
        played = respond(1.0, seed).play(2000, seed)
        plain.append(math.log(np.mean(played.inside >= 1) / np.mean(played.outside >= 1)))
    assert sum(each > 1 for each in plain) > 0.2 * 200 + 4 * math.sqrt(0.2 * 200)


@pytest.mark.parametrize("bound", [one_run, one_run_epsilon])
def test_one_run_with_delta_is_valid(bound: Callable[[Guesses, float, float], Any]) -> None:
    """Each canary by the optimal (ε, δ) response, those that are bare guessed first."""
    epsilon, delta, beta, runs = 0.5, 0.02, 0.2, 100
    sure = 1 / (1 + math.exp(-epsilon))
    found = []
    for seed in range(runs):
        generator = np.random.default_rng(seed)
        coins = generator.integers(0, 2, 500).astype(bool)
        side = np.where((generator.random(500) < sure) == coins, 1, -1)
        bare = generator.random(500) < delta
        scores = np.where(bare, np.where(coins, 2, -2), side) + 0.1 * generator.random(500)
        found.append(bound(guess_extremes(coins, scores, 20, 20), delta, 1 - beta).epsilon)
    assert sum(each > epsilon for each in found) <= beta * runs + 4 * math.sqrt(beta * runs)


@pytest.mark.parametrize(
    ("curve", "sure"),
    [
        (approximate_curve(1.0, 0.0), 1 / (1 + math.exp(-1))),
        (approximate_curve(0.3, 0.1), 0.1 + 0.9 / (1 + math.exp(-0.3))),
        (gaussian_curve(1.0), 0.5 * (1 + math.erf(0.5 / math.sqrt(2)))),
        (gaussian_curve(0.0), 0.5),
    ],
)
def test_what_a_sound_mechanism_does_is_never_refuted(curve: Callable[[float], float], sure: float) -> None:
    """Canaries answered apart by the curve's own mechanism: the exact chance of each count is not said to be less."""
    for made in range(1, 13):
        for right in range(1, made + 1):
            exact = sum(math.comb(made, j) * sure**j * (1 - sure) ** (made - j) for j in range(right, made + 1))
            assert not refutes(Guesses(made, made, right), curve, exact * (1 - 1e-9))
