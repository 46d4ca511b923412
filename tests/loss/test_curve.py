"""From δ(ε) to ε(δ) and the trade-off curve: right where closed forms exist, and never on the unsafe side."""

import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from tacit.loss.families.curve import epsilon_from_delta, float_down, float_up, tradeoff_from_delta
from tacit.noise.ball import Ball, ball, precision


def coin(epsilon: Fraction) -> Ball:
    """The curve of the 1-private coin: (e − e^ε)₊/(1+e)."""
    return (ball(1).exp() - ball(epsilon).exp()) / (1 + ball(1).exp()) if epsilon < 1 else arb(0)


def giveaway(epsilon: Fraction) -> Ball:
    """A curve that never falls below a tenth."""
    return ball(Fraction(1, 10)) + ball(-epsilon).exp() / 2


@pytest.mark.parametrize("delta", ["0", "1e-12", "1e-6", "0.1", "0.3", "0.46"])
def test_epsilon_inverts_the_curve(delta: str) -> None:
    target = Fraction(delta)
    found = epsilon_from_delta(coin, target, Fraction(1))
    assert found == pytest.approx(math.log(math.e - float(target) * (1 + math.e)), abs=1e-15)
    with precision(256):
        assert coin(Fraction(found)) <= ball(target)
    assert epsilon_from_delta(coin, target) == pytest.approx(found, abs=1e-15)


def test_epsilon_at_the_ends() -> None:
    assert epsilon_from_delta(coin, Fraction(1, 2), Fraction(1)) == 0.0
    assert epsilon_from_delta(giveaway, Fraction(1, 20)) == math.inf
    assert epsilon_from_delta(giveaway, Fraction(1, 20), Fraction(100)) == math.inf
    assert epsilon_from_delta(giveaway, Fraction(1, 5)) == pytest.approx(math.log(5), abs=1e-14)


@given(st.fractions(min_value=0, max_value=1))
def test_tradeoff_of_the_coin_is_its_two_lines(alpha: Fraction) -> None:
    truth = max(0.0, 1 - math.e * float(alpha), (1 - float(alpha)) / math.e)
    assert tradeoff_from_delta(coin, alpha) == pytest.approx(truth, abs=1e-15)


def test_every_epsilon_bounds_the_tradeoff_from_below() -> None:
    """What the search returns is at least what any ε on a grid gives: it missed no better one."""
    for alpha in (Fraction(1, 1000), Fraction(1, 5), Fraction(4, 5)):
        best = max(
            max(
                1 - (1 / 10 + math.exp(-e / 50) / 2) - math.exp(e / 50) * float(alpha),
                math.exp(-e / 50) * (1 - (1 / 10 + math.exp(-e / 50) / 2) - float(alpha)),
            )
            for e in range(1000)
        )
        found = tradeoff_from_delta(giveaway, alpha)
        assert best - 1e-15 <= found <= best + 1e-3 if best > 0 else found == 0.0


@given(st.fractions())
def test_floats_enclose_a_fraction_tightly(value: Fraction) -> None:
    low, high = float_down(value), float_up(value)
    assert Fraction(low) <= value <= Fraction(high)
    assert Fraction(repr(low)) <= value <= Fraction(repr(high))
    assert high - low <= 3 * math.ulp(high)
