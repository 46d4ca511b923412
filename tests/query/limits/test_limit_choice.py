"""The limit chosen from a noisy histogram against the best one in hindsight (R15, R23, R46)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.query.limits.events import MULTIPLIER, events, region_error, total_error

from tacit.errors import Refused
from tacit.query.bounding.amount import MANY_SMALL, MANY_SMALL_WIDE
from tacit.query.bounding.amount_histogram import Bins, seen
from tacit.query.bounding.histogram_sql import BINS, WIDE_BINS
from tacit.query.bounding.limit_choice import choose_limit
from tacit.query.bounding.objectives import ManyKeys, Objective, RankError, TotalError

Amounts = NDArray[np.int64]
TOTAL = TotalError(float(MULTIPLIER))


def histogram(bins: Bins, amounts: Amounts) -> NDArray[np.float64]:
    return np.bincount(bins.index(amounts), minlength=len(bins)).astype(np.float64)


def chosen(
    bins: Bins, amounts: Amounts, noise_sd: float, objective: Objective, profiles: int, seed: int = 1
) -> list[int]:
    """The limits chosen from so many noisy histograms of the same people."""
    generator, exact = np.random.default_rng(seed), histogram(bins, amounts)
    noisy = exact + generator.normal(0, noise_sd, (profiles, len(bins)))
    return [choose_limit(bins, counts, noise_sd, objective) for counts in noisy]


def root_mean_square(errors: list[float]) -> float:
    return math.sqrt(np.mean(np.square(errors)))


def best_in_hindsight(amounts: Amounts) -> float:
    return min(total_error(amounts, int(limit)) for limit in np.unique(amounts))


def test_count_and_sum_of_heavy_tailed_people() -> None:
    """R46: a million people, 25 people of noise a bin, 200 profiles: relative error at most 0.008."""
    people = events()
    for bins, amounts in ((Bins(2**20), people.rows), (Bins(2**40), people.totals)):
        limits = chosen(bins, amounts, 25.0, TOTAL, 200)
        assert root_mean_square([total_error(amounts, limit) for limit in limits]) / amounts.sum() <= 0.008


def test_counts_by_region_of_heavy_tailed_people() -> None:
    """R46: 50 regions of uneven size: at most 0.045 on average over the ten largest, where the best limit has 0.0416.

    A thousand profiles, because one in some thousands is unlucky enough to weigh 0.001 among two hundred.
    """
    people = events()
    limits = chosen(Bins(2**20), people.norms, 25.0, TotalError(float(MULTIPLIER), 50), 1_000)
    assert region_error(people, limits) <= 0.045


def test_small_data_with_much_noise() -> None:
    """R46: 2,400 people with 1–60 visits, noise 60 a bin: half the time within 1.5 of the best, 99% within 5."""
    generator, bins, ratios = np.random.default_rng(3), Bins(2**20), []
    for population in range(20):
        amounts = generator.integers(1, 61, 2_400)
        best = best_in_hindsight(amounts)
        limits = chosen(bins, amounts, 60.0, TOTAL, 50, population)
        ratios += [total_error(amounts, limit) / best for limit in limits]
    assert np.median(ratios) <= 1.5
    assert np.quantile(ratios, 0.99) <= 5


@pytest.mark.parametrize("many", [100, 300, 1_000, 3_000])
@pytest.mark.parametrize("noise_sd", [10.0, 60.0])
def test_no_absurd_limit_by_luck(many: int, noise_sd: float) -> None:
    """R46: however few the people, 200 profiles each: never more than 10 times the greatest amount there is."""
    amounts = np.minimum(np.random.default_rng(many).geometric(1 / 8, many), 60)
    assert max(chosen(Bins(2**30), amounts, noise_sd, TOTAL, 200)) <= 10 * 60


def test_believing_every_bin_is_caught() -> None:
    """R46: the broken twin, the noisy histogram taken as it is, fails the test of small data by far."""
    generator, bins = np.random.default_rng(4), Bins(2**20)
    amounts = generator.integers(1, 61, 2_400)
    noisy = histogram(bins, amounts) + generator.normal(0, 60.0, (50, len(bins)))
    limits = [choose_limit(bins, np.maximum(counts, 0.0), 0.0, TOTAL) for counts in noisy]
    best = best_in_hindsight(amounts)
    assert np.median([total_error(amounts, limit) / best for limit in limits]) > 5


@pytest.mark.parametrize("cells", [1, 20])
def test_without_noise_the_choice_is_nearly_the_best(cells: int) -> None:
    """R46: with the exact histogram of bounded people the error is within 10% of the best at any limit."""
    amounts = np.random.default_rng(5).integers(1, 61, 100_000)
    limit = chosen(Bins(2**20), amounts, 0.0, TotalError(float(MULTIPLIER), cells), 1)[0]
    weighed = [
        math.hypot(np.maximum(amounts - tried, 0).sum() * cells**-0.75, MULTIPLIER * tried) for tried in range(1, 80)
    ]
    assert weighed[limit - 1] <= 1.1 * min(weighed)


def test_ranks_need_far_less_of_a_person_than_totals() -> None:
    """R46: for quantiles the limit is within 15% of the best error by brute force, and far below that for a total."""
    rows, noise = events().rows, float(MULTIPLIER)

    def error(limit: int) -> float:
        kept = np.minimum(1.0, limit / rows)
        left = (rows * kept).sum()
        return math.sqrt(((rows * kept**2).sum() / left**2 - 1 / rows.sum()) / 4 + (noise * limit / left) ** 2)

    best = min(error(limit) for limit in range(10, 400, 10))
    limits = chosen(Bins(2**20), rows, 25.0, RankError(noise), 50)
    assert max(error(limit) for limit in limits) <= 1.15 * best
    assert max(limits) < min(chosen(Bins(2**20), rows, 25.0, TOTAL, 50))


def test_noise_weighs_more_in_groups_and_far_from_the_middle() -> None:
    """R46: chance is less at the ends and noise more in groups, so both want a smaller limit."""
    rows, noise = events().rows, float(MULTIPLIER)
    plain, groups, ends = (
        max(chosen(Bins(2**20), rows, 25.0, aim, 5))
        for aim in (RankError(noise), RankError(noise, groups=50), RankError(noise, ("0.99",)))
    )
    assert groups < plain
    assert ends < plain


@pytest.mark.parametrize("levels", [3, 4])
def test_a_norm_stands_for_rows(levels: int) -> None:
    """R46: the rows of a norm are those of which `usual_squares` says that square, and one row at least is one."""
    objective, rows = RankError(1.0, levels=levels, steps=4), np.array([1.0, 5.0, 30.0, 1_000.0])
    even = 4 / 3 * (levels * rows + (4 + levels - 1) / 64 * rows**2)
    norms = 4 * np.sqrt(np.minimum(even, levels * rows**2))
    assert objective.rows(norms) == pytest.approx(rows)


@pytest.mark.parametrize("share", ["1/4", "1/2", "0.9"])
def test_many_keys_take_a_quantile(share: str) -> None:
    """R46: the limit for many small groups is the quantile of the people, to within a bin."""
    rows, bins = events().rows, Bins(2**20)
    objective = ManyKeys(share)
    true = bins.index(np.quantile(rows, [float(objective.share)]).astype(np.int64))[0]
    limits = np.array(chosen(bins, rows, 25.0, objective, 20))
    assert np.all(np.abs(bins.index(limits) - true) <= 1)


def test_nobody_seen() -> None:
    """R23: if nobody stands out, the limit is the one given for that, within the bins."""
    counts = np.zeros(len(Bins(60)))
    assert choose_limit(Bins(60), counts, 25.0, TOTAL) == 1
    assert choose_limit(Bins(60), counts, 25.0, TOTAL, unseen=12) == 12
    assert choose_limit(Bins(60), counts, 25.0, TOTAL, unseen=1_000) == 60


COUNTS = st.floats(-1e18, 1e18) | st.floats(-100, 10_000)
OBJECTIVES = st.sampled_from(
    [TOTAL, TotalError(1e-6, 50), TotalError(1e60), RankError(3.0), ManyKeys(), ManyKeys("0.99")]
)


@settings(max_examples=40)
@given(st.data(), st.sampled_from([1, 2, 5, 60, 10**6, 2**62 - 1]), OBJECTIVES, st.floats(0, 1e4), st.booleans())
def test_every_histogram_has_a_limit(
    data: st.DataObject, most: int, objective: Objective, sd: float, laplace: bool
) -> None:
    """R08: any finite counts give a limit from 1 to `most`, below 32 times what lies above the last bin seen."""
    bins = Bins(most)
    counts = np.array(data.draw(st.lists(COUNTS, min_size=len(bins), max_size=len(bins))))
    limit = choose_limit(bins, counts, sd, objective, laplace=laplace)
    span = seen(counts[1:], sd, laplace)
    assert 1 <= limit <= most
    assert limit <= (1 if span is None else 32 * (int(bins.tops()[span.last + 1]) + 1))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e19])
def test_numbers_that_are_none_are_refused(bad: float) -> None:
    """R08: NaN and infinities are refused in the counts, the noise and the objectives."""
    counts = np.zeros(len(Bins(60)))
    with pytest.raises(Refused):
        choose_limit(Bins(60), np.append(counts[1:], bad), 1.0, TOTAL)
    with pytest.raises(Refused):
        choose_limit(Bins(60), counts, bad, TOTAL)


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, True, "much"])
def test_objectives_refuse_what_is_no_noise(bad: Any) -> None:
    """R08: noise per limit is a positive number, cells a positive integer, a share lies between 0 and 1."""
    for build in (TotalError, RankError, ManyKeys, lambda cells: TotalError(1.0, cells)):
        with pytest.raises(Refused):
            build(bad)


def test_a_histogram_of_other_bins_is_refused() -> None:
    """R08: one count a bin, and nothing else."""
    with pytest.raises(Refused):
        choose_limit(Bins(60), np.zeros(3), 1.0, TOTAL)
    with pytest.raises(Refused):
        choose_limit(Bins(60), np.zeros(len(Bins(60))), -1.0, TOTAL)
    with pytest.raises(Refused):
        choose_limit(Bins(60), np.zeros(len(Bins(60))), 1.0, TOTAL, unseen=0)


def test_with_many_small_groups_the_limit_is_below_its_quantile_in_wide_bins() -> None:
    """Two fifths of the people have at most 9: of a bin from 8 to 11 the top was taken, with 1.2 times the noise."""
    amounts = np.repeat([4, 5, 6, 8, 9, 12, 20, 40], [40, 85, 75, 120, 100, 200, 250, 130])
    narrow, wide = (100 * histogram(bins, amounts) for bins in (BINS, WIDE_BINS))
    assert choose_limit(BINS, narrow, 20.0, MANY_SMALL) == 9
    assert choose_limit(WIDE_BINS, wide, 20.0, MANY_SMALL) == 11
    assert choose_limit(WIDE_BINS, wide, 20.0, MANY_SMALL_WIDE) == 8
    few = np.zeros(len(WIDE_BINS))
    few[1:4] = 1000  # people have one, two or three: each amount has a bin of its own
    assert choose_limit(WIDE_BINS, few, 20.0, MANY_SMALL) == choose_limit(WIDE_BINS, few, 20.0, MANY_SMALL_WIDE) == 2
