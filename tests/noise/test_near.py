"""The filters' margins, held against Arb: everywhere a word or an exponent can fall, ends and seams included."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacit.noise.ball import ball, precision
from tacit.noise.near import EXP_MARGIN, LOG_MARGIN, PRODUCT_MARGIN, exp_near, log_near, product_near


def exp_is_near(factors: list[int], rate: Fraction) -> bool:
    products = product_near(np.array(factors, np.uint64), rate)
    powers = exp_near(products)
    with precision(200):
        return all(
            product == 64.0
            or (
                abs(ball(float(product)) - ball(k * rate)) <= PRODUCT_MARGIN
                and abs(ball(float(power)) / (-ball(k * rate)).exp() - 1) <= EXP_MARGIN
            )
            for k, product, power in zip(factors, products, powers, strict=True)
        )


def log_is_near(words: list[int], width: int) -> bool:
    logs = log_near(np.array(words, np.dtype(f"u{width // 8}")), width)
    with precision(200):
        return all(
            abs(ball(float(log)) + ball(Fraction(word + 1, 1 << width)).log()) <= LOG_MARGIN
            for word, log in zip(words, logs, strict=True)
        )


def test_exp_at_its_seams_and_ends() -> None:
    seams = [k + offset for k in range(0, 4097 * 2**40, 2**40) for offset in (-1, 0, 1) if k + offset >= 0]
    assert exp_is_near(seams, Fraction(1, 64 * 2**40))
    assert float(exp_near(np.array([0.0]))[0]) == 1.0


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20), st.fractions(0, 10**6))
def test_exp_of_any_product(factors: list[int], rate: Fraction) -> None:
    assert exp_is_near([factor % 2**k for factor in factors for k in (4, 10, 20, 64)], rate)
    assert exp_is_near(factors, rate / 2**62)


def test_a_huge_or_tiny_rate_is_no_trouble() -> None:
    assert list(product_near(np.array([0, 1], np.uint64), Fraction(10) ** 400)) == [0.0, 64.0]
    assert exp_is_near([0, 1, 2**63], Fraction(1, 10**400))


def test_log_at_its_seams_and_ends() -> None:
    seams = [(64 + cell) << shift for cell in range(65) for shift in range(58)]
    assert log_is_near([w + offset for w in seams for offset in (-2, -1, 0) if w + offset < 2**64], 64)
    assert log_is_near(list(range(256)), 8)
    assert log_is_near([0, 1, 2**64 - 1, 2**64 - 2**11, 2**53, 2**53 + 1], 64)


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=50))
def test_log_of_any_word(words: list[int]) -> None:
    assert log_is_near(words, 64)
    assert log_is_near([word >> 32 for word in words], 32)
