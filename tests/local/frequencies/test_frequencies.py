"""Estimates from many reports: exact variances, simultaneous intervals that cover, shares that fit together."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom

from tacit.errors import Refused
from tacit.local.frequencies.block_design import KaryOracle
from tacit.local.frequencies.frequency_estimates import Frequencies, lower_ends, reconcile, upper_ends
from tacit.local.frequencies.oracle import Oracle
from tacit.local.frequencies.oracle_choice import KINDS
from tacit.local.frequencies.set_reports import SubsetOracle
from tacit.noise.ball import ball, precision
from tacit.noise.bits import Seeded

FALSE_ALARM = 1e-4


def estimates(oracle: Oracle, answers: NDArray[np.int64], seed: int) -> list[Frequencies]:
    """One estimate a row of answers, all randomised in one go."""
    rows = oracle.rehearse(answers.reshape(-1), Seeded(seed))
    return [oracle.estimate(survey) for survey in rows.reshape(*answers.shape, -1)]


def surveys(oracle: Oracle, shares: list[float], people: int, times: int, *, drawn: bool) -> list[tuple[bool, bool]]:
    """Whether all intervals held at once, and whether all consistent ones did, in each of many simulated surveys."""
    truth = np.array(shares)
    if drawn:
        answers = np.random.default_rng(11).choice(truth.size, (times, people), p=truth)
    else:
        answers = np.tile(np.repeat(np.arange(truth.size), np.round(truth * people).astype(int)), (times, 1))
    held = []
    for found in estimates(oracle, answers, people):
        low, high = found.intervals("0.9")
        fit = found.consistent("0.9")
        boxed, fitted = (low <= truth) & (truth <= high), (fit.low <= truth) & (truth <= fit.high)
        held.append((bool(boxed.all()), bool(fitted.all())))
    return held


def is_short_of(covered: list[bool], confidence: float) -> bool:
    """Whether so few of the surveys are covered that chance would do it with probability below FALSE_ALARM."""
    return float(binom.cdf(sum(covered), len(covered), confidence)) < FALSE_ALARM


CASES = [
    (KaryOracle.within(1, 4), [0.55, 0.3, 0.15, 0.0], 100),
    (SubsetOracle.within(1, 8), [0.4, 0.3, 0.1, 0.05, 0.05, 0.05, 0.05, 0.0], 200),
    (SubsetOracle.within(4, 5), [0.96, 0.04, 0.0, 0.0, 0.0], 50),
]


@pytest.mark.parametrize("drawn", [True, False])
@pytest.mark.parametrize(("oracle", "shares", "people"), CASES, ids=str)
def test_all_intervals_hold_at_once(oracle: Oracle, shares: list[float], people: int, drawn: bool) -> None:
    held = surveys(oracle, shares, people, 300, drawn=drawn)
    assert not is_short_of([box for box, _ in held], 0.9)
    assert not is_short_of([fit for _, fit in held], 0.9)
    assert all(fit for box, fit in held if box), "the cut intervals hold whenever the others do"


def counted(oracle: Oracle, holders: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.int64]:
    """Support counts of many surveys: how many send each report, by the stated law, given how many hold each option."""
    alphabet = list(oracle.alphabet())
    held = np.array([oracle.estimate(np.array([row], np.uint64)).counts for row in alphabet])
    sent = np.zeros((len(holders), len(alphabet)), np.int64)
    for option in range(oracle.options):
        law = np.array([float(oracle.probability(option, row)) for row in alphabet])
        sent += generator.multinomial(holders[:, option], law / law.sum())
    return sent @ held


@pytest.mark.long
@pytest.mark.parametrize("people", [50, 1000, 10**5])
@pytest.mark.parametrize("kind", KINDS)
def test_all_intervals_hold_at_once_in_2000_surveys(kind: Any, people: int) -> None:
    """For people drawn from a population and for given people, each at a false-alarm rate of FALSE_ALARM."""
    oracle, truth = kind.within(2, 5), np.array([0.52, 0.3, 0.16, 0.02, 0.0])
    generator = np.random.default_rng(people)
    for holders in (
        generator.multinomial(people, truth, 2000),
        np.tile(np.round(truth * people).astype(int), (2000, 1)),
    ):
        held = []
        for counts in counted(oracle, holders, generator):
            found = Frequencies(counts, people, oracle.hit, oracle.stray)
            low, high = found.intervals("0.9")
            fit = reconcile(found.values, low, high)
            held.append(bool(((low <= truth) & (truth <= high)).all()))
            assert not held[-1] or ((fit.low <= truth) & (truth <= fit.high)).all()
        assert not is_short_of(held, 0.9)


def test_intervals_that_are_too_short_are_caught() -> None:
    """The twin without the K in the level: each interval holds by itself, not all of them at once."""
    answers = np.random.default_rng(5).choice(16, (300, 400))
    held = []
    for found in estimates(SubsetOracle.within(1, 16), answers, 5):
        low, high = (found._shares(ends(found.counts, 400, 0.05)) for ends in (lower_ends, upper_ends))
        held.append(bool(((low <= 1 / 16) & (high >= 1 / 16)).all()))
    assert is_short_of(held, 0.9)


@pytest.mark.parametrize("people", [1, 7, 400, 10**6])
@pytest.mark.parametrize("miss", [0.025, 1e-6, 1e-12])
def test_ends_are_on_the_safe_side(people: int, miss: float) -> None:
    """In certified arithmetic: at a lower end so many successes have probability at most `miss`, just above it more."""
    counts = np.unique(np.clip([0, 1, 3, people // 3, people // 2, people - 1, people], 0, people))
    low, high = lower_ends(counts, people, miss), upper_ends(counts, people, miss)
    assert low[0] == 0
    assert high[-1] == 1
    assert (high == 1 - lower_ends(people - counts, people, miss)).all()
    with precision(128):
        for count, end in zip(counts.tolist()[1:], low.tolist()[1:], strict=True):
            assert ball(end).beta_lower(count, people - count + 1, regularized=True) <= ball(miss)
            assert ball(end * (1 + 1e-8)).beta_lower(count, people - count + 1, regularized=True) > ball(miss)


@given(st.lists(st.floats(-1, 2), min_size=2, max_size=12), st.data())
def test_consistent_shares_fit_together(values: list[float], data: st.DataObject) -> None:
    """Whatever truth the intervals hold, the cut ones hold it; the values sum to one and lie within."""
    weights = data.draw(st.lists(st.floats(0, 1), min_size=len(values), max_size=len(values)).filter(any))
    truth = np.array(weights) / sum(weights)
    down = data.draw(st.lists(st.floats(0, 0.5), min_size=len(values), max_size=len(values)))
    up = data.draw(st.lists(st.floats(0, 0.5), min_size=len(values), max_size=len(values)))
    low, high = np.clip(truth - down, 0, 1), np.clip(truth + up, 0, 1)
    found = reconcile(np.array(values), low, high)
    assert found.agrees
    assert ((found.low <= truth) & (truth <= found.high)).all()
    assert ((low <= found.low) & (found.high <= high)).all()
    assert found.values.sum() == pytest.approx(1, abs=1e-9)
    assert ((found.low <= found.values) & (found.values <= found.high)).all()


def test_intervals_that_contradict_the_sum_say_so() -> None:
    found = reconcile(np.array([0.1, 0.1]), np.array([0.0, 0.0]), np.array([0.3, 0.3]))
    assert not found.agrees
    assert found.values.tolist() == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("kind", KINDS)
def test_variances_are_the_stated_ones(kind: Any) -> None:
    """1,500 surveys of 90 given people: means and spreads within 5.5 standard errors (false-alarm rate 1e-6 all)."""
    oracle, answers = kind.within(1, 12), np.arange(90) % 3
    found = np.array([each.values for each in estimates(oracle, np.tile(answers, (1500, 1)), 7)])
    for option, count in enumerate(np.bincount(answers, minlength=12).tolist()):
        exact = float(oracle.variance_given(Fraction(count, 90), 90))
        assert abs(found[:, option].var() / exact - 1) < 5.5 * sqrt(2 / 1500)
        assert abs(found[:, option].mean() - count / 90) < 5.5 * sqrt(exact / 1500)


def test_a_table_reads_well() -> None:
    found = Frequencies(np.array([600, 300, 200]), 1000, Fraction(3, 4), Fraction(1, 4))
    text = found.table(["bread", "milk", "salt"])
    assert text.splitlines()[0].startswith("option")
    assert text.splitlines()[1].startswith("bread")
    assert "1,000 reports" in str(found)
    assert "… and 2 more options." in found.table(most=1)
    with pytest.raises(Refused, match="names"):
        found.table(["bread"])


def test_a_single_report_has_no_standard_error() -> None:
    assert np.isinf(Frequencies(np.array([1, 0]), 1, Fraction(3, 4), Fraction(1, 4)).standard_errors).all()


def test_fixed_people_stray_less_than_the_binomial() -> None:
    """Hoeffding's comparison, by exact convolution: two rates with one mean have lighter tails than one rate."""
    for hit, stray, share, people in ((0.9, 0.1, 0.5, 20), (0.7, 0.3, 0.2, 15), (0.99, 0.05, 0.9, 30)):
        true = round(share * people)
        law = np.convolve(
            binom.pmf(range(true + 1), true, hit), binom.pmf(range(people - true + 1), people - true, stray)
        )
        mean = true * hit + (people - true) * stray
        for count in range(people + 1):
            if count <= mean - 1:
                assert law[: count + 1].sum() <= binom.cdf(count, people, mean / people) + 1e-12
        low = next(count for count in range(people) if binom.cdf(count, people, mean / people) >= 0.05)
        assert low - 1 <= mean - 1
