"""Exact choice (R01, R03): every dart on coarse boards, forged edges, a fit to the law."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.enumeration import OCTETS, broken_brackets
from tests.goodness import FALSE_ALARM, p_value

from tacit.errors import Refused
from tacit.noise.ball import Ball, precision
from tacit.noise.bits import ENTROPY, Bits, Scripted, ScriptEnded, Seeded
from tacit.noise.selection_draws import Board, choice_law, choose, choose_many, noisy_max, permute_and_flip

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


@pytest.mark.parametrize(
    ("counts", "exponents"),
    [([1], [1, 2]), ([-1, 2], [0, 0]), ([1], [-1]), ([0, 0], [1, 1]), ([0.5], [1]), ([[1]], [[1]]), ([], [])],
)
def test_what_cannot_be_chosen_from_is_refused_without_its_values(counts: list[int], exponents: list[int]) -> None:
    with pytest.raises(Refused):
        choose(np.array(counts), np.array(exponents), 1, ENTROPY)
