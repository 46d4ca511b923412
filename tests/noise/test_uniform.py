"""Uniform integers (R01): every 16-bit string, words at the limit; a remainder without rejection is caught."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.enumeration import OCTETS, broken_brackets
from tests.goodness import FALSE_ALARM, p_value

from tacit.errors import Refused
from tacit.noise.ball import ball, precision
from tacit.noise.bits import ENTROPY, Bits, Scripted, ScriptEnded, Seeded
from tacit.noise.uniform import UniformBelow


def uniform_law(n: int) -> dict[object, Fraction]:
    return {value: Fraction(1, n) for value in range(n)}


@pytest.mark.parametrize("n", [6, 255])
def test_every_sixteen_bit_string(n: int) -> None:
    def draw(bits: Bits) -> int:
        return int(UniformBelow(n).draw(1, bits)[0])

    assert not broken_brackets(draw, [OCTETS, OCTETS], uniform_law(n), Fraction(n - 1, 2**16))


@pytest.mark.parametrize("n", [1, 3, 100, 127])
def test_every_octet_of_a_python_integer(n: int) -> None:
    assert not broken_brackets(UniformBelow(n).draw_integer, [OCTETS], uniform_law(n), Fraction(n - 1, 2**8))


def test_the_bias_of_a_remainder_is_caught() -> None:
    def biased(bits: Bits) -> int:
        return int(bits.words(1, 16)[0] % 6)

    assert broken_brackets(biased, [OCTETS, OCTETS], uniform_law(6), Fraction(0))


@given(st.integers(257, 2**63), st.integers(-3, 2))
def test_the_last_word_accepted_ends_a_full_round(n: int, offset: int) -> None:
    width = 32 if n <= 2**24 else 64
    limit = 2**width // n * n
    word = limit + offset
    if not word < 2**width:
        return
    script = Scripted(word.to_bytes(width // 8, "little"))
    if offset >= 0:
        with pytest.raises(ScriptEnded):
            UniformBelow(n).draw(1, script)
    else:
        assert UniformBelow(n).draw(1, script)[0] == n + offset


def test_only_refused_words_are_drawn_anew() -> None:
    words = np.array([5, 2**16 - 1, 7, 2**16 - 1, 2], np.uint16)  # 2^16 mod 6 = 4: the last four words are refused
    assert UniformBelow(6).draw(3, Scripted(words.tobytes())).tolist() == [5, 2, 1]


@given(st.integers(1, 2**200))
def test_large_ranges(n: int) -> None:
    assert 0 <= UniformBelow(n).draw_integer(ENTROPY) < n
    drawn = UniformBelow(n).draw(4, ENTROPY)
    assert drawn.dtype == np.int64
    assert np.all((drawn >= 0) & (drawn < min(n, 2**63)))


def test_beyond_64_bits_a_draw_saturates() -> None:
    assert UniformBelow(2**200).draw(1, Scripted(b"\xff" * 26))[0] == 2**63 - 1


@given(st.integers(1, 60), st.fractions(Fraction(1, 100), Fraction(99, 100)))
def test_the_law_agrees_with_counting(n: int, share: Fraction) -> None:
    law = UniformBelow(n)
    assert law.quantile(share) == min(x for x in range(n) if Fraction(x + 1, n) >= share)
    with precision(128):
        for value in (-1, 0, n - 1, n):
            assert law.mass(value).contains(ball(Fraction(0 <= value < n, n)))
            assert law.tail(value).contains(ball(Fraction(sum(x >= value for x in range(n)), n)))


@pytest.mark.parametrize("wrong", [0, -1, True, 2.0, "3"])
def test_what_is_no_size_is_refused(wrong: object) -> None:
    with pytest.raises(Refused):
        UniformBelow(wrong)


def test_frequencies() -> None:
    """Chi-square at three word lengths; false-alarm rate FALSE_ALARM each."""
    for n in (7, 1000, 3 * 2**40):
        cells = np.bincount(UniformBelow(n).draw(100_000, Seeded(n % 97)) * 7 // n, minlength=7)
        shares = [len(range(-(-k * n // 7), -(-(k + 1) * n // 7))) / n for k in range(7)]
        assert p_value(cells, shares) > FALSE_ALARM
