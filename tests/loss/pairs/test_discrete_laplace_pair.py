"""The discrete Laplace pair against 50-digit sums over its masses, and the price of a hundred of them."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.loss.pairs.additive_noise import DiscreteLaplacePair, LaplacePair

CASES = [(Fraction(1, 10), 1), (Fraction(1, 10), 7), (Fraction(1), 1), (Fraction(2), 2), (Fraction(5, 7), 4)]


def masses(rate: Fraction, shift: int) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """(p, q) at every integer that still matters to 30 digits."""
    t = mpmath.exp(-mpmath.mpf(rate.numerator) / rate.denominator)
    scale = (1 - t) / (1 + t)
    reach = int(100 / rate) + 2 * shift
    return [(scale * t ** abs(x), scale * t ** abs(x - shift)) for x in range(-reach, reach + shift + 1)]


def number(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


@pytest.mark.parametrize(("rate", "shift"), CASES)
def test_delta_is_the_hockey_stick_sum_both_ways(rate: Fraction, shift: int) -> None:
    table, pair = masses(rate, shift), DiscreteLaplacePair(rate, shift)
    for share in (Fraction(0), Fraction(1, 7), Fraction(1, 2), Fraction(99, 100)):
        epsilon = rate * shift * share
        factor = mpmath.exp(number(epsilon))
        forth = sum(max(mpmath.mpf(0), p - factor * q) for p, q in table)
        back = sum(max(mpmath.mpf(0), q - factor * p) for p, q in table)
        low, high = pair.delta_between(epsilon)
        assert abs(forth - back) < mpmath.mpf(10) ** -30
        assert low - mpmath.mpf(10) ** -30 <= forth <= high + mpmath.mpf(10) ** -30
        assert high == pytest.approx(float(forth), rel=1e-12)


@pytest.mark.parametrize(("rate", "shift"), CASES)
@pytest.mark.parametrize("order", [Fraction(1001, 1000), Fraction(3, 2), Fraction(2), Fraction(10)])
def test_rdp_is_the_renyi_sum(rate: Fraction, shift: int, order: Fraction) -> None:
    a = number(order)
    truth = mpmath.log(sum(p**a * q ** (1 - a) for p, q in masses(rate, shift))) / (a - 1)
    found = DiscreteLaplacePair(rate, shift).rdp(order)
    assert found == pytest.approx(float(truth), rel=1e-12)
    assert mpmath.mpf(found) >= truth - mpmath.mpf(10) ** -25


@pytest.mark.parametrize(("rate", "shift"), CASES)
def test_tradeoff_is_exact_at_its_corners(rate: Fraction, shift: int) -> None:
    """Rejecting X ≥ k is a best test, so f(P(X ≥ k)) = Q(X < k)."""
    pair, table = DiscreteLaplacePair(rate, shift), masses(rate, shift)
    for cut in range(len(table) // 2 - shift - 2, len(table) // 2 + shift + 3):
        alarm = sum(p for p, _ in table[cut:])
        miss = sum(q for _, q in table[:cut])
        alpha = Fraction(int(alarm * 10**30), 10**30)
        assert pair.tradeoff(alpha) == pytest.approx(float(miss), abs=1e-14)


def test_pure_epsilon_is_reached_exactly() -> None:
    assert DiscreteLaplacePair(Fraction(1, 10), 3).epsilon(0) == math.nextafter(0.3, 1)  # the float 0.3 is below 3/10
    assert DiscreteLaplacePair(Fraction(1, 2), 3).epsilon(0) == 1.5
    assert DiscreteLaplacePair(Fraction(1, 2), 3).delta("1.5") == 0.0
    assert DiscreteLaplacePair(Fraction(1, 2), 3).group(2) == DiscreteLaplacePair(Fraction(1, 2), 6)


def test_total_variation_of_the_geometric_coin() -> None:
    """One step of rate ε: the two-sided geometric is as telling as the ε-private coin at ε′ = 0, no less."""
    pair = DiscreteLaplacePair(Fraction(1), 1)
    assert pair.delta(0) == pytest.approx((math.e - 1) / (math.e + 1), rel=1e-15)


@settings(deadline=None)
@given(st.sampled_from(CASES), st.integers(2, 3), st.fractions(min_value=0, max_value=1, max_denominator=200))
def test_a_group_is_its_chain_of_people(case: tuple[Fraction, int], people: int, alpha: Fraction) -> None:
    one = DiscreteLaplacePair(*case)
    power = alpha
    for _ in range(people):
        power = 1 - Fraction(one.tradeoff(power))
    assert one.group(people).tradeoff(alpha) == pytest.approx(float(1 - power), abs=1e-13)


def composed_epsilon(pair_masses: list[tuple[float, float]], copies: int, delta: float) -> float:
    """ε at δ of many copies, by convolving the loss on its own lattice {−r, r} (one step shifts: the loss is ±rate)."""
    up_mass = sum(p for p, q in pair_masses if p > q)
    law = np.array([1.0])
    for _ in range(copies):
        law = np.convolve(law, [1 - up_mass, up_mass])
    losses = (2 * np.arange(copies + 1) - copies) * 0.1
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        found = float(np.sum(law * np.clip(1 - np.exp(middle - losses), 0, None)))
        low, high = (low, middle) if found <= delta else (middle, high)
    return high


def test_a_hundred_geometric_releases_cost_more_than_a_hundred_laplace_ones() -> None:
    """At ε = 0.1 each and δ = 1e-6 the integer noise costs 4.775 in all; the continuous pair says 4.693."""
    table = [(float(p), float(q)) for p, q in masses(Fraction(1, 10), 1)]
    discrete = composed_epsilon(table, 100, 1e-6)
    assert discrete == pytest.approx(4.775, abs=2e-3)

    step = 1e-4  # the continuous loss, rounded to the nearest multiple: the errors of 100 roundings average out
    grid = np.arange(-0.1, 0.1 + step / 2, step)
    law = np.zeros(len(grid))
    law[0] += 0.5 * math.exp(-0.1)  # x ≥ 0.1
    law[-1] += 0.5  # x ≤ 0
    inner = np.diff(np.exp(-(0.1 - np.clip(np.append(grid - step / 2, 0.1 + step), -0.1, 0.1)) / 2)) * 0.5
    law += inner
    assert law.sum() == pytest.approx(1)
    size = 100 * (len(grid) - 1) + 1
    composed = np.fft.irfft(np.fft.rfft(law, 2 * size) ** 100, 2 * size)[:size]
    losses = -10 + step * np.arange(size)
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        found = float(np.sum(composed * np.clip(1 - np.exp(middle - losses), 0, None)))
        low, high = (low, middle) if found <= 1e-6 else (middle, high)
    assert high == pytest.approx(4.693, abs=2e-3)
    assert discrete > high + 0.05
    assert LaplacePair(Fraction(1, 10)).delta("0.05") < DiscreteLaplacePair(Fraction(1, 10), 1).delta("0.05")


@pytest.mark.parametrize(
    ("rate", "shift"), [(0, 1), (-1, 1), (float("nan"), 1), (True, 1), (1, 0), (1, 1.5), (1, True)]
)
def test_nonsense_is_refused(rate: object, shift: object) -> None:
    with pytest.raises(Refused):
        DiscreteLaplacePair(rate, shift)  # type: ignore[arg-type]  # the point is to pass what the types forbid
