"""Permute-and-flip: noisy max's law and claims, by another algorithm."""

from __future__ import annotations

import numpy as np
import pytest
from tests.divergence import violations
from tests.goodness import FALSE_ALARM, p_value
from tests.mechanisms.selection.selections import law_pairs

from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.selection.candidates import NoisyMax, PermuteAndFlip
from tacit.noise.bits import Seeded

ADD = Relation.ADD_REMOVE


@pytest.mark.parametrize("monotonic", [False, True])
def test_no_pair_of_neighbours_costs_more_than_the_loss(monotonic: bool) -> None:
    mechanism = PermuteAndFlip(3, 1, ADD, 1, None, monotonic)
    assert mechanism.loss == Pure(1)
    assert violations(mechanism.loss, law_pairs(mechanism)) == []


def test_draws_follow_noisy_maxs_law() -> None:
    """Chi-square, 6,000 draws; false-alarm rate FALSE_ALARM."""
    mechanism, scores, bits = PermuteAndFlip(4, 2, ADD, "1.5"), np.array([3, 0, 5, 4]), Seeded(3)
    drawn = np.bincount([mechanism.rehearse(scores, bits).value for _ in range(6000)], minlength=4)
    law = NoisyMax(4, 2, ADD, "1.5").probabilities(scores)
    assert p_value(drawn, [float(mass) for mass in law]) > FALSE_ALARM


def test_without_the_permutation_the_first_candidate_is_favoured_beyond_the_law() -> None:
    """The twin that visits candidates in their given order is caught by the same chi-square."""
    mechanism, scores, bits = PermuteAndFlip(4, 2, ADD, "1.5"), np.array([3, 0, 5, 4]), Seeded(4)
    coins = [float(mass) for mass in np.exp(-float(mechanism.rate) * (scores.max() - scores))]
    throws = bits.words(24_000).reshape(6000, 4) * 2.0**-64 < coins
    drawn = np.bincount(throws.argmax(axis=1), minlength=4)
    assert p_value(drawn, [float(mass) for mass in mechanism.probabilities(scores)]) < FALSE_ALARM


def test_error_and_words_are_noisy_maxs() -> None:
    mechanism = PermuteAndFlip(("a", "b"), 1, ADD, 1)
    assert mechanism.error() == NoisyMax(("a", "b"), 1, ADD, 1).error() == 4
    assert "its score is within 4 of the best" in str(mechanism.release([0, 100]))
