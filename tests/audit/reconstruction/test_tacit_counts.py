"""Reconstruction through a Tacit data set: the joint budget of all answers prevents it."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from tests.audit.reconstruction.differencing import difference

from tacit.audit.reconstruction.counting_queries import Counts, Subsets, laplace_noise
from tacit.audit.reconstruction.linear_reconstruction import reconstruct
from tacit.audit.reconstruction.tacit_counts import TacitCounts, even_price, open_people
from tacit.errors import Refused


def bits(people: int, seed: int = 6) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, people).astype(bool)


def test_the_adapter_asks_for_what_it_says(tmp_path: Path) -> None:
    """At an enormous ε the counts are all but exact, for listed and for hashed groups, and the attack works."""
    secrets = bits(16)
    with open_people(secrets, tmp_path, epsilon=100_000, delta=None) as data:
        for subsets in (Subsets.random(16, 40, 1), Subsets.hashed(16, 40, 1)):
            found = reconstruct(TacitCounts(data, 200), secrets, subsets)  # half of what is left
            assert (found.recovered, found.answered) == (1, 40)
        assert data.budget().left >= 0


def test_one_budget_for_all_answers_defeats_the_attack(tmp_path: Path) -> None:
    """Bits are seen through noise of sd about 1/√(2ρ) = 4.6: each is right with probability 0.543; of 64
    people at most 51 are then right, but for one run in 100,000."""
    secrets = bits(64)
    with open_people(secrets, tmp_path) as data:
        found = reconstruct(
            TacitCounts(data, 128), secrets, Subsets.hashed(64, 128, 2), answers="answers, ε = 1 in all"
        )
        assert found.recovered <= 0.8
        assert found.answered == 128
        assert data.budget().left < 0.01
        assert "With 128 answers, ε = 1 in all:" in found.describe()


def test_the_ledger_ends_the_conversation(tmp_path: Path) -> None:
    """At ε = 0.1 each, ten of sixty questions are answered under a pure budget of 1."""
    secrets = bits(16)
    with open_people(secrets, tmp_path, delta=None) as data:
        found = reconstruct(TacitCounts(data, 60, each="0.1", together=1), secrets, Subsets.hashed(16, 60, 3))
        assert (found.asked, found.answered) == (60, 10)
        assert "(50 refused)" in found.describe()
        with pytest.raises(Refused):
            TacitCounts(data, 1, each="0.1")._ask(["TRUE"])


def test_asking_again_gives_the_same_answer(tmp_path: Path) -> None:
    """The averaging of differences gets no fresh noise: the budget pays for two questions and no more are charged."""
    secrets = bits(16)
    with open_people(secrets, tmp_path, delta=None) as data:
        counts = TacitCounts(data, 2, each="0.5", together=1)
        once, often = difference(counts, secrets, [3]), difference(counts, secrets, [3], rounds=20)
        assert once.differences == often.differences
        assert data.budget().left == 0


def test_a_question_that_is_refused_outright_is_no_failed_attack(tmp_path: Path) -> None:
    with open_people(bits(8), tmp_path) as data, pytest.raises(Refused):
        TacitCounts(data, 1, each=-1)(np.ones(8, dtype=bool))


@pytest.mark.parametrize("delta", [None, "1e-6"])
def test_an_even_price_uses_the_budget_up(tmp_path: Path, delta: str | None) -> None:
    with open_people(bits(8), tmp_path, delta=delta) as data:
        price = even_price(data, 7)
        share = data.explain("SELECT COUNT(*) FROM people", epsilon=price).price_words.share
        assert 0.99 / 7 < share <= 1 / 7


@pytest.mark.long
def test_the_target_through_the_door(tmp_path: Path) -> None:
    """512 people: 99% by 8n counts with noise of a quarter √n, at most 60% by 2n counts with ε = 1 in all.

    More counts at one budget have more noise each, and recover no more.
    """
    secrets, subsets = bits(512), Subsets.hashed(512, 8 * 512, 4)
    open_counts = reconstruct(Counts(secrets, laplace_noise(0.25 * sqrt(512), 1)), secrets, subsets)
    assert open_counts.recovered >= 0.99
    few = Subsets.hashed(512, 2 * 512, 4)
    with open_people(secrets, tmp_path) as data:
        guarded = reconstruct(TacitCounts(data, len(few)), secrets, few)
    assert guarded.answered == len(few)
    assert guarded.recovered <= 0.6
