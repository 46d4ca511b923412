"""The certified sums contain 50-digit sums, at every size and in every regime of their evaluation."""

from fractions import Fraction

import mpmath
import pytest
from flint import arb

from tacit.noise import discrete_gaussian_sums
from tacit.noise.ball import precision
from tacit.noise.discrete_gaussian_sums import tail, total

NARROW = [Fraction(1, 50), Fraction(1, 7), Fraction(1, 6), Fraction(1, 2), Fraction(1), Fraction(31, 7), Fraction(400)]


def added_up(variance: Fraction, start: Fraction) -> mpmath.mpf:
    """Σ_{j≥0} e^(−(start+j)²/2σ²), until nothing is left to add at 50 digits."""
    result, j = mpmath.mpf(0), 0
    while True:
        at = mpmath.mpf((start + j).numerator) / (start + j).denominator
        term = mpmath.exp(-at * at * variance.denominator / (2 * variance.numerator))
        result += term
        if term < result * mpmath.mpf(10) ** -55:
            return result
        j += 1


def contains(found: arb, truth: mpmath.mpf, digits: int) -> bool:
    """Whether the ball holds the truth, as far as the truth's own 50 digits go, and is this narrow."""
    error = abs(mpmath.mpf(truth)) * mpmath.mpf(10) ** -47
    reference = arb(mpmath.nstr(truth, 50), mpmath.nstr(error, 5))
    return bool(found.overlaps(reference)) and found.rel_accuracy_bits() > digits * 3.33


@pytest.mark.parametrize("variance", NARROW)
@pytest.mark.parametrize("centre", [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)])
def test_total_is_the_sum_over_all_integers(variance: Fraction, centre: Fraction) -> None:
    with precision(140):
        found = total(variance, centre)
    assert contains(found, added_up(variance, centre) + added_up(variance, 1 - centre), 35)


@pytest.mark.parametrize("variance", NARROW)
@pytest.mark.parametrize("x", [-30, -1, 0, 1, 2, 17, 60, 300])
def test_tail_is_the_sum_from_x_on(variance: Fraction, x: int) -> None:
    if x > 0:
        truth = added_up(variance, Fraction(x))
    else:
        truth = 1 + 2 * added_up(variance, Fraction(1)) - added_up(variance, Fraction(1 - x))
    with precision(140):
        assert contains(tail(variance, x), truth, 35)


@pytest.mark.parametrize("deviations", [0, 1, 3, 8, 20, 40])
def test_euler_maclaurin_agrees_with_adding_up(deviations: int, monkeypatch: pytest.MonkeyPatch) -> None:
    variance, x = Fraction(90_001, 2), max(1, 212 * deviations)
    with precision(128):
        by_expansion = tail(variance, x)
        monkeypatch.setattr(discrete_gaussian_sums, "_FEW", 10**9)
        by_addition = tail(variance, x)
    assert by_expansion.overlaps(by_addition)
    assert min(by_expansion.rel_accuracy_bits(), by_addition.rel_accuracy_bits()) > 100


@pytest.mark.parametrize("deviations", [Fraction(1, 10**9), Fraction(1, 2), Fraction(6), Fraction(20)])
def test_a_billion_steps_wide(deviations: Fraction) -> None:
    """At σ = 10⁹ the third Euler–Maclaurin term is already below 10⁻³⁶ of the tail, so two terms are the oracle."""
    sigma = 10**9
    x = int(deviations * sigma)
    u = mpmath.mpf(x) / sigma
    first = mpmath.exp(-u * u / 2)
    truth = sigma * mpmath.sqrt(mpmath.pi / 2) * mpmath.erfc(u / mpmath.sqrt(2)) + first / 2 + u / sigma / 12 * first
    with precision(140):
        found = tail(Fraction(sigma**2), x)
    assert abs(mpmath.mpf(found.mid().str(45, radius=False)) / truth - 1) < mpmath.mpf(10) ** -30
    assert found.rel_accuracy_bits() > 110


def test_both_forms_of_the_theta_function_agree() -> None:
    for variance in (Fraction(1, 6), Fraction(1, 2), Fraction(5)):
        with precision(128):
            assert total(variance).overlaps(1 + 2 * tail(variance, 1))


def test_absurdly_far_tails_are_wide_but_true() -> None:
    variance = Fraction(10**24)
    with precision(128):
        near, far = tail(variance, 10**15), tail(variance, 2 * 10**15)
    assert 0 < far < near


def test_a_dropped_remainder_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken twin: one Euler–Maclaurin correction where more are needed has a remainder wide enough to say so."""
    monkeypatch.setattr(discrete_gaussian_sums, "_corrections_needed", lambda variance, x: 1)
    with precision(128):
        assert tail(Fraction(10**4), 100).rel_accuracy_bits() < 30
