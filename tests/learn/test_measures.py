"""Measures of a classifier from noisy numbers of rows: they are right without noise, and intervals hold what they say.

Scores are drawn so that many differ within a bin: the AUC that is compared is that of the scores themselves.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import duckdb
import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.learn.coded_rows import SCORE
from tacit.learn.evaluation.class_counts import ClassCounts, MeasuredShare
from tacit.learn.evaluation.noisy_ratio import CellNoise
from tacit.learn.evaluation.score_bins import ScoreBins
from tacit.learn.training_text import TrainingTarget
from tacit.noise.bits import Seeded
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.slabs import slabs

Floats = NDArray[np.float64]
_MISS = 0.025
_DRAWS = 200


class Logistic:
    """A model whose score is a logit between −8 and 8."""

    target = TrainingTarget("y", "y", (False, True), None)
    score_range = (-8 * SCORE, 8 * SCORE)

    def score_sql(self) -> str:
        return "score"

    def chance(self, scores: Floats) -> Floats:
        return np.asarray(1 / (1 + np.exp(-scores)))


BINS = ScoreBins.of(Logistic())


def scores_of(first: int, second: int, seed: int = 1) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    both = rng.normal(-2.2, 1.6, first), rng.normal(0.6, 1.4, second)
    one, other = (np.round(np.clip(each, -7.9, 7.9) * SCORE) for each in both)
    return one, other


def counted(scores: tuple[Floats, Floats]) -> Floats:
    places = (np.searchsorted(BINS.begins, each, side="right") for each in scores)
    return np.stack([np.bincount(each, minlength=BINS.count) for each in places]).astype(np.float64)


def truth(scores: tuple[Floats, Floats]) -> dict[str, float]:
    """The measures by plain arithmetic over all pairs and rows."""
    first, second = scores
    chances = [Logistic().chance(each / SCORE) for each in scores]
    ranks = np.searchsorted(np.sort(first), second, "left") + np.searchsorted(np.sort(first), second, "right")
    rows = len(first) + len(second)
    return {
        "accuracy": float((first <= 0).sum() + (second > 0).sum()) / rows,
        "AUC": float(ranks.sum()) / 2 / len(first) / len(second),
        "log loss": float(-np.log(1 - chances[0]).sum() - np.log(chances[1]).sum()) / rows,
        "share of y": len(second) / rows,
    }


def measured(counts: Floats, noise: CellNoise) -> dict[str, MeasuredShare]:
    return {each.name: each for each in ClassCounts(counts, BINS, noise).measures("y", _MISS, is_by_bin=False)}


def test_without_noise_measures_are_those_of_the_rows() -> None:
    scores = scores_of(12_000, 4_000)
    found = measured(counted(scores), CellNoise(RoundedGaussian(Fraction(1, 10**12)), Fraction(10**6)))
    for name, right in truth(scores).items():
        assert found[name].value == pytest.approx(right, abs=2e-3 if name == "log loss" else 1e-3)
    assert found["AUC"].low <= truth(scores)["AUC"] <= found["AUC"].high
    assert found["AUC"].high - found["AUC"].low < 0.025  # pairs in one bin, won or lost
    assert found["accuracy"].value == pytest.approx(truth(scores)["accuracy"], abs=1e-12)


def missed(noise: CellNoise, believed: CellNoise, sizes: tuple[int, int]) -> dict[str, int]:
    """How often intervals miss, where noise is drawn from one law and another is believed."""
    scores, bits = scores_of(*sizes), Seeded(7)
    exact, right = counted(scores), truth(scores)
    found = dict.fromkeys(right, 0)
    for _ in range(_DRAWS):
        draws = [slabs(noise.law).draw(exact.size, bits).reshape(exact.shape) for _ in range(noise.copies)]
        for name, each in measured(exact + sum(draws) / float(noise.scale), believed).items():
            if name in right:
                found[name] += not each.low <= right[name] <= each.high
    return found


CASES = [
    (CellNoise(RoundedGaussian(Fraction(16)), Fraction(1)), (12_400, 3_850)),
    (CellNoise(RoundedGaussian(Fraction(900)), Fraction(1)), (12_400, 3_850)),
    (CellNoise(RoundedGaussian(Fraction(1, 4)), Fraction(1)), (300, 100)),
    (CellNoise(RoundedGaussian(Fraction(4096)), Fraction(16), copies=3), (3_000, 1_000)),
    (CellNoise(DiscreteLaplace(Fraction(6)), Fraction(1)), (12_400, 3_850)),
]


@pytest.mark.parametrize(("noise", "sizes"), CASES)
def test_intervals_hold_the_measures_of_the_scores(noise: CellNoise, sizes: tuple[int, int]) -> None:
    """A 95% interval misses at most 22 of 200 times; if it misses 5%, more happen twice in 10,000."""
    assert max(missed(noise, noise, sizes).values()) <= 22


def test_half_the_noise_is_caught() -> None:
    """A broken twin: intervals for a quarter of the variance miss a third of the time."""
    noise, sizes = CASES[1]
    found = missed(noise, replace(noise, law=RoundedGaussian(Fraction(225))), sizes)
    assert min(found[name] for name in ("accuracy", "log loss", "share of y", "AUC")) > 30


def test_where_there_may_be_no_rows_nothing_is_said() -> None:
    found = measured(np.zeros((2, BINS.count)), CASES[0][0])
    assert all(np.isnan(each.value) and (each.low, each.high) == (0, each.most) for each in found.values())


def test_a_measure_beyond_its_bound_is_no_certain_number() -> None:
    """All rows predicted right, and then some: the interval still has the width of its noise."""
    counts = counted(scores_of(12_000, 4_000)) * np.stack([~BINS.is_high, BINS.is_high])
    counts[0, BINS.is_high], counts[1, ~BINS.is_high] = -3, -3
    accuracy = measured(counts, CASES[0][0])["accuracy"]
    assert accuracy.value == accuracy.high == 1
    assert 0.98 < accuracy.low < 0.998


def test_bins_begin_where_the_probability_passes_round_numbers() -> None:
    model = Logistic()
    assert list(BINS.begins) == sorted(set(BINS.begins))
    for begin, edge in BINS.known.items():
        below, at = model.chance(np.array([(begin - 1) / SCORE, begin / SCORE]))
        assert below <= edge <= at
    assert BINS.known[1] == 0.5  # the second value is predicted above a score of 0
    logits = np.array([BINS.begins[0], *BINS.begins]) / SCORE
    assert np.diff(logits[1:]).max() < 0.51
    assert np.diff(logits[(logits > -4.5) & (logits < 4.5)]).max() < 0.151
    assert ((BINS.chances > np.array([0, *BINS.edges])) & (BINS.chances < np.array([*BINS.edges, 1]))).all()
    assert (np.sum([among for _, among in BINS.shown()], axis=0) == 1).all()


@pytest.mark.parametrize("ends", [(-8, 8), (-1, 1), (0, 3), (-9, -7), (7, 9), (2, 2)])
def test_the_engine_and_numpy_find_the_same_bins(ends: tuple[int, int]) -> None:
    class Narrow(Logistic):
        score_range = (ends[0] * SCORE, ends[1] * SCORE)

    bins = ScoreBins.of(Narrow())
    near = [begin + by for begin in bins.begins for by in (-1, 0, 1)]
    asked = sorted({*near, bins.least, bins.most} & set(range(bins.least, bins.most + 1)))
    values = ", ".join(f"({score})" for score in asked)
    found = duckdb.sql(f"SELECT {bins.bin_sql('score')} FROM (VALUES {values}) AS t(score) ORDER BY score").fetchall()
    assert [place for (place,) in found] == np.searchsorted(bins.begins, asked, side="right").tolist()
    assert {0, bins.count - 1} <= {place for (place,) in found}


def test_a_model_of_one_score_has_one_bin() -> None:
    class Constant(Logistic):
        score_range = (SCORE, SCORE)

    bins = ScoreBins.of(Constant())
    assert (bins.count, bins.begins, list(bins.is_high)) == (1, (), [True])
    assert bins.chances[0] == pytest.approx(1 / (1 + np.exp(-1)))
