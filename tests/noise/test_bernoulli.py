"""Exact coins (R01, R03): every 16-bit string, forged ties beyond it, and a coin of 16 bits only, which is caught."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.enumeration import OCTETS, broken_brackets
from tests.goodness import FALSE_ALARM, p_value

from tacit.errors import Refused
from tacit.noise.ball import Ball, ball, less, precision
from tacit.noise.bits import ENTROPY, Bits, Scripted, ScriptEnded, Seeded
from tacit.noise.uniform import Bernoulli, BernoulliExp, Coin, flip_exp


def exp_down(power: Fraction, width: int) -> int:
    """floor(e^−power·2^width)."""
    with precision(width + 128):
        return int(((-ball(power)).exp() * (1 << width)).floor().unique_fmpz())


def first_word(coin: Coin, word: int) -> int:
    return int(coin.draw(1, Scripted(word.to_bytes(2, "little")))[0])


@pytest.mark.parametrize("coin", [Bernoulli("1/3"), BernoulliExp("1/2")])
def test_every_sixteen_bit_string(coin: Coin) -> None:
    law = {0: lambda: coin.mass(0), 1: lambda: coin.mass(1)}
    assert not broken_brackets(lambda bits: int(coin.draw(1, bits)[0]), [OCTETS, OCTETS], law, Fraction(1, 2**16))


def test_a_coin_of_sixteen_bits_only_is_caught() -> None:
    def shallow(bits: Bits) -> int:
        return int(bits.words(1, 16)[0] < round(2**16 / 3))

    law = {0: Fraction(2, 3), 1: Fraction(1, 3)}
    assert broken_brackets(shallow, [OCTETS, OCTETS], law, Fraction(0)) == [0, 1]


@given(st.fractions(0, 1), st.integers(0, 2**16 - 1), st.integers(0, 2**64 - 1))
def test_each_word_decides_as_exact_arithmetic_does(p: Fraction, word: int, after: int) -> None:
    script = Scripted(word.to_bytes(2, "little") + after.to_bytes(8, "big"))
    real = (word << 64) + after
    if real < p * 2**80 < real + 1:
        with pytest.raises(ScriptEnded):
            Bernoulli(p).draw(1, script)
    else:
        assert Bernoulli(p).draw(1, script)[0] == (real + 1 <= p * 2**80)


@pytest.mark.parametrize(
    ("coin", "power"), [(Bernoulli("1/3"), None), (BernoulliExp("1/2"), Fraction(1, 2)), (BernoulliExp(7), Fraction(7))]
)
def test_a_forged_tie_is_decided_by_the_bits_that_follow(coin: Coin, power: Fraction | None) -> None:
    floor = 2 ** (16 + 64 * 2) // 3 if power is None else exp_down(power, 16 + 64 * 2)
    tie, middle, last = floor >> 128, floor >> 64 & (2**64 - 1), floor & (2**64 - 1)
    start = tie.to_bytes(2, "little")
    with pytest.raises(ScriptEnded):
        coin.draw(1, Scripted(start))
    for difference, one in ((-1, 1), (1, 0)):
        assert coin.draw(1, Scripted(start + (middle + difference).to_bytes(8, "big")))[0] == one
        deeper = start + middle.to_bytes(8, "big") + (last + difference).to_bytes(8, "big")
        assert coin.draw(1, Scripted(deeper))[0] == one


def test_a_dyadic_threshold_has_no_tie() -> None:
    assert [first_word(Bernoulli("1/2"), word) for word in (0, 2**15 - 1, 2**15, 2**16 - 1)] == [1, 1, 0, 0]


def test_sure_coins() -> None:
    for coin, face in ((Bernoulli(0), 0), (Bernoulli(1), 1), (BernoulliExp(0), 1)):
        assert all(first_word(coin, word) == face for word in (0, 1, 2**15, 2**16 - 1))


def test_a_power_of_a_thousand_million_is_lazy() -> None:
    coin = BernoulliExp(10**9)
    assert first_word(coin, 1) == 0
    script = Scripted(bytes(2 + 8 * 5) + bytes([1]) + bytes(7))
    assert coin.draw(1, script)[0] == 0
    assert script.taken == 2 + 8 * 6
    assert not coin.draw(10**6, ENTROPY).any()
    with precision(64):
        assert coin.mass(1) > 0


def test_a_tiny_power_is_almost_sure_but_not_sure() -> None:
    coin = BernoulliExp(Fraction(1, 10**400))
    with precision(2000):
        assert coin.mass(0) > 0
    assert coin.draw(1, Scripted(b"\xff" * 10 + b"\x00" * 8))[0] == 1
    assert coin.draw(1, Scripted(b"\xff" * 1000))[0] == 0


def test_the_law() -> None:
    third = Bernoulli("1/3")
    with precision(128):
        assert [third.tail(k).contains(ball(v)) for k, v in ((0, 1), (1, Fraction(1, 3)), (2, 0))] == [True] * 3
        assert third.mass(5) == 0
    assert [third.quantile(q) for q in ("1/2", "2/3", "0.667", "0.99")] == [0, 0, 1, 1]
    assert BernoulliExp(1).quantile("0.6") == 0
    assert BernoulliExp(1).quantile("0.64") == 1


@pytest.mark.parametrize("wrong", [float("nan"), -0.1, 1.1, True, "x", None])
def test_what_is_no_probability_is_refused(wrong: object) -> None:
    with pytest.raises(Refused):
        Bernoulli(wrong)
    with pytest.raises(Refused):
        BernoulliExp(-1 if wrong == 1.1 else wrong)


def joint(rate: Fraction, powers: tuple[int, ...]) -> dict[tuple[bool, ...], object]:
    def mass(faces: tuple[bool, ...]) -> Ball:
        value = ball(1)
        for face, power in zip(faces, powers, strict=True):
            one = (-ball(rate * power)).exp()
            value *= one if face else 1 - one
        return value

    return {(a, b): lambda a=a, b=b: mass((a, b)) for a in (False, True) for b in (False, True)}


@pytest.mark.parametrize("power", [0, 1, 3, 60])
def test_every_octet_of_an_exponential_coin(power: int) -> None:
    def draw(bits: Bits) -> bool:
        return bool(flip_exp(np.array([power]), "1/3", bits, width=8)[0])

    law = {face: lambda face=face: BernoulliExp(Fraction(power, 3)).mass(int(face)) for face in (False, True)}
    assert not broken_brackets(draw, [OCTETS], law, Fraction(1, 256))


@pytest.mark.long
def test_every_string_of_two_independent_exponential_coins() -> None:
    powers, rate = (2, 5), Fraction(1, 3)

    def draw(bits: Bits) -> tuple[bool, ...]:
        return tuple(bool(face) for face in flip_exp(np.array(powers), rate, bits, width=8))

    assert not broken_brackets(draw, [OCTETS, OCTETS], joint(rate, powers), Fraction(2, 256))


def test_one_word_broadcast_to_two_coins_is_caught() -> None:
    def draw(bits: Bits) -> tuple[bool, ...]:
        face = bool(flip_exp(np.array([2]), Fraction(1, 3), bits, width=8)[0])
        return face, face

    assert broken_brackets(draw, [OCTETS], joint(Fraction(1, 3), (2, 2)), Fraction(1, 256))


@given(st.integers(0, 2**63 - 1), st.fractions(0, 10), st.integers(0, 2**64 - 1))
def test_the_filter_never_contradicts_exact_arithmetic(power: int, rate: Fraction, word: int) -> None:
    scaled = rate / 2**60
    script = Scripted(word.to_bytes(8, "little") + bytes(8 * 40))
    truth = less(lambda: ball(Fraction(word, 2**64)), lambda: (-ball(scaled * power)).exp())
    assert flip_exp(np.array([power]), scaled, script)[0] == truth


@pytest.mark.parametrize(("power", "rate"), [(1, Fraction(1, 10**9)), (3, Fraction(1, 7)), (40, Fraction(1))])
def test_forged_ties_of_exponential_coins(power: int, rate: Fraction) -> None:
    floor = exp_down(power * rate, 128)
    word, after = floor >> 64, floor & (2**64 - 1)
    start = word.to_bytes(8, "little")
    with pytest.raises(ScriptEnded):
        flip_exp(np.array([power]), rate, Scripted(start))
    assert flip_exp(np.array([power]), rate, Scripted(start + (after - 1).to_bytes(8, "big")))[0]
    assert not flip_exp(np.array([power]), rate, Scripted(start + (after + 1).to_bytes(8, "big")))[0]


def test_coins_far_beyond_the_filter() -> None:
    powers = np.array([0, 2**62, 2**63 - 1])
    assert flip_exp(powers, 10**6, ENTROPY).tolist() == [True, False, False]
    assert flip_exp(powers, 10**100, ENTROPY).tolist() == [True, False, False]
    assert flip_exp(powers, 0, ENTROPY).all()


def test_frequencies() -> None:
    """Chi-square over 300,000 coins of each kind; false-alarm rate FALSE_ALARM each."""
    size = 300_000
    for coin, p in ((Bernoulli("1/7"), 1 / 7), (BernoulliExp("3/2"), np.exp(-1.5))):
        ones = int(coin.draw(size, Seeded(1)).sum())
        assert p_value([size - ones, ones], [1 - p, p]) > FALSE_ALARM
    for power in (1, 4):
        ones = int(flip_exp(np.full(size, power), "1/2", Seeded(power)).sum())
        assert p_value([size - ones, ones], [1 - np.exp(-power / 2), np.exp(-power / 2)]) > FALSE_ALARM
