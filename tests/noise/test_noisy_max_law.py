"""Exact noisy maximum (R01, R03): every bit string of short races, forged dead heats, one law two ways."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.enumeration import OCTETS, broken_brackets
from tests.goodness import FALSE_ALARM, p_value

from tacit.errors import Refused
from tacit.noise.ball import Ball, ball, precision
from tacit.noise.bits import ENTROPY, Bits, Scripted, ScriptEnded, Seeded
from tacit.noise.selection_draws import noisy_max, noisy_max_law, permute_and_flip


def as_law(masses: Callable[[], list[Ball]], size: int) -> dict[int, Callable[[], Ball]]:
    return {index: lambda index=index: masses()[index] for index in range(size)}


@pytest.mark.parametrize("rival", [0, 1, 100, 255])
def test_every_string_against_a_rival_whose_first_octet_is_known(rival: int) -> None:
    """Given V in [b, b+1)/256, a racer with lag ℓ beats −ln V iff U < V·e^−ℓ: with probability e^−ℓ·(b + ½)/256."""

    def draw(bits: Bits) -> int:
        return noisy_max(np.array([3, 5]), "1/3", bits, width=8)

    def wins() -> Ball:
        return (-ball(Fraction(2, 3))).exp() * ball(Fraction(2 * rival + 1, 512))

    law = {0: wins, 1: lambda: 1 - wins()}
    assert not broken_brackets(draw, [OCTETS, [OCTETS[rival]]], law, Fraction(3, 256))


@pytest.mark.long
def test_every_string_of_a_race_of_two() -> None:
    scores = np.array([3, 5])

    def draw(bits: Bits) -> int:
        return noisy_max(scores, "1/3", bits, width=8)

    law = as_law(lambda: noisy_max_law(scores, "1/3"), 2)
    assert not broken_brackets(draw, [OCTETS, OCTETS], law, Fraction(1, 100))


def test_a_race_with_ties_to_the_first_is_caught() -> None:
    def hasty(bits: Bits) -> int:
        return int(np.argmin(bits.words(2, 8)))

    assert broken_brackets(hasty, [OCTETS, OCTETS], {0: Fraction(1, 2), 1: Fraction(1, 2)}, Fraction(0))


def test_a_forged_dead_heat_is_decided_by_the_bits_that_follow() -> None:
    heat = b"\x05" * 16
    scores = np.array([1, 1])  # the smaller uniform has the larger noise
    with pytest.raises(ScriptEnded):
        noisy_max(scores, 1, Scripted(heat))
    assert noisy_max(scores, 1, Scripted(heat + bytes(8) + b"\x01" * 8)) == 0
    assert noisy_max(scores, 1, Scripted(heat + b"\x01" * 8 + bytes(8))) == 1
    again = heat + b"\x07" * 16
    with pytest.raises(ScriptEnded):
        noisy_max(scores, 1, Scripted(again))
    assert noisy_max(scores, 1, Scripted(again + bytes(8) + b"\x01" * 8)) == 0


def test_a_word_of_zeros_may_beat_any_lag() -> None:
    """A uniform with 1,088 leading zeros is a noise of 754, which overcomes a lag of 700 but none of 800."""
    scores = np.array([0, 700])
    start = bytes(8) + b"\x80" + bytes(7)
    follow = (bytes(8) + b"\x80" * 8) * 16 + b"\x80" * 16
    assert noisy_max(scores, 1, Scripted(start + follow)) == 0
    assert noisy_max(np.array([0, 800]), 1, Scripted(start + follow)) == 1


def test_every_string_of_two_candidates_permuted_and_flipped() -> None:
    """Two orders, equally likely (the permutation's own test); the best's coin is sure; all octets for the other's."""

    def loser_wins(bits: Bits) -> bool:
        return permute_and_flip(np.array([3, 5]), "1/3", bits, width=8) == 0

    with precision(128):
        power = (-ball(Fraction(2, 3))).exp()
    law = {True: lambda: power, False: lambda: 1 - power}
    first = [[OCTETS[0]], [OCTETS[1]], OCTETS, [OCTETS[0]]]
    assert not broken_brackets(loser_wins, first, law, Fraction(1, 256))
    last = [[OCTETS[1]], [OCTETS[0]], [OCTETS[0]], OCTETS]
    assert not broken_brackets(loser_wins, last, {False: Fraction(1)}, Fraction(1, 256))


@settings(max_examples=25)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=5), st.fractions(0, 2))
def test_noisy_max_and_permute_and_flip_have_one_law(scores: list[int], rate: Fraction) -> None:
    """Permute-and-flip's law, summed over every order, is the closed form of noisy max."""
    with precision(256):
        coins = [(-ball(rate * (max(scores) - score))).exp() for score in scores]
        flipped = [ball(0) for _ in scores]
        orders = list(permutations(range(len(scores))))
        for order in orders:
            left = ball(1)
            for candidate in order:
                flipped[candidate] += left * coins[candidate] / len(orders)
                left *= 1 - coins[candidate]
        raced = noisy_max_law(np.array(scores), rate)
        assert all(abs(a - b) < 1e-60 for a, b in zip(flipped, raced, strict=True))
        assert abs(sum(raced) - 1) < 1e-60


def test_the_closed_form_agrees_with_quadrature() -> None:
    scores, rate = [4, 3, 1, 0], mpmath.mpf(2) / 3
    with mpmath.workdps(30):
        for index, mass in enumerate(noisy_max_law(np.array(scores), Fraction(2, 3))):

            def density(x: mpmath.mpf, index: int = index) -> mpmath.mpf:
                noise = x - scores[index] * rate
                others = [x - score * rate for j, score in enumerate(scores) if j != index]
                return mpmath.exp(-noise) * mpmath.fprod(1 - mpmath.exp(-other) for other in others)

            area = mpmath.quad(density, [4 * rate, 10, 30, 100])
            assert abs(float(mass) - area) < 1e-12


@pytest.mark.parametrize("select", [noisy_max, permute_and_flip])
def test_selections_are_as_frequent_as_their_law(select: Callable[..., int]) -> None:
    """Chi-square over 8,000 selections from five; false-alarm rate FALSE_ALARM each."""
    scores, bits = np.array([5, 2, 5, 0, 4]), Seeded(11)
    drawn = np.bincount([select(scores, "1/3", bits) for _ in range(8000)], minlength=5)
    assert p_value(drawn, [float(mass) for mass in noisy_max_law(scores, "1/3")]) > FALSE_ALARM


def test_no_candidates_and_no_rate_are_refused() -> None:
    for select in (noisy_max, permute_and_flip):
        with pytest.raises(Refused):
            select(np.array([], int), 1, ENTROPY)
        for wrong in (-1, float("nan"), True, "x"):
            with pytest.raises(Refused):
                select(np.array([1, 2]), wrong, ENTROPY)
