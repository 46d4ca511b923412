"""Real noise rounded exactly (R01, R02): every string of short uniforms brackets each mass; ties are forged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.enumeration import OCTETS, broken_brackets
from tests.goodness import FALSE_ALARM, p_value

from tacit.errors import Refused
from tacit.noise.ball import Ball, ball, precision
from tacit.noise.bits import ENTROPY, Bits, Scripted, ScriptEnded, Seeded
from tacit.noise.real_noise import (
    CAUCHY,
    EXPONENTIAL,
    ExponentialLaw,
    RealNoise,
    direction_noise,
    euclidean_laplace_noise,
    gamma_noise,
    normal_noise,
    normals,
    round_exactly,
)

HALF = Fraction(1, 2)


def exponential_below(x: Ball) -> Ball:
    return 1 - (-x).exp() if x > 0 else ball(0)


def cauchy_below(x: Ball) -> Ball:
    return ball(HALF) + x.atan() / Ball.pi()


def gamma_2_below(x: Ball) -> Ball:
    return 1 - (1 + x) * (-x).exp() if x > 0 else ball(0)


def normal_below(x: Ball) -> Ball:
    return (-x / ball(2).sqrt()).erfc() / 2


def rounded(below: Callable[[Ball], Ball], scale: Fraction, answer: Fraction, value: int) -> Callable[[], Ball]:
    def at(edge: Fraction) -> Ball:
        return below(ball((edge - answer) / scale))

    return lambda: at(value + HALF) - at(value - HALF)


@pytest.mark.parametrize(
    ("noise", "width", "below", "scale", "answer", "undecided"),
    [
        (EXPONENTIAL, 16, exponential_below, Fraction(3), Fraction(1, 3), Fraction(1, 1000)),
        (CAUCHY, 16, cauchy_below, Fraction(2), Fraction(-1, 7), Fraction(1, 50)),
        (gamma_noise(2), 8, gamma_2_below, Fraction(1), Fraction(0), Fraction(3, 50)),
        (RealNoise(2, lambda u: normals(u)[:1]), 8, normal_below, Fraction(1), Fraction(1, 5), Fraction(1, 20)),
    ],
    ids=["exponential", "cauchy", "gamma", "normal"],
)
def test_every_bit_string(
    noise: RealNoise,
    width: int,
    below: Callable[[Ball], Ball],
    scale: Fraction,
    answer: Fraction,
    undecided: Fraction,
) -> None:
    most = 300

    def draw(bits: Bits) -> int:
        return max(-most, min(most, noise.add([answer], scale, bits, width=width)[0]))

    law = {value: rounded(below, scale, answer, value) for value in range(1 - most, most)}
    law[-most] = lambda: below(ball((HALF - most - answer) / scale))
    law[most] = lambda: 1 - below(ball((most - HALF - answer) / scale))
    assert not broken_brackets(draw, [OCTETS, OCTETS], law, undecided)


def test_noise_rounded_before_the_sum_is_caught() -> None:
    def hasty(bits: Bits) -> int:
        return round(Fraction(1, 3)) + EXPONENTIAL.add([0], 3, bits, width=8)[0]

    law = {value: rounded(exponential_below, Fraction(3), Fraction(1, 3), value) for value in range(100)}
    assert broken_brackets(hasty, [OCTETS], law, Fraction(1, 10))


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_a_forged_tie_is_decided_by_the_bits_that_follow(depth: int) -> None:
    def thrice(uniforms: Sequence[Ball]) -> list[Ball]:
        return [3 * uniforms[0]]

    length = 128 + 64 * depth
    tie = (1 << length) // 6  # 3·(1/6) = ½
    at = tie.to_bytes(length // 8, "big")
    with pytest.raises(ScriptEnded):
        round_exactly(thrice, 1, Scripted(at))
    after = ((1 << (length + 64)) // 6) & (2**64 - 1)
    assert round_exactly(thrice, 1, Scripted(at + (after - 2).to_bytes(8, "big"))) == [0]
    assert round_exactly(thrice, 1, Scripted(at + (after + 2).to_bytes(8, "big"))) == [1]


def test_exact_values_round_half_up_without_bits() -> None:
    values = [Fraction(-3, 2), Fraction(-1, 2), Fraction(1, 2), Fraction(3, 2), Fraction(5)]
    assert round_exactly(lambda _: [ball(value) for value in values], 0, Scripted(b"")) == [-1, 0, 1, 2, 5]


def test_values_beyond_64_bits_are_kept() -> None:
    assert EXPONENTIAL.add([0], 10**40, Seeded(1))[0] > 2**63
    assert EXPONENTIAL.add([-(10**50)], 1, Seeded(1))[0] < -(2**63)


def test_the_end_of_the_unit_interval_is_refined_not_guessed() -> None:
    ones = b"\xff" * 16
    with pytest.raises(ScriptEnded):
        EXPONENTIAL.add([0], 1, Scripted(ones))
    assert EXPONENTIAL.add([0], 1, Scripted(ones + bytes(8))) == [89]  # 128·ln 2 = 88.7


def test_a_scale_may_be_irrational() -> None:
    exact_scale = EXPONENTIAL.add([0], lambda: (-ball(1)).exp() * 10**20, Seeded(2))
    assert abs(exact_scale[0] - EXPONENTIAL.add([0], Fraction(np.exp(-1.0)) * 10**20, Seeded(2))[0]) < 10**6


@given(st.integers(1, 9), st.integers(0, 2**32))
def test_a_direction_has_length_one(dimension: int, seed: int) -> None:
    scale = 10**12
    vector = direction_noise(dimension).add([0] * dimension, scale, Seeded(seed))
    assert abs(sum(Fraction(part, scale) ** 2 for part in vector) - 1) < Fraction(1, 10**10)


def test_on_the_line_a_direction_is_a_fair_sign() -> None:
    def draw(bits: Bits) -> int:
        return direction_noise(1).add([0], 1, bits, width=8)[0]

    assert not broken_brackets(draw, [OCTETS, OCTETS[:1]], {-1: HALF, 1: HALF}, Fraction(1, 100))
    assert direction_noise(1).add([0], HALF, Seeded(1))[0] in (0, 1)


def test_a_direction_in_space_is_uniform() -> None:
    """In three dimensions each coordinate is uniform (Archimedes); false-alarm rate FALSE_ALARM together."""
    bits, cells = Seeded(7), np.zeros((3, 8), int)
    for _ in range(4000):
        for axis, value in enumerate(direction_noise(3).add([0] * 3, 10**9, bits)):
            cells[axis, min(7, int((value + 10**9) * 8 // (2 * 10**9)))] += 1
    assert all(p_value(row, [1 / 8] * 8) > FALSE_ALARM / 3 for row in cells)


def test_normals_are_independent_and_normal() -> None:
    """Kolmogorov–Smirnov on coordinates, sums and products of signs; false-alarm rate FALSE_ALARM together."""
    bits = Seeded(8)
    drawn = np.array([normal_noise(3).add([0] * 3, 10**6, bits) for _ in range(4000)], float) / 1e6
    tests = [*drawn.T, (drawn[:, 0] + drawn[:, 1]) / np.sqrt(2), drawn.sum(axis=1) / np.sqrt(3)]
    assert all(stats.kstest(values, "norm").pvalue > FALSE_ALARM / 6 for values in tests)
    agree = int((drawn[:, 0] * drawn[:, 1] > 0).sum())
    assert p_value([agree, 4000 - agree], [0.5, 0.5]) > FALSE_ALARM / 6


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_the_euclidean_laplace_radius_is_gamma(dimension: int) -> None:
    """Kolmogorov–Smirnov on the radius; false-alarm rate FALSE_ALARM. On the line the noise is Laplace's."""
    bits = Seeded(dimension)
    noise = euclidean_laplace_noise(dimension)
    drawn = np.array([noise.add([0] * dimension, 10**6, bits) for _ in range(3000)], float) / 1e6
    assert stats.kstest(np.linalg.norm(drawn, axis=1), stats.gamma(dimension).cdf).pvalue > FALSE_ALARM
    if dimension == 1:
        assert stats.kstest(drawn[:, 0], "laplace").pvalue > FALSE_ALARM


def test_a_thousand_dimensions_at_once() -> None:
    answers = [Fraction(k, 7) for k in range(1000)]
    released = euclidean_laplace_noise(1000).add(answers, 2**40, ENTROPY)
    radius = np.linalg.norm([value - float(answer) for value, answer in zip(released, answers, strict=True)]) / 2**40
    assert stats.gamma(1000).sf(radius) > 1e-9
    assert stats.gamma(1000).cdf(radius) > 1e-9


@given(st.fractions(Fraction(1, 1000), Fraction(999, 1000)), st.fractions(Fraction(1, 100), 100))
def test_the_exponential_quantile_inverts_its_tail(share: Fraction, mean: Fraction) -> None:
    law = ExponentialLaw(mean)
    with precision(128):
        assert law.tail(0) == 1
        assert law.tail(-3) == 1
        assert (1 - (-law.quantile(share) / ball(mean)).exp()).contains(ball(share))


def test_what_has_no_shape_is_refused() -> None:
    for build in (gamma_noise, normal_noise, direction_noise, euclidean_laplace_noise):
        for wrong in (0, -1, True, 1.5):
            with pytest.raises(Refused):
                build(wrong)
    with pytest.raises(Refused):
        ExponentialLaw(0)
