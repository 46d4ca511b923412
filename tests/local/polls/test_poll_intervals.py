"""Intervals of polls: coverage by exact enumeration, widths against the shortest possible, simulated polls whole."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom
from tests.local.polls.populations import INNOCUOUS, ONE_SAMPLE, TWO_SAMPLES, polls

from tacit.local.polls.designs.design import OneSample
from tacit.local.polls.designs.randomized_response import WarnerDesign
from tacit.local.polls.designs.two_samples import TwoSamples
from tacit.local.polls.estimation.rate_interval import Method, blaker, clopper_pearson, wilson
from tacit.local.polls.estimation.two_rates import TwoCounts, score_interval
from tacit.local.polls.estimation.yes_no_channel import YesNoChannel
from tacit.mechanisms.response.proportion import lower_end, upper_end
from tacit.noise.bits import Seeded

MISS = 0.05
Ends = tuple[NDArray[np.float64], NDArray[np.float64]]


def near(people: int, rate: float) -> NDArray[np.float64]:
    """The counts within 8 standard deviations: beyond lies less than 1e-14."""
    spread = 8 * np.sqrt(people * rate * (1 - rate)) + 8
    return np.arange(max(0, np.floor(people * rate - spread)), min(people, np.ceil(people * rate + spread)) + 1)


@lru_cache
def all_ends(people: int, method: Method) -> Ends:
    counts = np.arange(people + 1.0)
    if method is Method.EXACT:
        return blaker(counts, people, MISS)
    low, high = np.array([wilson(count, people, MISS) for count in counts]).T
    return low, high


def covered(channel: YesNoChannel, share: float, people: int, method: Method) -> float:
    """The exact probability that the interval holds the share."""
    rate = channel.rate(share)
    low, high = all_ends(people, method)
    masses = binom.pmf(np.arange(people + 1), people, rate)
    return float(masses[(low <= rate + 1e-12) & (rate <= high + 1e-12)].sum())


@pytest.mark.parametrize("design", ONE_SAMPLE, ids=str)
@pytest.mark.parametrize("people", [50, 317, 1000])
def test_exact_intervals_never_cover_less_and_scores_cover_on_average(design: OneSample, people: int) -> None:
    shares = np.linspace(0, 1, 101)
    exact = [covered(design.channel, share, people, Method.EXACT) for share in shares]
    assert min(exact) >= 1 - MISS - 1e-12
    score = [covered(design.channel, share, people, Method.SCORE) for share in shares]
    assert abs(np.mean(score) - 0.95) < 0.005, np.mean(score)


@pytest.mark.long
@pytest.mark.parametrize("design", ONE_SAMPLE, ids=str)
def test_exact_intervals_of_large_polls_never_cover_less(design: OneSample) -> None:
    for share in (0.0, 0.37, 1.0):
        rate = design.channel.rate(share)
        counts = near(100_000, rate)
        low, high = blaker(counts, 100_000, MISS)
        masses = binom.pmf(counts, 100_000, rate)
        assert masses[(low <= rate + 1e-12) & (rate <= high + 1e-12)].sum() >= 1 - MISS - 1e-12


@pytest.mark.parametrize("people", [10, 50, 200])
def test_coverage_holds_between_the_grid_points_too(people: int) -> None:
    """It falls to its least next to the intervals' own ends: those are asked, from both sides."""
    counts = np.arange(people + 1.0)
    low, high = blaker(counts, people, MISS)
    rates = np.concatenate([end + side for end in (low, high) for side in (-1e-10, 1e-10)])
    rates = rates[(rates > 0) & (rates < 1)][:, None]
    sure = np.sum(binom.pmf(counts, people, rates) * ((low <= rates) & (rates <= high)), axis=1)
    assert sure.min() >= 1 - MISS - 1e-9
    wide = clopper_pearson(counts, people, MISS)
    assert np.all(low >= wide[0] - 1e-11)
    assert np.all(high <= wide[1] + 1e-11)


def test_a_twin_that_is_a_little_shorter_is_caught() -> None:
    counts = np.arange(51.0)
    low, high = blaker(counts, 50, MISS * 1.1)
    rates = (low[low > 0] - 1e-10)[:, None]
    sure = np.sum(binom.pmf(counts, 50, rates) * ((low <= rates) & (rates <= high)), axis=1)
    assert sure.min() < 1 - MISS


@pytest.mark.parametrize("people", [50, 200, 1000])
def test_exact_intervals_are_nearly_as_short_as_any_can_be(people: int) -> None:
    """An exact method accepts counts of probability ≥ 95% at every rate, so its lengths add up to ∫ least number dr."""
    rates = (np.arange(2000) + 0.5) / 2000
    masses = -np.sort(-binom.pmf(np.arange(people + 1), people, rates[:, None]), axis=1)
    least = 1 + np.argmax(np.cumsum(masses, axis=1) >= 1 - MISS, axis=1)
    low, high = blaker(np.arange(people + 1.0), people, MISS)
    assert np.sum(high - low) <= 1.1 * least.mean()


def test_the_float_form_agrees_with_the_certified_one() -> None:
    for count, people in ((0, 10), (3, 50), (250, 1000), (40_000, 100_000)):
        low, high = clopper_pearson(np.array([float(count)]), people, MISS)
        assert low[0] == pytest.approx(lower_end(count, people, Fraction(1, 40)), abs=1e-9)
        assert high[0] == pytest.approx(upper_end(count, people, Fraction(1, 40)), abs=1e-9)


def score_coverage(design: TwoSamples, people: int, others: int, repeats: int) -> list[float]:
    rng = np.random.default_rng(people)
    found = []
    for number, share in enumerate(np.linspace(0.05, 0.95, 7)):
        own = polls(design, float(share), people, repeats, Seeded(number)).astype(np.float64)
        beside = rng.binomial(others, float(INNOCUOUS), repeats).astype(np.float64)
        low, high = score_interval(design.blend, TwoCounts(own, people, beside, others), MISS)
        found.append(float(np.mean((low <= share) & (share <= high))))
    return found


@pytest.mark.parametrize("design", TWO_SAMPLES, ids=str)
def test_two_samples_cover_on_average(design: TwoSamples) -> None:
    """7 × 2,000 polls: the mean's standard error is 0.0018; false alarm below 1e-4 at 4 of them."""
    assert abs(np.mean(score_coverage(design, 50, 40, 2000)) - 0.95) < 0.0075


@pytest.mark.long
@pytest.mark.parametrize("design", TWO_SAMPLES, ids=str)
@pytest.mark.parametrize("people", [200, 2000])
def test_larger_two_samples_cover_on_average(design: TwoSamples, people: int) -> None:
    found = score_coverage(design, people, people // 2, 2000)
    assert abs(np.mean(found) - 0.95) < 0.0075
    assert min(found) > 0.95 - 5 * np.sqrt(0.95 * 0.05 / 2000)


def whole_polls(design: OneSample, people: int, repeats: int) -> float:
    """The share of simulated polls, respondents and all, whose exact interval holds the truth."""
    hits = 0
    shares = (0.02, 0.3, 0.9)
    for number, share in enumerate(shares):
        counts = polls(design, share, people, repeats, Seeded(100 + number))
        values, times = np.unique(counts, return_counts=True)
        low, high = blaker(values.astype(np.float64), people, MISS)
        rate = design.channel.rate(share)
        hits += int(times[(low <= rate) & (rate <= high)].sum())
    return hits / (repeats * len(shares))


@pytest.mark.parametrize("design", ONE_SAMPLE, ids=str)
def test_simulated_polls_cover(design: OneSample) -> None:
    """3 × 2,000 polls of 50: below 95% by more than 3.72 standard errors once in 10⁴ at worst."""
    assert whole_polls(design, 50, 2000) >= 0.95 - 3.72 * np.sqrt(0.95 * 0.05 / 6000)


@pytest.mark.long
@pytest.mark.parametrize("design", ONE_SAMPLE[:1] + ONE_SAMPLE[4:5] + ONE_SAMPLE[9:], ids=str)
def test_large_simulated_polls_cover(design: OneSample) -> None:
    assert whole_polls(design, 10_000, 700) >= 0.95 - 3.72 * np.sqrt(0.95 * 0.05 / 2100)


def test_weights_widen_and_missing_answers_leave_room() -> None:
    rng = np.random.default_rng(11)
    reports = rng.integers(0, 2, 400)
    even, weighted = (
        WarnerDesign("3/4").estimate(reports),
        WarnerDesign("3/4").estimate(reports, rng.uniform(0.2, 5, 400)),
    )
    assert weighted.effective < even.effective == 400
    assert np.diff(weighted.interval())[0] > np.diff(even.interval())[0]
    same = WarnerDesign("3/4").estimate(reports, np.full(400, 2.5))
    assert same.value == pytest.approx(even.value)
    assert same.effective == pytest.approx(400, rel=0.01)
    holey = WarnerDesign("3/4").estimate([*reports.tolist(), *[None] * 100])
    assert (holey.people, holey.missing, holey.missing_share) == (400, 100, 0.2)
    low, high = holey.interval()
    assert holey.with_missing() == pytest.approx((0.8 * low, 0.8 * high + 0.2))


def test_weighted_intervals_cover() -> None:
    """2,000 polls of 300 people whose weights are unequal and unrelated: 95% within 5 standard errors, or more."""
    rng, share = np.random.default_rng(4), 0.3
    design = WarnerDesign("3/4")
    hits = 0
    for _ in range(2000):
        reports = rng.binomial(1, design.channel.rate(share), 300)
        low, high = design.estimate(reports, rng.gamma(2, 1, 300)).interval()
        hits += low <= share <= high
    assert hits / 2000 >= 0.95 - 5 * np.sqrt(0.95 * 0.05 / 2000)


def test_careless_respondents_are_accounted_for() -> None:
    """A tenth always says no: the plain estimate is too low, the adjusted one finds the share again."""
    design, share = WarnerDesign("3/4"), 0.4
    rate = 0.9 * design.channel.rate(share)
    reports = np.zeros(10**6, np.int64)
    reports[: round(rate * 10**6)] = 1
    found = design.estimate(reports)
    assert found.value < 0.32
    assert found.if_careless("0.1", 0).value == pytest.approx(share, abs=1e-5)
    assert found.if_careless(0, 1).value == found.value
