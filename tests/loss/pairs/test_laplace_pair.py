"""The Laplace pair against 40-digit integrals of the two densities."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.loss.families.curve import tradeoff_from_delta
from tacit.loss.pairs.additive_noise import LaplacePair

RATIOS = [Fraction(1, 10), Fraction(1), Fraction(7, 2)]


def densities(ratio: Fraction) -> tuple[mpmath.mpf, object, object]:
    r = mpmath.mpf(ratio.numerator) / ratio.denominator
    return r, lambda x: mpmath.exp(-abs(x)) / 2, lambda x: mpmath.exp(-abs(x - r)) / 2


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("share", [0, Fraction(1, 3), Fraction(9, 10), 1, 2])
def test_delta_is_the_hockey_stick_integral(ratio: Fraction, share: Fraction) -> None:
    r, p, q = densities(ratio)
    epsilon = ratio * share
    e = mpmath.mpf(epsilon.numerator) / epsilon.denominator
    edge = (r - e) / 2
    both = [
        mpmath.quad(lambda x: max(0, p(x) - mpmath.exp(e) * q(x)), [-mpmath.inf, 0, edge, r, mpmath.inf]),
        mpmath.quad(lambda x: max(0, q(x) - mpmath.exp(e) * p(x)), [-mpmath.inf, 0, r - edge, r, mpmath.inf]),
    ]
    found = LaplacePair(ratio).delta(epsilon)
    assert max(both) - mpmath.mpf(10) ** -18 <= found
    assert found == pytest.approx(float(max(both)), abs=1e-14)


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("order", [Fraction(1001, 1000), Fraction(3, 2), Fraction(2), Fraction(32)])
def test_rdp_is_the_renyi_integral(ratio: Fraction, order: Fraction) -> None:
    r, p, q = densities(ratio)
    a = mpmath.mpf(order.numerator) / order.denominator
    inside = mpmath.quad(lambda x: p(x) ** a * q(x) ** (1 - a), [-60, 0, r, r + 60])
    truth = mpmath.log(inside) / (a - 1)
    assert LaplacePair(ratio).rdp(order) == pytest.approx(float(truth), rel=1e-12)
    assert mpmath.mpf(LaplacePair(ratio).rdp(order)) >= truth - mpmath.mpf(10) ** -20


@given(st.sampled_from(RATIOS), st.fractions(min_value=0, max_value=1))
def test_tradeoff_is_the_convex_dual_of_delta(ratio: Fraction, alpha: Fraction) -> None:
    pair = LaplacePair(ratio)
    assert pair.tradeoff(alpha) == pytest.approx(tradeoff_from_delta(pair.delta_ball, alpha), abs=1e-14)


@given(st.sampled_from(RATIOS), st.fractions(min_value=0, max_value=1))
def test_epsilon_inverts_delta(ratio: Fraction, delta: Fraction) -> None:
    epsilon = LaplacePair(ratio).epsilon(delta)
    assert LaplacePair(ratio).delta_between(Fraction(epsilon))[0] <= delta
    truth = float(ratio) + 2 * math.log(1 - delta) if delta < 1 else 0.0
    assert epsilon == pytest.approx(max(0.0, truth), abs=1e-13)


def test_ends_are_exact() -> None:
    pair = LaplacePair(Fraction(1, 10))
    assert (pair.epsilon(0), pair.epsilon(1), pair.delta("0.1")) == (0.1, 0, 0)
    assert (pair.tradeoff(0), pair.tradeoff(1)) == (1, 0)
    assert LaplacePair(Fraction(0)).delta(0) == 0.0
    assert LaplacePair(Fraction(0)).rdp(2) < 1e-30
    assert pair.group(3) == LaplacePair(Fraction(3, 10))


def test_a_group_costs_at_most_the_chain_of_its_people() -> None:
    """T_{r+r}(α) = T_r(1−T_r(α)): the chain argument that dominates groups and vectors, with equality."""
    one, two = LaplacePair(Fraction(1)), LaplacePair(Fraction(2))
    for alpha in (Fraction(k, 40) for k in range(41)):
        chained = one.tradeoff(1 - Fraction(one.tradeoff(alpha)))
        assert two.tradeoff(alpha) == pytest.approx(chained, abs=1e-14)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, True, "nonsense", None])
def test_nonsense_is_refused(value: object) -> None:
    pair = LaplacePair(Fraction(1))
    for ask in (LaplacePair, pair.delta, pair.epsilon, pair.tradeoff, pair.rdp, pair.group):
        with pytest.raises(Refused):
            ask(value)  # type: ignore[operator]  # the point is to pass what the types forbid
    with pytest.raises(Refused):
        pair.rdp(1)
