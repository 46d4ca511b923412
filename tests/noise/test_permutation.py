"""Random order (R01): all strings over small alphabets, where ties abound; a tie broken by place is caught."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.enumeration import OCTETS, broken_brackets, outcomes
from tests.goodness import FALSE_ALARM, p_value

from tacit.errors import Refused
from tacit.noise.bits import ENTROPY, Bits, Scripted, Seeded
from tacit.noise.uniform import permutation, sample_without_replacement


def short(n: int) -> Callable[[Bits], tuple[int, ...]]:
    return lambda bits: tuple(permutation(n, bits, width=8).tolist())


def by_place(n: int) -> Callable[[Bits], tuple[int, ...]]:
    return lambda bits: tuple(np.argsort(bits.words(n, 8), kind="stable").tolist())


def uniform_law(n: int) -> dict[tuple[int, ...], Fraction]:
    orders = list(permutations(range(n)))
    return {order: Fraction(1, len(orders)) for order in orders}


def test_every_string_of_two_octets() -> None:
    assert not broken_brackets(short(2), [OCTETS, OCTETS], uniform_law(2), Fraction(1, 256))


@pytest.mark.parametrize(("n", "letters"), [(2, 3), (3, 5), (4, 4)])
def test_every_order_has_equally_many_strings_over_any_alphabet(n: int, letters: int) -> None:
    decided, _, _ = outcomes(short(n), [OCTETS[:letters]] * n)
    assert set(decided) == set(permutations(range(n)))
    assert len(set(decided.values())) == 1


def test_all_words_are_drawn_anew_after_a_tie() -> None:
    decided, undecided, total = outcomes(short(2), [OCTETS[:3]] * 4)
    assert decided[0, 1] == decided[1, 0]
    assert Fraction(undecided, total) == Fraction(1, 9)


def test_a_tie_broken_by_place_is_caught() -> None:
    assert broken_brackets(by_place(2), [OCTETS, OCTETS], uniform_law(2), Fraction(0))
    decided, _, _ = outcomes(by_place(3), [OCTETS[:5]] * 3)
    assert len(set(decided.values())) > 1


def test_a_forged_tie_of_64_bit_words_draws_all_anew() -> None:
    words = np.array([9, 4, 9, 3, 2, 1], np.uint64)
    assert permutation(3, Scripted(words.tobytes())).tolist() == [2, 1, 0]


def test_more_numbers_than_words_are_refused() -> None:
    with pytest.raises(Refused):
        permutation(257, ENTROPY, width=8)


@given(st.integers(0, 300))
def test_it_is_a_permutation(n: int) -> None:
    assert sorted(permutation(n, ENTROPY).tolist()) == list(range(n))


def test_orders_are_equally_frequent() -> None:
    """Chi-square over the 24 orders of four; false-alarm rate FALSE_ALARM."""
    bits, law = Seeded(3), list(permutations(range(4)))
    counts = dict.fromkeys(law, 0)
    for _ in range(12_000):
        counts[tuple(permutation(4, bits).tolist())] += 1
    assert p_value(list(counts.values()), [1 / 24] * 24) > FALSE_ALARM


def test_the_strings_of_a_sample_of_one() -> None:
    def draw(bits: Bits) -> int:
        return int(sample_without_replacement(5, 1, bits)[0])

    law = {value: Fraction(1, 5) for value in range(5)}
    assert not broken_brackets(draw, [OCTETS, OCTETS[250:]], law, Fraction(1, 6 * 256))


def test_every_ordered_pair_has_equally_many_strings() -> None:
    letters = [int(word).to_bytes(2, "little") for word in range(9)]

    def draw(bits: Bits) -> tuple[int, ...]:
        return tuple(sample_without_replacement(9, 2, bits).tolist())

    decided, undecided, total = outcomes(draw, [letters] * 4)
    assert set(decided) == set(permutations(range(9), 2))
    assert len(set(decided.values())) == 1
    assert Fraction(undecided, total) == Fraction(1, 9**3)


@given(st.integers(0, 2**63), st.integers(0, 200))
def test_a_sample_has_no_repetition(n: int, m: int) -> None:
    wanted = min(n, m)
    drawn = sample_without_replacement(n, wanted, ENTROPY)
    assert drawn.size == np.unique(drawn).size == wanted
    assert np.all((drawn >= 0) & (drawn < n))


def test_crowded_samples_keep_the_order_uniform() -> None:
    """Chi-square of the last of 12 drawn from 49, where repetitions are common; false-alarm rate FALSE_ALARM."""
    bits = Seeded(5)
    last = [int(sample_without_replacement(49, 12, bits)[-1]) for _ in range(8000)]
    assert p_value(np.bincount(last, minlength=49), [1 / 49] * 49) > FALSE_ALARM


@pytest.mark.parametrize(("n", "m"), [(3, 4), (2**63 + 1, 2), (-1, 0), (5, -1)])
def test_an_impossible_sample_is_refused(n: int, m: int) -> None:
    with pytest.raises(Refused):
        sample_without_replacement(n, m, ENTROPY)
