"""Laws that every exact loss curve obeys, whichever family it comes from."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.loss.families.curve import tradeoff_from_delta
from tacit.loss.families.loss import Loss
from tacit.loss.pairs.additive_noise import DiscreteGaussianPair, DiscreteLaplacePair, LaplacePair
from tacit.loss.pairs.bounded_range import BoundedRange
from tacit.loss.pairs.finite_pair import FinitePair
from tacit.loss.pairs.response_pairs import binary_response, forced_response, kary_response, optimal_response

SYMMETRIC: list[Loss] = [
    LaplacePair(Fraction(3, 2)),
    DiscreteLaplacePair(Fraction(1, 4), 3),
    DiscreteGaussianPair(Fraction(2), 1),
    DiscreteGaussianPair(Fraction(10**8), 7000),
    BoundedRange(Fraction(2)),
    binary_response("0.8"),
    kary_response(2, 7),
    optimal_response("0.5", "0.01"),
]
LOPSIDED: list[Loss] = [
    forced_response("1/2", "1/8", "3/8"),
    FinitePair(((5, 0, 1, 0), (1, 1, 2, 0), (1, 0, 1, "1/2"), (0, 0, "1/50", 0))),  # type: ignore[arg-type]  # numbers as written
]
EVERY = SYMMETRIC + LOPSIDED
unit = st.fractions(min_value=0, max_value=1, max_denominator=1000)
epsilons = st.fractions(min_value=0, max_value=4, max_denominator=100)
quick = settings(deadline=None, max_examples=40)


@quick
@given(st.sampled_from(EVERY), epsilons, epsilons)
def test_delta_falls_and_stays_a_probability(loss: Loss, one: Fraction, other: Fraction) -> None:
    near, far = sorted((one, other))
    assert 0 <= loss.delta_between(far)[0] <= loss.delta(near) <= 1
    low, high = loss.delta_between(near)
    assert low <= high <= low * (1 + 1e-14)
    assert loss.delta(near) <= high


@quick
@given(st.sampled_from(EVERY), epsilons, epsilons, unit)
def test_delta_is_convex_in_the_exponential(loss: Loss, one: Fraction, other: Fraction, share: Fraction) -> None:
    mixed = math.log(share * math.exp(one) + (1 - share) * math.exp(other))
    assert loss.delta(Fraction(max(0.0, mixed))) <= share * loss.delta(one) + (1 - share) * loss.delta(other) + 1e-13


@quick
@given(st.sampled_from(EVERY), unit)
def test_epsilon_is_certified_by_delta(loss: Loss, delta: Fraction) -> None:
    epsilon = loss.epsilon(delta)
    if epsilon < math.inf:
        assert loss.delta_between(Fraction(epsilon))[0] <= delta


@quick
@given(st.sampled_from(EVERY), unit, unit)
def test_tradeoff_falls_below_the_blind_guess(loss: Loss, one: Fraction, other: Fraction) -> None:
    near, far = sorted((one, other))
    assert 0 <= loss.tradeoff(far) <= math.nextafter(loss.tradeoff(near), 2) <= 1 - float(near) + 1e-15


@quick
@given(st.sampled_from(SYMMETRIC), unit, unit, unit)
def test_tradeoff_is_convex(loss: Loss, one: Fraction, other: Fraction, share: Fraction) -> None:
    mixed = share * one + (1 - share) * other
    assert loss.tradeoff(mixed) <= share * loss.tradeoff(one) + (1 - share) * loss.tradeoff(other) + 1e-13


@quick
@given(st.sampled_from(SYMMETRIC), unit)
def test_tradeoff_is_its_own_mirror_image(loss: Loss, alpha: Fraction) -> None:
    """f(f(α)) ≤ α, with equality where f has not yet reached 0 or 1."""
    miss = loss.tradeoff(alpha)
    if 1e-6 < miss < 1 - 1e-6:
        assert loss.tradeoff(Fraction(miss)) == pytest.approx(float(alpha), abs=1e-9)


@quick
@given(st.sampled_from(EVERY), unit, epsilons)
def test_every_test_obeys_every_epsilon_delta(loss: Loss, alpha: Fraction, epsilon: Fraction) -> None:
    """1−δ(ε) ≤ f(α) + e^ε α and ≤ e^ε f(α) + α: the trade-off is never below what the curve permits."""
    miss, factor, room = loss.tradeoff(alpha), math.exp(epsilon), 1 - loss.delta(epsilon)
    assert room <= miss + factor * float(alpha) + 1e-12
    assert room <= factor * miss + float(alpha) + factor * 1e-12


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(EVERY), unit)
def test_the_curve_gives_the_tradeoff_back(loss: Loss, alpha: Fraction) -> None:
    """Through δ(ε) alone: the same for symmetric pairs, at most the same (the convex hull) for lopsided ones."""
    dual = tradeoff_from_delta(loss.delta_ball, alpha)  # type: ignore[attr-defined]  # every loss listed has a curve
    assert dual <= loss.tradeoff(alpha) + 1e-13
    if loss in SYMMETRIC:
        assert dual == pytest.approx(loss.tradeoff(alpha), abs=1e-12)


@quick
@given(
    st.sampled_from(EVERY),
    st.fractions(min_value=Fraction(21, 20), max_value=40, max_denominator=20),
    st.fractions(min_value=0, max_value=4, max_denominator=100),
)
def test_the_renyi_conversion_never_falls_below_delta(loss: Loss, order: Fraction, epsilon: Fraction) -> None:
    divergence, a = loss.rdp(order), float(order)
    if divergence < math.inf:
        bound = math.exp((a - 1) * (divergence - float(epsilon))) * (1 - 1 / a) ** a / (a - 1)
        assert loss.delta_between(epsilon)[0] <= bound * (1 + 1e-12)


@quick
@given(st.sampled_from(EVERY), st.fractions(Fraction(21, 20), 20), st.fractions(1, 2))
def test_renyi_rises_with_the_order_up_to_pure_epsilon(loss: Loss, order: Fraction, factor: Fraction) -> None:
    assert loss.rdp(order) <= loss.rdp(order * factor) * (1 + 1e-13)
    assert loss.rdp(order) <= loss.epsilon(0)


@quick
@given(st.sampled_from(EVERY), st.integers(1, 4), epsilons)
def test_a_group_costs_no_less(loss: Loss, people: int, epsilon: Fraction) -> None:
    assert loss.group(people).delta(epsilon) >= loss.delta_between(epsilon)[0]


@quick
@given(st.sampled_from(EVERY), st.fractions(min_value=Fraction(21, 20), max_value=20))
def test_zcdp_never_undercuts_renyi(loss: Loss, order: Fraction) -> None:
    slack, rest = loss.core()
    concentrated = loss.zcdp()
    assert concentrated.exact_delta == slack
    assert rest.rdp(order) <= float(concentrated.rho * order) * (1 + 1e-12)
