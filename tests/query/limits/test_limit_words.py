"""The profile in words: nothing finer than the noise allows (R23)."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.query.bounding.amount_histogram import Bins
from tacit.query.bounding.profile import _roundest, profile_words


def counts_of(bins: Bins, amounts: list[int]) -> np.ndarray:
    return np.bincount(bins.index(np.array(amounts)), minlength=len(bins)).astype(np.float64)


def test_shares_are_said_as_far_as_the_noise_allows() -> None:
    """R23: 10,000 people, one per cent of them with many rows."""
    bins = Bins(10_000)
    counts = counts_of(bins, [5] * 6_000 + [14] * 3_850 + [120] * 150)
    assert profile_words(bins, counts, 1.0) == (
        "Half of the people have at most about 5 rows, 1 in 10 more than about 14, 1 in 100 more than about 120."
    )
    assert profile_words(bins, counts, 20.0, "euros") == (
        "Half of the people have at most about 5 euros, 1 in 10 more than about 14."
    )


def test_nothing_is_said_of_noise() -> None:
    """R23: an empty histogram, and one with too few people for its noise, say so."""
    bins = Bins(10_000)
    nobody = "Too few people to say how many rows they have: nothing stands out of the noise."
    assert profile_words(bins, np.random.default_rng(1).normal(0, 25, len(bins)), 25.0) == nobody
    assert profile_words(bins, np.zeros(len(bins)), 0.0) == nobody
    assert profile_words(bins, counts_of(bins, [5] * 130), 60.0) == nobody


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0, 0, "0"),
        (5, 5, "5"),
        (56, 63, "60"),
        (112, 127, "120"),
        (8, 9, "8"),
        (896, 1023, "1,000"),
        (81_920, 98_303, "90,000"),
    ],
)
def test_amounts_are_the_roundest_in_their_bin(low: int, high: int, said: str) -> None:
    """R23: no digits that the bin does not have."""
    assert _roundest(low, high) == f"about {said}"


def test_every_bin_has_a_round_number_inside() -> None:
    """R23: what is said always lies in the bin."""
    bins = Bins(2**62)
    for low, high in zip(bins.edges().tolist(), bins.tops().tolist(), strict=True):
        assert low <= int(_roundest(low, high).removeprefix("about ").replace(",", "")) <= high
