"""The discrete Gaussian pair against 50-digit sums, and against the continuous formulas it must not be priced by."""

import math
from fractions import Fraction

import mpmath
import pytest

from tacit.errors import Refused
from tacit.loss.pairs.additive_noise import DiscreteGaussianPair

CASES = [(Fraction(1, 4), 1), (Fraction(1), 1), (Fraction(9, 2), 3), (Fraction(100), 1), (Fraction(2500), 20)]


def number(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def masses(variance: Fraction, shift: int) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    v = number(variance)
    reach = int(math.sqrt(variance) * 15) + 12
    weights = {x: mpmath.exp(-mpmath.mpf(x * x) / (2 * v)) for x in range(-reach - shift, reach + shift + 1)}
    whole = mpmath.fsum(weights.values())
    return [(weights[x] / whole, weights[x - shift] / whole) for x in range(-reach, reach + shift + 1)]


def gaussian_delta(mu: mpmath.mpf, epsilon: mpmath.mpf) -> mpmath.mpf:
    return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize(("variance", "shift"), CASES)
def test_delta_is_the_hockey_stick_sum_both_ways(variance: Fraction, shift: int) -> None:
    table, pair = masses(variance, shift), DiscreteGaussianPair(variance, shift)
    scale = shift / math.sqrt(variance)
    for epsilon in (Fraction(0), *(Fraction(round(scale * k * 100), 100) for k in (0.3, 1, 3, 5))):
        factor = mpmath.exp(number(epsilon))
        forth = mpmath.fsum(max(mpmath.mpf(0), p - factor * q) for p, q in table)
        back = mpmath.fsum(max(mpmath.mpf(0), q - factor * p) for p, q in table)
        low, high = pair.delta_between(epsilon)
        assert abs(forth - back) < mpmath.mpf(10) ** -35
        assert low * (1 - 1e-25) <= forth <= high * (1 + 1e-25)
        assert high == pytest.approx(float(forth), rel=1e-12)


@pytest.mark.parametrize(("variance", "shift"), CASES)
@pytest.mark.parametrize("order", [Fraction(101, 100), Fraction(3, 2), Fraction(2), Fraction(25, 3)])
def test_rdp_is_the_renyi_sum(variance: Fraction, shift: int, order: Fraction) -> None:
    pair, v, a = DiscreteGaussianPair(variance, shift), number(variance), number(order)
    reach = int(math.sqrt(variance) * 15) + 12
    middle = -int((order - 1) * shift)
    around = range(middle - reach, middle + reach + 1)
    inside = mpmath.fsum(mpmath.exp(-(a * x * x + (1 - a) * (x - shift) ** 2) / (2 * v)) for x in around)
    whole = mpmath.fsum(mpmath.exp(-mpmath.mpf(x * x) / (2 * v)) for x in range(-reach, reach + 1))
    truth = mpmath.log(inside / whole) / (a - 1)
    found = pair.rdp(order)
    assert found == pytest.approx(float(truth), rel=1e-12)
    assert mpmath.mpf(found) >= truth * (1 - mpmath.mpf(10) ** -25)
    assert found <= math.nextafter(float(order * pair.zcdp_rho), math.inf)


def test_it_costs_twice_what_the_continuous_formula_says() -> None:
    """σ = Δ = 1 at ε = 5.34: δ = 2.24e-7, where the continuous Gaussian has 1.05e-7."""
    found = DiscreteGaussianPair(Fraction(1), 1).delta("5.34")
    continuous = float(gaussian_delta(mpmath.mpf(1), mpmath.mpf("5.34")))
    assert found == pytest.approx(2.24e-7, rel=1e-4)
    assert continuous == pytest.approx(1.05e-7, rel=1e-3)
    assert found > 2.1 * continuous


def test_pricing_it_as_gaussian_is_caught() -> None:
    """Broken twin: pricing by μ = shift/σ reports less than the exact δ, and the comparison shows it."""
    pair = DiscreteGaussianPair(Fraction(1), 1)
    lies = [e for e in range(1, 60) if gaussian_delta(mpmath.mpf(1), mpmath.mpf(e) / 10) < pair.delta(Fraction(e, 10))]
    assert len(lies) > 10


@pytest.mark.parametrize("sigma", [10**6, 10**9])
@pytest.mark.parametrize("epsilon", [0, Fraction(1, 2), 2, 5, 6, 8])
def test_on_a_fine_grid_it_tends_to_the_continuous_gaussian(sigma: int, epsilon: Fraction) -> None:
    found = DiscreteGaussianPair(Fraction(sigma**2), sigma).delta(epsilon)
    truth = gaussian_delta(mpmath.mpf(1), number(Fraction(epsilon)))
    assert found == pytest.approx(float(truth), rel=40 / sigma**2 + 1e-13)


def test_small_deltas_keep_their_digits() -> None:
    pair = DiscreteGaussianPair(Fraction(10**18), 1)
    epsilon = Fraction(pair.epsilon("1e-10"))
    low, high = pair.delta_between(epsilon)
    assert low == pytest.approx(1e-10, rel=1e-9)
    assert low <= 1e-10
    assert high <= low * (1 + 1e-14)


def test_epsilon_and_its_ends() -> None:
    pair = DiscreteGaussianPair(Fraction(1), 1)
    assert pair.epsilon(0) == math.inf
    assert pair.epsilon(1) == 0.0
    assert pair.tradeoff(0) == pytest.approx(1)
    assert pair.tradeoff(1) == 0.0
    assert pair.rdp(2) == 1.0
    assert pair.zcdp().rho == Fraction(1, 2)
    assert pair.group(3) == DiscreteGaussianPair(Fraction(1), 3)
    with pytest.raises(Refused):
        pair.gdp()


def test_tradeoff_is_exact_at_its_corners() -> None:
    pair, table = DiscreteGaussianPair(Fraction(9, 2), 3), masses(Fraction(9, 2), 3)
    for cut in range(len(table) // 2 - 6, len(table) // 2 + 6):
        alarm, miss = mpmath.fsum(p for p, _ in table[cut:]), mpmath.fsum(q for _, q in table[:cut])
        assert pair.tradeoff(Fraction(int(alarm * 10**30), 10**30)) == pytest.approx(float(miss), abs=1e-14)


@pytest.mark.parametrize(("variance", "shift"), [(0, 1), (-1, 1), (float("inf"), 1), (True, 1), (1, 0), (1, 2.0)])
def test_nonsense_is_refused(variance: object, shift: object) -> None:
    with pytest.raises(Refused):
        DiscreteGaussianPair(variance, shift)  # type: ignore[arg-type]  # the point is to pass what the types forbid
