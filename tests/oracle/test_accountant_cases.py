"""The table of compositions whose true ε is known: the bracket contains it, and is no wider than asked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tacit.loss import Approx, Gdp, LaplacePair, Loss, binary_response
from tacit.loss.accountant import account
from tacit.loss.sampling.subsampled import poisson

Parts = list[tuple[Loss, int]]


def sampled(rate: object, sigma: str, times: int) -> Parts:
    return [(poisson(Gdp(1 / Fraction(sigma) ** 2), rate), times)]  # type: ignore[arg-type]  # a Number


def mixed() -> Parts:
    """200 Gaussian and 200 Laplace releases, σ and b from 20 to 99.6, and 50 responses, ε from 0.02 to 0.118."""
    scales = [20 + Fraction(2 * i, 5) for i in range(200)]
    gaussian: Parts = [(Gdp(1 / scale**2), 1) for scale in scales]
    laplace: Parts = [(LaplacePair(1 / scale), 1) for scale in scales]
    responses: Parts = [(binary_response(Fraction(20 + 2 * i, 1000)), 1) for i in range(50)]
    return gaussian + laplace + responses


CASES: dict[str, tuple[Parts, str, float, float]] = {  # name → parts, δ, and two numbers that embrace the true ε
    "A1": (sampled("0.01", "1", 1_000), "1e-5", 1.82823, 1.82824),
    "A2": (sampled("0.01", "1", 100_000), "1e-5", 25.5730, 25.5732),
    "A3": (sampled("256/60000", "1.1", 14_100), "1e-5", 2.38507, 2.38515),
    "A4": (sampled("0.001", "0.6", 100_000), "1e-7", 7.78140, 7.78167),
    "B": ([(Gdp(Fraction(1, 400)), 1_000)], "1e-6", 8.3062250495, 8.3062250505),
    "C": ([(LaplacePair(Fraction(1, 10)), 500)], "1e-6", 12.2703680825, 12.2703680835),
    "D": (mixed(), "1e-6", 3.1714621765, 3.1714621775),
    "E1": ([(Approx("0.1", "0.001"), 30)], "0.035", 1.1570071675, 1.1570071685),
    "F": ([(Gdp(Fraction(1, 10**6)), 10**6)], "1e-6", 4.8865541165, 4.8865541175),
}


@pytest.mark.parametrize("name", CASES)
def test_the_bracket_contains_the_truth(name: str) -> None:
    parts, delta, low, high = CASES[name]
    found = account(parts).epsilon(delta)
    assert found.lower <= high
    assert found.upper >= low
    assert found.gap <= 1e-3
    assert found.lower >= low - 1e-3  # no end is farther off than the gap
    assert found.upper <= high + 1e-3


@pytest.mark.parametrize("name", ["A1", "A3", "C"])
def test_a_narrow_bracket_still_contains_it(name: str) -> None:
    parts, delta, low, high = CASES[name]
    found = account(parts).epsilon(delta, gap="5e-5")
    assert found.lower <= high
    assert found.upper >= low
    assert found.gap <= 5e-5


@pytest.mark.parametrize(("name", "epsilon"), [("A1", "1.828235"), ("C", "12.270368083"), ("D", "3.171462177")])
def test_the_other_question(name: str, epsilon: str) -> None:
    """δ at the true ε contains the δ that the case was asked for."""
    parts, delta, *_ = CASES[name]
    found = account(parts).delta(epsilon)
    assert found.lower * (1 - 1e-4) <= float(delta) <= found.upper * (1 + 1e-4)  # the ε is known to about 1e-5
    assert found.upper <= found.lower * 1.01


def test_integer_noise_is_not_its_continuous_relative() -> None:
    """100 geometric releases at ε = 0.1 cost 4.775 at δ = 1e-6; real Laplace noise would cost 4.693."""
    from tacit.loss import DiscreteLaplacePair

    integers = account([(DiscreteLaplacePair(Fraction(1, 10), 1), 100)]).epsilon("1e-6")
    reals = account([(LaplacePair(Fraction(1, 10)), 100)]).epsilon("1e-6")
    assert integers.lower <= 4.7755
    assert integers.upper >= 4.7745
    assert reals.lower <= 4.6935
    assert reals.upper >= 4.6925


@pytest.mark.parametrize("delta", ["1e-30", "1e-100"])
def test_a_tiny_delta(delta: str) -> None:
    """A sampled Gaussian at rate 1 is the Gaussian: its closed form holds the numeric bracket, at any δ."""
    from tacit.loss.accountant.numeric import Numeric
    from tacit.loss.distributions.continuous import GaussianStep

    found = Numeric(((GaussianStep(0.05), 1000),)).epsilon(float(delta), 1e-3)
    assert found.contains(Gdp(Fraction(1000, 400)).epsilon(delta))
    assert found.gap <= 1e-3
