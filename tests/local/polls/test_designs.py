"""Poll designs: what each protects, by exact ratios; its estimate and variance, by exact laws and simulation."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2
from tests.goodness import FALSE_ALARM
from tests.local.polls.populations import INNOCUOUS, ONE_SAMPLE, TWO_SAMPLES, WORDS, exact_law, polls

from tacit.errors import Refused
from tacit.local.polls.designs.design import Design, OneSample
from tacit.local.polls.designs.list_experiment import ListExperiment
from tacit.local.polls.designs.multiple_choice import OneOfMany
from tacit.local.polls.designs.nonrandomized_response import AtLeastOne, Crosswise, Triangular
from tacit.local.polls.designs.randomized_response import ForcedDesign, Kuk, WarnerDesign
from tacit.local.polls.designs.two_samples import TwoSamples, Unrelated
from tacit.local.polls.designs.wording import Wording
from tacit.local.polls.estimation.rate_interval import Method
from tacit.noise.ball import ball, less
from tacit.noise.bits import Seeded

ALL: list[Design] = [*ONE_SAMPLE, *TWO_SAMPLES]


def ratio(design: Design, *, knowing: bool) -> Fraction | None:
    """The worst odds of a report between two sensitive answers; None where they are infinite.

    One who knows the innocuous answer conditions on it; one who does not averages over it.
    """
    group = design.groups(WORDS)[0]
    worlds = [[(other, Fraction(1))] for other in (0, 1)] if knowing else [[(0, 1 - INNOCUOUS), (1, INNOCUOUS)]]
    worst = Fraction(1)
    for world in worlds:
        laws = [
            [
                sum((w * exact_law(design, group, own, other)[report] for other, w in world), Fraction(0))
                for report in (0, 1)
            ]
            for own in (0, 1)
        ]
        for one, two in zip(*laws, strict=True):
            if min(one, two) == 0 < max(one, two):
                return None
            worst = max(worst, max(one, two) / min(one, two)) if min(one, two) else worst
    return worst


@pytest.mark.parametrize("design", ALL, ids=str)
def test_protection_is_the_exact_worst_ratio(design: Design) -> None:
    found, known = design.protection, ratio(design, knowing=True)
    if known is None:
        assert found.loss is None
        assert found.epsilon == math.inf
        assert "infinite, because" in str(found)
    else:
        assert found.loss is not None
        assert float(ball(known).log()) == pytest.approx(found.epsilon)
        assert not less(lambda: ball(Fraction(found.epsilon)).exp(), lambda: ball(known))
    if found.unknowing is not None:
        averaged = ratio(design, knowing=False)
        assert averaged is not None
        assert float(ball(averaged).log()) == pytest.approx(found.unknowing.epsilon(0))


def test_figures_that_the_theory_states() -> None:
    assert WarnerDesign("3/4").protection.epsilon == pytest.approx(math.log(3))
    assert ForcedDesign("4/6", "1/6", "1/6").protection.epsilon == pytest.approx(math.log(5))
    assert str(WarnerDesign("3/4").protection) == "ε = ln 3 (1.099)"
    for design in (
        ForcedDesign("1/2", "1/2", 0),
        ForcedDesign("1/2", 0, "1/2"),
        Crosswise("1/4"),
        Triangular("1/4"),
        AtLeastOne(),
    ):
        assert design.protection.epsilon == math.inf
    assert ListExperiment(3).protection.epsilon == math.inf
    assert Kuk(1, "1/2").protection.epsilon == math.inf
    assert OneOfMany.within(2, 5).protection.epsilon == pytest.approx(2)
    for phi in ("1/10", "3/10", "49/100", "9/10"):
        assert WarnerDesign(phi).protection.epsilon == pytest.approx(abs(math.log(Fraction(phi) / (1 - Fraction(phi)))))


@pytest.mark.parametrize("design", ONE_SAMPLE, ids=str)
def test_the_channel_is_what_respondents_do(design: OneSample) -> None:
    group = design.groups(WORDS)[0]
    for own, rate in ((1, design.channel.hit), (0, design.channel.stray)):
        law = [
            (1 - INNOCUOUS) * a + INNOCUOUS * b
            for a, b in zip(*(exact_law(design, group, own, o) for o in (0, 1)), strict=True)
        ]
        assert law == [1 - rate, rate]


def test_published_variances() -> None:
    p, share, n = 0.75, 0.3, 400
    assert WarnerDesign("3/4").variance("0.3", n) == pytest.approx(
        share * (1 - share) / n + p * (1 - p) / (n * (2 * p - 1) ** 2)
    )
    assert Crosswise("3/4").variance("0.3", n) == pytest.approx(WarnerDesign("3/4").variance("0.3", n))
    rate = 0.7 * share + 0.3 * 0.25
    assert Unrelated("7/10", "1/4").variance("0.3", n) == pytest.approx(rate * (1 - rate) / (n * 0.49))


@pytest.mark.parametrize("design", ALL, ids=str)
def test_estimates_are_unbiased_and_vary_as_stated(design: Any) -> None:
    """2,000 polls of 200 people: the mean within 5.2 standard errors, the variance by chi-square; FALSE_ALARM each."""
    bits, share, repeats, people = Seeded(7), 0.3, 2000, 200
    counts = polls(design, share, people, repeats, bits)
    if isinstance(design, TwoSamples):
        others = np.random.default_rng(1).binomial(people, float(INNOCUOUS), repeats)
        values = np.asarray(design.blend.share(counts / people, others / people))
        variance = design.variance(share, float(INNOCUOUS), people, people)
        slack = 1.08 if isinstance(design, AtLeastOne) else 1.0  # the delta method's second order
    else:
        values = np.array([design.channel.share(count / people) for count in counts])
        variance, slack = design.variance(Fraction(share), people), 1.0
    bias = 2 / people if isinstance(design, AtLeastOne) else 0.0
    assert abs(values.mean() - share) < 5.2 * math.sqrt(variance / repeats) + bias
    spread = (repeats - 1) * values.var(ddof=1) / variance
    assert chi2.ppf(FALSE_ALARM, repeats - 1) < spread < chi2.isf(FALSE_ALARM, repeats - 1) * slack


def test_list_experiments_count_and_subtract() -> None:
    """2,000 polls with two lists of 300: unbiased within 5.2 standard errors, and Welch's interval covers."""
    rng, share, repeats = np.random.default_rng(5), 0.2, 2000
    design = ListExperiment(3)
    estimates = []
    for _ in range(repeats):
        short = rng.binomial(1, [0.3, 0.5, 0.1], (300, 3)).sum(axis=1)
        long = rng.binomial(1, [0.3, 0.5, 0.1], (300, 3)).sum(axis=1) + rng.binomial(1, share, 300)
        estimates.append(design.estimate(short, long))
    values = np.array([estimate.value for estimate in estimates])
    assert abs(values.mean() - share) < 5.2 * values.std() / math.sqrt(repeats)
    covered = np.mean([low <= share <= high for low, high in (estimate.interval() for estimate in estimates)])
    assert abs(covered - 0.95) < 5 * math.sqrt(0.95 * 0.05 / repeats)


def test_options_of_many_are_estimated_together() -> None:
    design, shares = OneOfMany.within(2, 4), [0.5, 0.3, 0.15, 0.05]
    bits = Seeded(2)
    answers = np.random.default_rng(3).choice(4, 40_000, p=shares)
    found = design.estimate(design.response.draw_many(answers, bits))
    assert sum(option.value for option in found) == pytest.approx(1)
    for option, share in zip(found, shares, strict=True):
        assert abs(option.value - share) < 5 * math.sqrt(design.channel.variance(Fraction(share), 40_000))
    assert design.together() == Fraction(79, 80)


@pytest.mark.parametrize("design", ONE_SAMPLE, ids=str)
def test_enough_people_are_asked_for_a_width(design: OneSample) -> None:
    people = design.people_for("0.1")
    low, high = sorted((float(design.channel.hit), float(design.channel.stray)))
    rate = min(max(0.5, low), high)

    def width(n: int) -> float:
        low, high = design.channel.interval(round(n * rate), n, "0.95", Method.EXACT)
        return high - low

    if 0.2 < rate < 0.8:  # an interval next to 0 or 1 is cut, and narrower than asked for
        assert width(people) <= 0.1 < width(int(people * 0.97))


def test_words_that_do_not_fit_a_design_are_refused() -> None:
    with pytest.raises(Refused, match="innocuous"):
        Crosswise("1/4").groups(Wording("Have you?"))
    with pytest.raises(Refused, match="list of 3 items"):
        ListExperiment(2).groups(WORDS)
    with pytest.raises(Refused, match="2 options"):
        OneOfMany.within(1, 3).groups(WORDS)


@pytest.mark.parametrize(
    "make",
    [
        lambda: WarnerDesign("1/2"),
        lambda: WarnerDesign("nan"),
        lambda: WarnerDesign(1),
        lambda: ForcedDesign("1/2", "1/4", "1/8"),
        lambda: Kuk("1/3", "1/3"),
        lambda: Crosswise("1/2"),
        lambda: Triangular(0),
        lambda: Unrelated(0, "1/2"),
        lambda: ListExperiment(0),
        lambda: WarnerDesign("3/4").estimate([]),
        lambda: WarnerDesign("3/4").estimate([None]),
        lambda: WarnerDesign("3/4").estimate([0, 2]),
        lambda: WarnerDesign("3/4").estimate(["yes"]),
        lambda: WarnerDesign("3/4").estimate([0, 1], weights=[1, -1]),
        lambda: WarnerDesign("3/4").estimate([0, 1], weights=[1, float("inf")]),
        lambda: WarnerDesign("3/4").people_for(0),
    ],
)
def test_what_makes_no_poll_is_refused(make: Any) -> None:
    with pytest.raises(Refused):
        make()
