"""Bounds that the lecture notes misprint, each counterexample beside the form that holds; and those true as printed."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import mpmath
import pytest

from tacit.loss import (
    Approx,
    Gdp,
    LaplacePair,
    Pure,
    Relation,
    binary_response,
    gaussian_variance,
    kary_response,
    parallel,
    warner_response,
)
from tacit.noise.ball import Ball, ball, down, precision, up


def composed_delta(epsilon: Fraction, k: int, target: float) -> tuple[float, float]:
    """The exact δ at `target` of k ε-private coins (Kairouz–Oh–Viswanath), as a certified bracket."""
    with precision(256):
        e, t = ball(epsilon), ball(target)
        total = ball(0)
        for tails in range(k + 1):
            gain = (e * (k - tails)).exp() - (t + e * tails).exp()
            total += math.comb(k, tails) * (gain if gain > 0 else ball(0))
        value: Ball = total / (1 + e.exp()) ** k
    return down(value), up(value)


def drift(epsilon: float, k: int) -> float:
    return k * epsilon * math.expm1(epsilon) / (math.exp(epsilon) + 1)


def true_bounds(epsilon: float, k: int, slack: float) -> list[float]:
    """The published closed forms, the minimum of which is the theorem."""
    return [
        k * epsilon,
        drift(epsilon, k) + epsilon * math.sqrt(2 * k * math.log(1 / slack)),
        drift(epsilon, k) + epsilon * math.sqrt(2 * k * math.log(math.e + math.sqrt(k * epsilon**2) / slack)),
    ]


@pytest.mark.parametrize(
    ("epsilon", "k", "slack"), [("0.1", 100, 1e-6), ("0.1", 100, 1e-10), ("1", 100, 1e-6), ("0.5", 7, 1e-3)]
)
def test_the_true_composition_bounds_hold(epsilon: str, k: int, slack: float) -> None:
    for bound in true_bounds(float(epsilon), k, slack):
        assert composed_delta(Fraction(epsilon), k, bound)[1] <= slack


def test_the_exact_composition_is_that_of_enumerated_coins() -> None:
    """The oracle of this file, itself enumerated: three coins, eight outcomes."""
    e = math.exp(0.7)
    coin = [(e / (1 + e), 1 / (1 + e)), (1 / (1 + e), e / (1 + e))]
    for target in (0.0, 0.5, 1.3, 2.0):
        truth = math.fsum(
            max(0.0, math.prod(p for p, _ in way) - math.exp(target) * math.prod(q for _, q in way))
            for way in product(coin, repeat=3)
        )
        low, high = composed_delta(Fraction("0.7"), 3, target)
        assert low - 1e-15 <= truth <= high + 1e-15


def test_note_001_theorem_1_is_false() -> None:
    epsilon, k, slack = 0.1, 100, 1e-6
    printed = k * epsilon**2 + math.sqrt(k * epsilon**2 * math.log(math.e + 1 / slack))
    assert printed == pytest.approx(4.717, abs=1e-3)
    low, high = composed_delta(Fraction("0.1"), k, printed)
    assert low > slack
    assert high == pytest.approx(1.42e-6, rel=0.01)


def test_note_001_theorem_2_is_false() -> None:
    epsilon, k, slack = 0.1, 100, 1e-10
    printed = k * epsilon**2 + math.sqrt(2 * k * epsilon**2 * math.log(math.e + math.sqrt(k * epsilon / slack)))
    assert printed == pytest.approx(6.033, abs=1e-3)
    low, high = composed_delta(Fraction("0.1"), k, printed)
    assert low > slack
    assert high == pytest.approx(5.5e-10, rel=0.02)


def test_note_001_composition_slide_is_false() -> None:
    epsilon, k, slack = 0.1, 100, 1e-6
    printed = k * epsilon**2 + epsilon * math.sqrt(k * math.log(1 / slack))
    low, high = composed_delta(Fraction("0.1"), k, printed)
    assert low > slack
    assert high == pytest.approx(1.42e-6, rel=0.01)


def test_note_002_advanced_composition_is_false() -> None:
    printed = 1 * math.sqrt(2 * 100 * math.log(1e6))
    assert printed == pytest.approx(52.6, abs=0.05)
    low, high = composed_delta(Fraction(1), 100, printed)
    assert low > 1e-6
    assert high == pytest.approx(0.207, abs=1e-3)
    corrected = printed + 100 * 1 * math.expm1(1)
    assert composed_delta(Fraction(1), 100, corrected)[1] <= 1e-6


def test_note_002_section_4_steps_are_false() -> None:
    printed = 1 * math.sqrt(100 * math.log(1e6))
    low, high = composed_delta(Fraction(1), 100, printed)
    assert low > 0.8
    assert high == pytest.approx(0.82, abs=0.01)


def classical_variance(epsilon: Fraction, delta: float) -> Fraction:
    return Fraction(2 * math.log(1.25 / delta)) / epsilon**2


def test_note_003_gaussian_for_all_epsilon_is_false() -> None:
    for small in ("0.01", "0.3", "1", "8.41"):
        assert Gdp(1 / classical_variance(Fraction(small), 1e-5)).delta(small) <= 1e-5
    low, _ = Gdp(1 / classical_variance(Fraction("8.43"), 1e-5)).delta_between("8.43")
    assert low > 1e-5
    assert Gdp(1 / classical_variance(Fraction(20), 1e-5)).delta(20) == pytest.approx(1.5e-3, rel=0.05)
    assert Gdp(1 / gaussian_variance(Approx(20, "1e-5"))).delta(20) <= 1e-5


def test_note_000_loss_tail_is_sufficient_and_not_necessary() -> None:
    """L ~ N(μ²/2, μ²) with μ = 1: δ(1) = 0.127 although P(|L| ≥ 1) = 0.375; and P(L ≥ ε) ≥ δ(ε) always."""
    tail = float(mpmath.ncdf(-0.5) + mpmath.ncdf(-1.5))
    assert tail == pytest.approx(0.375, abs=1e-3)
    assert Gdp(1).delta(1) == pytest.approx(0.127, abs=1e-3)
    for epsilon in (0, 0.5, 1, 3, 6):
        assert Gdp(1).delta(epsilon) <= float(mpmath.ncdf(0.5 - epsilon))


def test_note_002_the_largest_ratio_is_e_to_the_epsilon() -> None:
    """ε^ε is below 1 at ε = 1/2, and no largest ratio of two laws can be."""
    epsilon = 0.5
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    assert truth / (1 - truth) == pytest.approx(math.exp(epsilon))
    assert epsilon**epsilon < 1 < math.exp(binary_response("0.5").epsilon(0))


def test_note_002_markov_divides_by_t_once() -> None:
    """X = 2 for certain, t = 2: P(X ≥ t) = 1, E[X]/t² = 1/2, E[X]/t = 1."""
    mean, t = Fraction(2), Fraction(2)
    assert not mean / t**2 >= 1
    assert mean / t >= 1


@pytest.mark.parametrize("scale", [0.5, 2.0, 3.0])
def test_note_003_laplace_density(scale: float) -> None:
    printed = 2 * mpmath.quad(lambda y: mpmath.exp(-scale * y) / (2 * scale), [0, mpmath.inf])
    right = 2 * mpmath.quad(lambda y: mpmath.exp(-y / scale) / (2 * scale), [0, mpmath.inf])
    assert float(printed) == pytest.approx(1 / scale**2)
    assert float(right) == pytest.approx(1)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(3)])
def test_note_003_histogram_scale(epsilon: Fraction) -> None:
    """Under replace the frequencies move by 2/n in ℓ₁: b = 2/(nε²) costs ε², b = 2/(nε) costs ε."""
    n, sensitivity = 50, Fraction(2, 50)
    assert LaplacePair(sensitivity / (Fraction(2, n) / epsilon**2)).pure_epsilon == epsilon**2
    assert LaplacePair(sensitivity / (Fraction(2, n) / epsilon)).pure_epsilon == epsilon


def test_note_003_kary_response_probabilities() -> None:
    for epsilon, options in ((0.5, 3), (5.0, 10)):
        e = math.exp(epsilon)
        keep, truth = (e - 1) / (options - 1 + e), e / (e + options - 1)
        assert keep + (1 - keep) / options == pytest.approx(truth)
        assert truth / ((1 - keep) / options) == pytest.approx(e)
        assert kary_response(epsilon, options).epsilon(0) == pytest.approx(epsilon)
    assert 0.36 * math.exp(5) / (math.exp(5) + 9) > 5 / (10 + 5)


@pytest.mark.parametrize("dimension", [1, 4, 100])
def test_note_003_gaussian_utility(dimension: int) -> None:
    """P(max > t) = 1−(1−2Φ(−t/σ))^d ≤ 2dΦ(−t/σ); and a shift of 1 in every coordinate counts √d, not d."""
    for t in (0.5, 2.0, 4.0):
        one = 2 * float(mpmath.ncdf(-t))
        assert 1 - (1 - one) ** dimension <= dimension * one + 1e-15
    in_each_coordinate = [Gdp(Fraction(1, 9))] * dimension  # ℓ₂ sensitivity 1 in each, σ = 3
    assert sum(part.mu_squared for part in in_each_coordinate) == Fraction(dimension, 9)
    assert Gdp.from_mu(Fraction(dimension, 3)).delta(1) >= Gdp(Fraction(dimension, 9)).delta(1)


def test_note_003_table_cells_are_disjoint() -> None:
    cell = Approx("0.5", "1e-6")
    assert parallel([cell] * 4, Relation.ADD_REMOVE) == cell
    assert parallel([cell] * 2, Relation.REPLACE) == Approx(1, "2e-6")


def test_note_003_the_average_needs_a_public_n() -> None:
    n, most = 4, 3
    worlds = list(product(range(most + 1), repeat=n))
    change = max(abs(Fraction(sum(w) - sum((*w[:-1], new)), n)) for w in worlds for new in range(most + 1))
    assert change == Fraction(most, n)
    here, there = Fraction(most, n), Fraction(most, n + 1)  # scales M/n at ε = 1, were n taken from the data
    log_ratio = [y * (1 / there - 1 / here) for y in (1, 10, 100, 1000)]
    assert log_ratio[-1] > 300  # at y far out the two worlds' noise alone tells them apart: ε = ∞


def test_note_003_the_poll_is_most_private_in_the_middle() -> None:
    assert warner_response("0.5").epsilon(0) == 0.0
    ordered = [warner_response(phi).epsilon(0) for phi in ("0.5", "0.6", "0.8", "0.99", "1")]
    assert ordered == sorted(ordered)
    assert ordered[-1] == math.inf == warner_response(0).epsilon(0)
    assert warner_response("0.2").epsilon(0) == pytest.approx(math.log(4))
    assert warner_response("0.8").epsilon(0) == pytest.approx(math.log(4))


@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "4", "30"])
@pytest.mark.parametrize("delta", ["1e-12", "1e-5", "0.1", "0.5"])
@pytest.mark.parametrize("queries", [1, 10])
def test_note_000_corollary_is_true(epsilon: str, delta: str, queries: int) -> None:
    """k Gaussian queries with σ² = k ln(1/δ)/ε² + k/ε are (2ε, δ)-private; (√2·ε, δ) even."""
    e, log = Fraction(epsilon), Fraction(math.log(1 / float(delta)))
    variance = queries * log / e**2 + queries / e
    root = Fraction(math.isqrt(2 * 10**40), 10**20)
    assert Gdp(queries / variance).delta(2 * e) <= Fraction(delta)
    assert Gdp(queries / variance).delta(root * e) <= Fraction(delta)


@pytest.mark.parametrize("dimension", [1, 2, 10, 1000])
def test_note_004_largest_laplace_noise_is_true(dimension: int) -> None:
    """|Laplace| is exponential: E max = b·H_d ≤ b(1 + ln d), and P(max > b(ln d + t)) = 1−(1−e^−t/d)^d ≤ e^−t."""
    assert sum(1 / j for j in range(1, dimension + 1)) <= 1 + math.log(dimension) + 1e-12
    for t in (0.0, 0.5, 3.0, 10.0):
        assert 1 - (1 - math.exp(-t) / dimension) ** dimension <= math.exp(-t) + 1e-15


@pytest.mark.parametrize("people", [2, 5, 20])
def test_group_bound_of_the_notes_is_true_and_loose(people: int) -> None:
    tight = Approx("0.2", "1e-9").group(people)
    assert float(tight.exact_delta) == pytest.approx(1e-9 * math.expm1(people * 0.2) / math.expm1(0.2))
    assert float(tight.exact_delta) < people * math.exp(people * 0.2) * 1e-9
    assert tight.exact_epsilon == people * Pure("0.2").exact_epsilon
