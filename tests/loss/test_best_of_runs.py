"""The best of a random number of runs: its price holds on enumerated and integrated laws, and cheaper ones do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import exp, expm1, inf, log, pi, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr
from tests.divergence import hockey_stick, renyi

from tacit.loss.composition.best_of_runs import BestOfRuns
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.noise.capped_geometric import CappedGeometric
from tacit.query.plans.price import gaussian_strength

Laws = tuple[Sequence[float], Sequence[float]]
LEVELS = (0.0, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 4.5)
RUNS = (CappedGeometric("1/2", 4), CappedGeometric("1/6", 12), CappedGeometric("1/20", 20), CappedGeometric("1/9", 400))
PAIRS: tuple[Laws, ...] = (
    ((0.7, 0.2, 0.1), (0.5, 0.3, 0.2)),
    ((0.9, 0.06, 0.04), (0.85, 0.145, 0.005)),
    ((0.25, 0.25, 0.25, 0.25), (0.4, 0.1, 0.4, 0.1)),
    ((0.6, 0.3, 0.09, 0.01, 0.0), (0.59, 0.3, 0.09, 0.01, 0.01)),
    ((0.8, 0.2), (0.2, 0.8)),
)


class Known:
    """A loss that knows two laws: its δ is theirs, in both directions."""

    def __init__(self, laws: Laws) -> None:
        first, second = (dict(enumerate(law)) for law in laws)
        self._both = (first, second), (second, first)

    def delta(self, epsilon: Any) -> float:
        return max(hockey_stick(one, other, float(epsilon)) for one, other in self._both) + 1e-15


def best(runs: CappedGeometric, run: Sequence[float]) -> dict[Any, float]:
    """The law of the best of K runs, by the masses of K: a larger place is better."""
    shares = {k: float(runs.share(k)) for k in range(1, runs.most + 1)}
    ends = np.clip(np.concatenate([[0.0], np.cumsum(run)]), 0, 1)
    reached = [sum(share * end**k for k, share in shares.items()) for end in ends]
    return {place: reached[place + 1] - reached[place] for place in range(len(run))}


def with_number(runs: CappedGeometric, run: Sequence[float]) -> dict[Any, float]:
    """The same where the number of runs is released too: a broken twin."""
    ends = np.clip(np.concatenate([[0.0], np.cumsum(run)]), 0, 1)
    return {
        (place, k): float(runs.share(k)) * (ends[place + 1] ** k - ends[place] ** k)
        for place in range(len(run))
        for k in range(1, runs.most + 1)
    }


def exceeded(claim: Any, law: Any, runs: CappedGeometric) -> int:
    """How many pairs, in all orders and both ways round, are beyond what is claimed of them, at all levels."""
    found = 0
    for laws in PAIRS:
        base = Known(laws)
        claimed = {level: claim(base, level) for level in LEVELS}
        for order in permutations(range(len(laws[0]))):  # what is better is not known beforehand
            one, other = (law(runs, [run[at] for at in order]) for run in laws)
            for level, most in claimed.items():
                found += max(hockey_stick(one, other, level), hockey_stick(other, one, level)) > most + 1e-12
    return found


@pytest.mark.parametrize("runs", RUNS[:3])
def test_enumerated_laws_keep_the_price(runs: CappedGeometric) -> None:
    priced = BestOfRuns(runs)
    assert exceeded(priced.delta, best, runs) == 0


def test_broken_twins_are_caught() -> None:
    runs = RUNS[1]
    priced = BestOfRuns(runs)
    assert exceeded(lambda base, level: base.delta(level), best, runs)  # the price of one run
    assert exceeded(lambda base, level: float(runs.mean) * base.delta(level), best, runs)  # the choice itself is free

    def without_mean(base: Any, level: float) -> float:
        rest = level - 2 * float(priced.tilt(base))
        return base.delta(rest) if rest >= 0 else 1.0

    assert exceeded(without_mean, best, runs)
    assert exceeded(priced.delta, with_number, runs)  # the number of runs leaves as well


def test_a_run_of_pure_privacy_costs_three_times() -> None:
    for runs in RUNS:
        priced = BestOfRuns(runs)
        assert priced.tilt(Pure(1)) <= 1
        assert priced.delta(Pure(1), 3) == 0
    runs, rare = CappedGeometric("1/60", 600), 0.002
    one, other = (1 - rare, rare), (1 - rare * exp(-1), rare * exp(-1))  # of many runs, more than ε tells them apart
    ratio = max(best(runs, one)[1] / best(runs, other)[1], best(runs, other)[0] / best(runs, one)[0])
    assert 0.5 < log(ratio) <= 3


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("mu", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("sign", [1, -1])
def test_gaussian_runs_are_integrated(runs: CappedGeometric, mu: float, sign: int) -> None:
    """Runs N(0, 1) and N(μ, 1), the larger or the smaller the better: sums over fine cells."""
    wide = 0.004
    places = np.arange(-9, 10, wide)
    laws: list[Mapping[Any, float]] = []
    runs_of = [float(k * runs.share(k)) for k in range(runs.most, 0, -1)]
    for centre in (0.0, mu):
        density = np.exp(-((places - centre) ** 2) / 2) / sqrt(2 * pi) * wide
        better = np.polyval(runs_of, ndtr(sign * (places - centre)))  # the derivative of the generating function
        laws.append(dict(enumerate((density * better).tolist())))
    priced, base = BestOfRuns(runs), Gdp(Fraction(mu) ** 2)
    tilt, mean = float(priced.tilt(base)), float(runs.mean)
    for level in (0.01, 0.1, 0.5, 1.0, 2.0, 4.0):
        spent = max(hockey_stick(*laws, level), hockey_stick(*laws[::-1], level))
        assert spent <= priced.delta(base, level) + 1e-9
    several = False
    for order in (1.1, 2.0, 8.0, 32.0):  # Rényi's divergences, by the step (2) of the proof
        spent = max(renyi(*laws, order), renyi(*laws[::-1], order))
        assert spent <= order * mu**2 / 2 + 2 * tilt + log(mean) / (order - 1) + 1e-9
        several |= spent > order * mu**2 / 2 * 1.01
    assert several  # more than one run


def published(mu: float, gamma: float, mean: float, delta: float) -> float:
    """ε at δ by theorem 2 of Papernot and Steinke (2021) with η = 1, at the best orders; without the cap."""
    rho = mu**2 / 2
    own = max(1.0, sqrt(log(1 / gamma) / rho))
    fixed = 2 * ((1 - 1 / own) * rho * own + log(1 / gamma) / own)
    found = inf
    for order in (1 + np.exp(np.linspace(-2, 7, 500))).tolist():
        divergence = rho * order + fixed + log(mean) / (order - 1)
        found = min(found, divergence + log((order - 1) / order) - (log(delta) + log(order)) / (order - 1))
    return found


@pytest.mark.parametrize("candidates", [2, 4, 8, 32])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "6"])
def test_the_strength_is_certified_and_above_the_published(candidates: int, epsilon: str) -> None:
    level, delta = Fraction(epsilon), Fraction(1, 10**9)
    gamma = Fraction(1, 2 * (candidates - 1))
    runs = CappedGeometric(gamma, 4 * (candidates - 1))
    priced = BestOfRuns(runs)
    strength = priced.strength(level, delta)
    assert priced.delta(Gdp(strength), level) <= delta < priced.delta(Gdp(strength * Fraction(1001, 1000)), level)
    whole = gaussian_strength(level, delta)
    assert whole / candidates < strength < whole  # less noise than in all of them, more than in one
    assert published(sqrt(strength), float(gamma), float(1 / gamma), float(delta)) > level


def test_a_single_pair_is_no_rate_for_the_account() -> None:
    """In ρ, from (ε, δ) at one point, up to 32 runs have more noise than all candidates: so these are paid for."""
    delta = Fraction(1, 10**9)
    for candidates in (2, 8, 32):
        priced = BestOfRuns(CappedGeometric(Fraction(1, 2 * (candidates - 1)), 4 * (candidates - 1)))
        for level in (Fraction(1, 10), Fraction(1), Fraction(4)):
            whole = gaussian_strength(level, delta)
            low, high = Fraction(0), Fraction(16)
            for _ in range(30):
                middle = (low + high) / 2
                low, high = (middle, high) if Approx(middle, delta).zcdp().rho <= whole / 2 else (low, middle)
            assert priced.strength(low, delta) < whole / candidates


def proven_rho(runs: CappedGeometric, strength: float) -> float:
    """The largest D_α/α that is proven of the best of Gaussian runs: by the tilt, or with K released too."""
    rho, tilt = strength / 2, float(BestOfRuns(runs).tilt(Gdp(Fraction(strength))))
    shares = {k: float(runs.share(k)) for k in range(1, runs.most + 1)}
    found = 0.0
    for order in (1 + np.geomspace(1e-3, 1e4, 300)).tolist():
        later = max(order, 1 + sqrt(log(float(runs.mean)) / rho))  # divergences grow with the order
        chosen = rho * later + 2 * tilt + log(float(runs.mean)) / (later - 1)
        exponents = [log(share) + order * (order - 1) * rho * k for k, share in shares.items()]
        released = (max(exponents) + log(sum(exp(each - max(exponents)) for each in exponents))) / (order - 1)
        found = max(found, min(chosen, released) / order)
    return found


@pytest.mark.parametrize("candidates", [2, 4, 8, 16, 32])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_no_rate_is_known_that_is_below_all_runs(candidates: int, epsilon: str) -> None:
    """In ρ, at the strength at which all candidates cost a price, the choice is proven to cost more than it."""
    runs = CappedGeometric(Fraction(1, 2 * (candidates - 1)), 4 * (candidates - 1))
    whole = float(gaussian_strength(Fraction(epsilon), Fraction(1, 10**9)))
    assert proven_rho(runs, whole / candidates) > whole / 2


def test_the_tilt_is_nearly_the_least() -> None:
    runs = RUNS[1]
    for mu in (0.01, 0.5, 3.0):
        base = Gdp(Fraction(mu) ** 2)
        tilt = float(BestOfRuns(runs).tilt(base))
        odds = float(runs.stop / (1 - runs.stop))
        assert base.delta(Fraction(tilt)) <= expm1(tilt) * odds
        assert base.delta(Fraction(tilt * 0.999)) > expm1(tilt * 0.999) * odds
    assert BestOfRuns(runs).tilt(Gdp(10**6)) <= Fraction(log(6) + 1e-12)
