"""The teaching examples keep the claims they teach: exactly by enumeration where that is possible."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from tests.audit.teaching.biased_query import ask_biased
from tests.audit.teaching.published_row import PublishedRow, least_error
from tests.audit.teaching.random_half import RandomHalf
from tests.audit.teaching.sampled_region import sample_region

from tacit.errors import Refused
from tacit.loss.families.approx import Approx, Pure
from tacit.noise.bits import Seeded


@pytest.mark.parametrize("people", [1, 2, 10, 1000])
def test_a_row_is_published_at_zero_epsilon(people: int) -> None:
    """Exactly (0, 1/2n): at no smaller δ, whatever ε is."""
    loss, told = PublishedRow(people).loss, Fraction(1, 2 * people)
    assert loss.satisfies(0, told)
    assert not loss.satisfies(0, told * Fraction(999_999, 10**6))
    assert not loss.satisfies(20, told * Fraction(999_999, 10**6))


def test_rows_come_out_as_they_are() -> None:
    """4,000 runs on ten people: half publish (±4.5 deviations of 32), everybody about alike, always the truth."""
    rows, bits = [f"row {place}" for place in range(10)], Seeded(1)
    seen = [PublishedRow(10).release(rows, bits) for _ in range(4000)]
    told = [each for each in seen if each is not None]
    assert abs(len(told) - 2000) < 145
    assert all(rows[who] == row for who, row in told)
    assert min(Counter(who for who, _ in told).values()) > 130
    assert "in every second run one of 10 people's rows" in PublishedRow(10).describe()


def test_below_that_delta_nothing_useful_comes_out() -> None:
    """The chain is tight for the publisher: all zeros and all ones differ by exactly n·1/2n = ½."""
    assert least_error(10, Fraction(1, 40)) == Fraction(3, 8)
    assert least_error(10, 1) == 0
    people = 4
    laws = []
    for bit in (0, 1):
        law: dict[object, Fraction] = {None: Fraction(1, 2)}
        law.update({(who, bit): Fraction(1, 2 * people) for who in range(people)})
        laws.append(law)
    apart = sum(abs(laws[0].get(o, 0) - laws[1].get(o, 0)) for o in laws[0].keys() | laws[1].keys()) / 2
    assert apart == people * Fraction(1, 2 * people)


@pytest.mark.parametrize("people", [2, 4, 6, 8])
def test_the_law_of_a_random_half_by_enumeration(people: int) -> None:
    """It depends on the number of ones alone: nobody's bit can be read from it."""
    mechanism = RandomHalf(people)
    for data in product((0, 1), repeat=people):
        counts = Counter(sum(chosen) for chosen in combinations(data, people // 2))
        total = math.comb(people, people // 2)
        assert mechanism.law(sum(data)) == {count: Fraction(times, total) for count, times in counts.items()}


@pytest.mark.parametrize("people", [2, 6, 20])
def test_a_random_half_is_private_for_no_delta_below_one_half(people: int) -> None:
    mechanism = RandomHalf(people)
    for epsilon in (0, 1, 10, 100):
        assert not mechanism.loss().satisfies(epsilon, Fraction(499_999, 10**6))
    for ones in range(people):
        assert mechanism.loss(ones).satisfies(0, Fraction(1, 2))


def test_a_random_half_is_useful() -> None:
    """The exact deviation of the mean is below 1/√n, and draws follow the law."""
    for people in (10, 100, 1000):
        for ones in (0, people // 3, people // 2):
            mechanism = RandomHalf(people)
            law = mechanism.law(ones)
            mean = sum(count * chance for count, chance in law.items())
            variance = sum((count - mean) ** 2 * chance for count, chance in law.items()) / mechanism.half**2
            assert mean == Fraction(ones, 2)
            assert mechanism.deviation(ones) == pytest.approx(math.sqrt(variance))
            assert variance < Fraction(1, people)
    bits = Seeded(3)
    drawn = [RandomHalf(10).release([1] * 4 + [0] * 6, bits) for _ in range(2000)]
    assert np.mean(drawn) == pytest.approx(0.4, abs=5 * RandomHalf(10).deviation(4) / math.sqrt(2000))
    with pytest.raises(Refused, match="no whole number"):
        RandomHalf(7)


@pytest.mark.parametrize("people", [400, 40_000])
def test_a_biased_query_has_an_error_of_constant_order(people: int) -> None:
    """Flips with probability ¼: off by ⅛ of everybody at any n; a random half, and the correction, by O(1/√n)."""
    truth = np.arange(people) % 2
    found = ask_biased(truth, Seeded(2), "1/4", seed=1)
    slack = 5 / math.sqrt(people)
    assert found.on_zeros == pytest.approx(1 / 8, abs=slack / 4)
    assert abs(found.on_random) < slack
    assert abs(found.corrected(~found.truth)) < 5 * found.flip_deviation
    assert found.describe().startswith("Reports flipped with probability 0.25. A random half: off by 0.0")


def test_against_all_zeros_the_theorem_says_nothing() -> None:
    found = ask_biased(np.zeros(10_000), Seeded(4))
    assert found.bits_bound == pytest.approx(10_000, abs=5 * 4 * math.sqrt(10_000 * 3 / 16))


def laplace_scores(scale: float, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    return 1 + generator.laplace(0, scale, count), generator.laplace(0, scale, count)


def test_a_sampled_region_fills_the_claimed_one_and_does_not_leave_it(tmp_path: Path) -> None:
    """Laplace noise at ε = 1 touches its region's corner; 40 claims kept, at a false-alarm rate of 10⁻³ each."""
    for seed in range(40):
        assert not sample_region(Pure(1), *laplace_scores(1.0, 2000, seed)).is_refuted
    found = sample_region(Pure(1), *laplace_scores(1.0, 100_000, 1))
    nearest = min(math.e * a + m for a, m in zip(found.alarms, found.misses, strict=True))
    assert nearest == pytest.approx(1, abs=0.02)
    file = tmp_path / "region.png"
    found.draw(file)
    assert file.read_bytes().startswith(b"\x89PNG")
    assert found.describe().startswith("All tests tried lie within")


def test_a_false_claim_leaves_its_region(tmp_path: Path) -> None:
    found = sample_region(Pure(1), *laplace_scores(0.7, 100_000, 2))
    assert found.is_refuted
    assert "Refuted with 0.999 confidence: a test has false alarms" in found.describe()
    found.draw(tmp_path / "region.png")
    assert not sample_region(Approx(1, "0.1"), *laplace_scores(0.9, 5_000, 2)).is_refuted
