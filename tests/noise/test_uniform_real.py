"""A uniform real that is learnt bit by bit: comparisons agree with exact arithmetic, ties wait for more bits."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.noise.ball import ball, precision
from tacit.noise.bits import Scripted, ScriptEnded
from tacit.noise.uniform import UniformReal


def words(*values: int) -> Scripted:
    return Scripted(b"".join(value.to_bytes(8, "big") for value in values))


@given(st.integers(0, 2**64 - 1), st.fractions(0, 1))
def test_one_word_decides_exactly_when_it_can(word: int, threshold: Fraction) -> None:
    low, high = Fraction(word, 2**64), Fraction(word + 1, 2**64)
    if low < threshold < high:
        with pytest.raises(ScriptEnded):
            UniformReal(words(word)).is_below(lambda: ball(threshold))
    else:
        assert UniformReal(words(word)).is_below(lambda: ball(threshold)) == (high <= threshold)


@pytest.mark.parametrize("ties", [1, 2, 5])
def test_a_forged_tie_is_decided_by_the_bits_that_follow(ties: int) -> None:
    third = Fraction(1, 3)
    prefix = [int(third * 2 ** (64 * (k + 1))) % 2**64 for k in range(ties)]
    after = int(third * 2 ** (64 * (ties + 1))) % 2**64
    assert UniformReal(words(*prefix, after - 1)).is_below(lambda: ball(third))
    assert not UniformReal(words(*prefix, after + 1)).is_below(lambda: ball(third))
    with pytest.raises(ScriptEnded):
        UniformReal(words(*prefix, after)).is_below(lambda: ball(third))


def test_bits_already_seen_stay() -> None:
    bits = words(2**63, 7, 9)
    uniform = UniformReal(bits)
    balls = []
    for _ in range(3):
        with precision(400):
            balls.append(uniform.ball())
        if uniform.width < 192:
            uniform.refine()
    with precision(400):
        assert balls[0].contains(balls[1])
        assert balls[1].contains(balls[2])
        assert balls[2].contains(ball(Fraction(2**191 + 7 * 2**64 + 9, 2**192)))


def test_a_threshold_of_one_is_above_and_of_zero_below_every_real() -> None:
    assert UniformReal(words(2**64 - 1)).is_below(lambda: ball(1))
    assert not UniformReal(words(0)).is_below(lambda: ball(0))
