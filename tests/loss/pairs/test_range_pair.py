"""Bounded range against the two-atom pairs it is the envelope of, on a fine grid of them."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.loss.families.curve import tradeoff_from_delta
from tacit.loss.pairs.bounded_range import BoundedRange

WIDTHS = [Fraction(1, 100), Fraction(1), Fraction(5)]


def two_atoms(width: Fraction, t: mpmath.mpf) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """(P-mass, loss) of the pair with losses t and t−ε."""
    own = mpmath.mpf(width.numerator) / width.denominator
    p = (1 - mpmath.exp(t - own)) / (1 - mpmath.exp(-own))
    return [(p, t), (1 - p, t - own)]


def grid(width: Fraction) -> list[mpmath.mpf]:
    return [mpmath.mpf(width.numerator) / width.denominator * k / 400 for k in range(401)]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("share", [0, Fraction(1, 4), Fraction(1, 2), Fraction(7, 8), 1])
def test_delta_is_the_worst_two_atom_pair(width: Fraction, share: Fraction) -> None:
    at = mpmath.mpf((width * share).numerator) / (width * share).denominator
    each = [sum(p * max(0, 1 - mpmath.exp(at - loss)) for p, loss in two_atoms(width, t)) for t in grid(width)]
    found = BoundedRange(width).delta(width * share)
    assert found >= max(each) - mpmath.mpf(10) ** -30
    assert found == pytest.approx(float(max(each)), rel=1e-12, abs=1e-25)  # the worst t lies on the grid


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("order", [Fraction(101, 100), Fraction(2), Fraction(7, 2), Fraction(64)])
def test_rdp_is_the_worst_two_atom_pair(width: Fraction, order: Fraction) -> None:
    a = mpmath.mpf(order.numerator) / order.denominator

    def divergence(t: mpmath.mpf) -> mpmath.mpf:
        return mpmath.log(sum(p * mpmath.exp((a - 1) * loss) for p, loss in two_atoms(width, t))) / (a - 1)

    found = BoundedRange(width).rdp(order)
    best = max(divergence(t) for t in grid(width))
    assert best - mpmath.mpf(10) ** -25 <= found <= float(best) * 1.001
    assert found <= float(order * width**2 / 8) * (1 + 1e-15)


@settings(deadline=None)
@given(st.sampled_from(WIDTHS), st.fractions(min_value=0, max_value=1))
def test_tradeoff_is_the_convex_dual_of_delta(width: Fraction, alpha: Fraction) -> None:
    loss = BoundedRange(width)
    assert loss.tradeoff(alpha) == pytest.approx(tradeoff_from_delta(loss.delta_ball, alpha), abs=1e-13)


@settings(deadline=None)
@given(st.sampled_from(WIDTHS), st.fractions(min_value=0, max_value=1))
def test_epsilon_inverts_delta(width: Fraction, delta: Fraction) -> None:
    loss = BoundedRange(width)
    epsilon = loss.epsilon(delta)
    assert loss.delta_between(Fraction(epsilon))[0] <= delta
    if epsilon > 0:
        assert loss.delta(Fraction(epsilon * (1 - 1e-12))) > delta


def test_no_single_pair_reaches_the_envelope() -> None:
    """The worst t at ε′ = 0 is not the worst near ε′ = ε: each pair of the grid falls short of δ somewhere."""
    loss = BoundedRange(Fraction(1))
    for t in grid(Fraction(1)):
        shortfalls = [
            loss.delta_between(Fraction(k, 10))[0]
            - sum(p * max(0, 1 - mpmath.exp(mpmath.mpf(k) / 10 - x)) for p, x in two_atoms(Fraction(1), t))
            for k in range(10)
        ]
        assert max(shortfalls) > 1e-4


def test_ends() -> None:
    loss = BoundedRange(Fraction(1))
    assert (loss.epsilon(0), loss.epsilon(1), loss.delta(1), loss.tradeoff(0), loss.tradeoff(1)) == (1, 0, 0, 1, 0)
    assert loss.delta(0) == pytest.approx(math.tanh(0.25), rel=1e-14)
    assert (loss.zcdp_rho, loss.zcdp().rho, loss.pure_epsilon) == (Fraction(1, 8), Fraction(1, 8), 1)
    assert loss.group(4) == BoundedRange(Fraction(4))
    nothing = BoundedRange(Fraction(0))
    assert (nothing.delta(0), nothing.epsilon("0.5"), nothing.tradeoff("1/4"), nothing.rdp(5)) == (0, 0, 0.75, 0)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, True, "nonsense", None])
def test_nonsense_is_refused(value: object) -> None:
    loss = BoundedRange(Fraction(1))
    for ask in (BoundedRange, loss.delta, loss.epsilon, loss.tradeoff, loss.rdp, loss.group):
        with pytest.raises(Refused):
            ask(value)  # type: ignore[operator]  # the point is to pass what the types forbid
