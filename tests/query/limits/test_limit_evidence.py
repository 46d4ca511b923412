"""Counts that exceed the noise: the false-alarm rate is kept, and people are found (R46)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.query.bounding import amount_histogram as evidence
from tacit.query.bounding.amount_histogram import FALSE_ALARM, Bins, Span, seen

DRAWS = 5_000
ALARMS = 8  # at most 1 expected; more than 8 have a probability below 2e-6 (Poisson)
BINS = Bins(2**20)


def noise(law: str, sd: float, seed: int) -> NDArray[np.float64]:
    generator = np.random.default_rng(seed)
    shape = (DRAWS, len(BINS))
    return generator.normal(0, sd, shape) if law == "normal" else generator.laplace(0, sd / np.sqrt(2), shape)


def alarms(law: str, draws: int = DRAWS) -> int:
    return sum(seen(counts, 25.0, laplace=law == "laplace") is not None for counts in noise(law, 25.0, 1)[:draws])


@pytest.mark.parametrize("law", ["normal", "laplace"])
def test_noise_alone_is_seldom_taken_for_people(law: str) -> None:
    """R46: at most FALSE_ALARM of empty histograms show anybody."""
    assert FALSE_ALARM * DRAWS == 1
    assert alarms(law) <= ALARMS


def test_laplace_noise_needs_its_own_thresholds() -> None:
    """R46: the broken twin, Gaussian thresholds on Laplace noise, is caught by the same count."""
    assert sum(seen(counts, 25.0) is not None for counts in noise("laplace", 25.0, 1)[:1_000]) > ALARMS


def test_lower_thresholds_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """R46: the broken twin, three standard deviations everywhere, is caught by the same count."""
    monkeypatch.setattr(evidence, "_thresholds", lambda size, laplace: np.full(size, 3.0))
    assert alarms("normal", 1_000) > ALARMS


def test_people_do_not_seem_to_reach_further_than_they_do() -> None:
    """R46: beyond 5,000 people up to bin 30 the same rate holds."""
    counts = np.zeros(len(BINS))
    counts[10:31] = 5_000
    spans = [seen(counts + drawn, 25.0) for drawn in noise("normal", 25.0, 2)]
    assert all(span is not None and span.first <= 10 and span.last >= 30 for span in spans)
    assert sum(span is not None and span.last > 30 for span in spans) <= ALARMS
    assert sum(span is not None and span.first < 10 for span in spans) <= ALARMS


@pytest.mark.parametrize("place", [0, 1, 20, 60, len(BINS) - 1])
def test_a_lone_crowd_is_found_where_it_is(place: int) -> None:
    """R46: 20 standard deviations in one bin are seen in that bin alone, wherever it is."""
    counts = np.zeros(len(BINS))
    counts[place] = 500.0
    assert seen(counts, 25.0) == Span(place, place)


def test_thin_people_over_many_bins_are_found() -> None:
    """R46: 1.5 standard deviations a bin over 16 bins pass together, though none does alone."""
    counts = np.zeros(len(BINS))
    counts[4:20] = 1.5 * 25
    assert seen(counts, 25.0) is not None
    assert seen(np.where(np.arange(len(BINS)) == 4, counts, 0.0), 25.0) is None


def test_without_noise_every_count_is_seen() -> None:
    """R46: a standard deviation of zero is taken at its word."""
    counts = np.zeros(len(BINS))
    counts[[3, 70]] = 1.0
    assert seen(counts, 0.0) == Span(3, 70)
    assert seen(np.zeros(len(BINS)), 0.0) is None
