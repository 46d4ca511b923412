"""Exact selection (R01, R03): every bit string of coarse boards and short races, forged ties, one law two ways."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

import mpmath
import numpy as np
import pytest
from evidence import FALSE_ALARM, OCTETS, broken_brackets, p_value
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.noise.ball import Ball, ball, precision
from tacit.noise.bits import Bits
from tacit.noise.choice import (
    Board,
    choice_law,
    choose,
    choose_many,
    noisy_max,
    noisy_max_law,
    permute_and_flip,
)
from tacit.noise.entropy import ENTROPY
from tacit.noise.rehearsal import Scripted, ScriptEnded, Seeded

COUNTS, EXPONENTS, RATE = np.array([2, 0, 3, 1]), np.array([4, 0, 5, 9]), Fraction(1, 2)


def as_law(masses: Callable[[], list[Ball]], size: int) -> dict[int, Callable[[], Ball]]:
    return {index: lambda index=index: masses()[index] for index in range(size)}


def test_every_dart_on_a_coarse_board() -> None:
    def draw(bits: Bits) -> int:
        return choose(COUNTS, EXPONENTS, RATE, bits, resolution=9)

    letters = [octet for octet in OCTETS if octet[0] < int(board(9).ends[-1])]
    law = as_law(lambda: choice_law(COUNTS, EXPONENTS, RATE), 4)
    assert not broken_brackets(draw, [letters, OCTETS[:1]], law, Fraction(1, 20))


def test_weights_rounded_to_the_board_are_caught() -> None:
    total = int(board(9).ends[-1])

    def rounded(bits: Bits) -> int:
        return int(np.searchsorted(board(9).ends, bits.words(1, 8)[0] % total, side="right"))

    law = as_law(lambda: choice_law(COUNTS, EXPONENTS, RATE), 4)
    assert broken_brackets(rounded, [[octet for octet in OCTETS if octet[0] < total]], law, Fraction(0))


def board(resolution: int) -> Board:
    return Board.of(COUNTS, EXPONENTS, RATE, resolution)


@given(
    st.lists(st.tuples(st.integers(0, 2**62), st.integers(0, 2**63 - 1)), min_size=1, max_size=12).filter(
        lambda pairs: any(count for count, _ in pairs)
    ),
    st.fractions(0, 3),
    st.integers(0, 62),
    st.integers(7, 61),
)
def test_a_target_lies_between_its_sure_part_and_its_cell(
    pairs: list[tuple[int, int]], rate: Fraction, smaller: int, resolution: int
) -> None:
    counts = np.array([count for count, _ in pairs])
    made = Board.of(counts, np.array([power >> smaller for _, power in pairs]), rate, resolution)
    assert made.ends[-1] <= 2 ** (resolution + 1) + 2 * counts.size
    with precision(256):
        for cell, width in enumerate(np.diff(made.ends, prepend=0)):
            assert int(made.sure[cell]) <= made.weight(cell) <= int(width)
            assert (counts[cell] > 0) == (width > 0)


def test_a_forged_dart_on_a_targets_edge_is_decided_by_the_bits_that_follow() -> None:
    made = board(61)
    with precision(400):
        edge = int((made.weight(2) * 2**64).floor().unique_fmpz())
    dart = (int(made.ends[1]) + (edge >> 64)).to_bytes(8, "little")
    after = edge & (2**64 - 1)
    with pytest.raises(ScriptEnded):
        choose(COUNTS, EXPONENTS, RATE, Scripted(dart + after.to_bytes(8, "big")))
    assert choose(COUNTS, EXPONENTS, RATE, Scripted(dart + (after - 1).to_bytes(8, "big"))) == 2
    with pytest.raises(ScriptEnded):
        choose(COUNTS, EXPONENTS, RATE, Scripted(dart + (after + 1).to_bytes(8, "big")))
    assert choose(COUNTS, EXPONENTS, RATE, Scripted(dart + (after + 1).to_bytes(8, "big") + bytes(8))) == 0


def test_choices_are_as_frequent_as_their_law() -> None:
    """Chi-square at a fine and a coarse resolution; false-alarm rate FALSE_ALARM each."""
    masses = [float(mass) for mass in choice_law(COUNTS, EXPONENTS, RATE)]
    for resolution in (6, 61):
        drawn = choose_many(COUNTS, EXPONENTS, RATE, 20_000, Seeded(resolution), resolution=resolution)
        counts = np.bincount(drawn, minlength=4)
        assert counts[1] == 0
        assert p_value(np.delete(counts, 1), np.delete(masses, 1)) > FALSE_ALARM


def test_extreme_candidates() -> None:
    assert choose(np.array([1]), np.array([2**63 - 1]), 10**9, ENTROPY) == 0
    assert choose(np.array([2**62, 1]), np.array([2**63 - 1, 0]), 10**9, ENTROPY) == 1
    assert choose(np.array([0, 5, 0]), np.array([0, 9, 3]), 0, ENTROPY) == 1
    assert noisy_max(np.array([-(2**63), 2**63 - 1]), 1, ENTROPY) == 1
    assert permute_and_flip(np.array([-(2**63), 2**63 - 1]), 1, ENTROPY) == 1
    assert noisy_max(np.zeros(1, int), 0, ENTROPY) == 0


def test_a_million_candidates() -> None:
    powers = np.arange(10**6)
    for chosen in (
        choose(np.ones(10**6, int), powers, "1/1000", ENTROPY),
        noisy_max(-powers, "1/1000", ENTROPY),
        permute_and_flip(-powers, "1/1000", ENTROPY),
    ):
        assert chosen < 60_000  # each fails with probability below e^-45


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


@pytest.mark.parametrize(
    ("counts", "exponents"),
    [([1], [1, 2]), ([-1, 2], [0, 0]), ([1], [-1]), ([0, 0], [1, 1]), ([0.5], [1]), ([[1]], [[1]]), ([], [])],
)
def test_what_cannot_be_chosen_from_is_refused_without_its_values(counts: list[int], exponents: list[int]) -> None:
    with pytest.raises(Refused):
        choose(np.array(counts), np.array(exponents), 1, ENTROPY)


def test_no_candidates_and_no_rate_are_refused() -> None:
    for select in (noisy_max, permute_and_flip):
        with pytest.raises(Refused):
            select(np.array([], int), 1, ENTROPY)
        for wrong in (-1, float("nan"), True, "x"):
            with pytest.raises(Refused):
                select(np.array([1, 2]), wrong, ENTROPY)
