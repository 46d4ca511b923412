"""Optimal composition of equal (ε, δ): exact against formulas, enumeration and published numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.loss import Approx, FinitePair, Pure, optimal_response
from tacit.loss.pairs.optimal_composition import MixedApprox
from tacit.loss.pairs.repeated_approx import RepeatedApprox


def kov_corner(epsilon: str, delta: str, k: int, i: int) -> mpmath.mpf:
    """Theorem 3.3 as it is written, in sixty digits."""
    e, d = mpmath.mpf(epsilon), mpmath.mpf(delta)
    inner = (
        sum(mpmath.binomial(k, j) * (mpmath.e ** ((k - j) * e) - mpmath.e ** ((k - 2 * i + j) * e)) for j in range(i))
        / (1 + mpmath.e**e) ** k
    )
    return 1 - (1 - d) ** k * (1 - inner)


@pytest.mark.parametrize(("epsilon", "delta", "k"), [("0.4", "0.1", k) for k in range(1, 6)] + [("0.1", "0.001", 30)])
def test_the_corners_are_the_theorems(epsilon: str, delta: str, k: int) -> None:
    with mpmath.workdps(60):
        corners = RepeatedApprox(epsilon, delta, k).corners()
        assert [corner.epsilon for corner in corners] == [(k - 2 * i) * Fraction(epsilon) for i in range(k // 2 + 1)]
        for i, corner in enumerate(corners):
            truth = kov_corner(epsilon, delta, k, i)
            assert corner.delta_lower <= truth <= corner.delta_upper
            assert corner.delta_upper - corner.delta_lower <= 1e-15
            assert RepeatedApprox(epsilon, delta, k).delta_between(corner.epsilon)[0] <= truth


def test_thirty_of_a_tenth() -> None:
    """The case E1: 30 × (0.1, 0.001) at a total δ of 0.035."""
    assert RepeatedApprox("0.1", "0.001", 30).epsilon("0.035") == pytest.approx(1.157007168, abs=1e-9)


def test_the_region_of_note_001() -> None:
    """The first corner of each region moves down by a factor 1−δ, and one more corner appears for each release."""
    for k in range(1, 6):
        vertices = RepeatedApprox("0.4", "0.1", k).vertices()
        assert len(vertices) == k + 2
        assert vertices[0] == (0.0, pytest.approx(0.9**k, abs=1e-15))
        assert [(b, a) for a, b in reversed(vertices)] == list(vertices)


def responses(epsilon: str, delta: str, k: int) -> FinitePair:
    """k optimal responses, every one of the 6^k outcomes written out."""
    atoms = list(optimal_response(epsilon, delta).atoms)
    product = [(Fraction(1), Fraction(0), Fraction(1), Fraction(0))]
    for _ in range(k):
        product = [(p * a[0], r + a[1], q * a[2], s + a[3]) for p, r, q, s in product for a in atoms]
    return FinitePair(tuple(product))  # type: ignore[arg-type]  # plain tuples are read as atoms


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_curve_is_that_of_enumerated_responses(k: int) -> None:
    exact, enumerated = RepeatedApprox("0.4", "0.1", k), responses("0.4", "0.1", k)
    for step in range(14):
        at = Fraction(step, 10)
        assert exact.delta(at) == pytest.approx(enumerated.delta(at), abs=1e-15)
    for delta in ("0.2", "0.28", "0.3", "0.35", "0.4"):
        assert exact.epsilon(delta) == pytest.approx(enumerated.epsilon(delta), abs=1e-14)
    for alpha in ("0", "0.05", "0.2", "0.5", "0.9"):
        assert exact.tradeoff(alpha) == pytest.approx(enumerated.tradeoff(alpha), abs=1e-14)
        assert exact.tradeoff(alpha) <= enumerated.tradeoff(alpha) + 1e-16


@settings(max_examples=40, deadline=None)
@given(
    st.fractions(Fraction(1, 100), 3, max_denominator=100),
    st.fractions(0, Fraction(1, 5), max_denominator=1000),
    st.integers(1, 60),
    st.fractions(0, 1, max_denominator=1000),
)
def test_epsilon_is_the_inverse_of_delta(own: Fraction, slack: Fraction, k: int, share: Fraction) -> None:
    loss = RepeatedApprox(own, slack, k)
    allowed = Fraction(loss.delta(share * k * own))
    found = loss.epsilon(allowed)
    assert Fraction(found) <= share * k * own + Fraction(1, 10**12)
    assert loss.delta_between(found)[0] <= allowed


@settings(max_examples=30, deadline=None)
@given(st.fractions(Fraction(1, 50), 2, max_denominator=50), st.integers(1, 40), st.fractions(0, 1, max_denominator=50))
def test_one_release_is_the_release_and_sums_are_above(own: Fraction, k: int, share: Fraction) -> None:
    slack = Fraction(1, 1000)
    at = share * k * own
    assert RepeatedApprox(own, slack, 1).delta(share * own) == pytest.approx(Approx(own, slack).delta(share * own))
    assert RepeatedApprox(own, slack, k).epsilon(k * slack) <= float(k * own) * (1 + 1e-15)
    mixed = MixedApprox([Approx(own, slack)] * k)
    assert RepeatedApprox(own, slack, k).delta(at) == pytest.approx(mixed.delta(at), rel=1e-13)


def test_many_releases_are_fast_and_near_their_limit() -> None:
    """10⁵ coins of ε = 0.01 are nearly Gaussian with μ = 0.01·√10⁵; the exact value lies within 1% of that ε."""
    loss = RepeatedApprox("0.01", 0, 100_000)
    limit = mpmath.findroot(
        lambda e: (
            mpmath.log(
                mpmath.ncdf(mpmath.sqrt(10) / 2 - e / mpmath.sqrt(10))
                - mpmath.exp(e) * mpmath.ncdf(-mpmath.sqrt(10) / 2 - e / mpmath.sqrt(10))
            )
            - mpmath.log(1e-6)
        ),
        19,
    )
    assert loss.epsilon("1e-6") == pytest.approx(float(limit), rel=0.01)
    low, high = loss.delta_between(10)
    assert 0 < low <= high <= low * (1 + 1e-15)


def test_a_sum_of_fifty_thousand_terms_agrees_with_its_shortened_form() -> None:
    k, own, target = 3000, 0.02, 1.5
    with mpmath.workdps(40):
        e = mpmath.mpf("0.02")
        mass = mpmath.e ** (k * e) / (1 + mpmath.e**e) ** k
        total = mpmath.mpf(0)
        for lies in range(k + 1):
            gain = 1 - mpmath.e ** (mpmath.mpf("1.5") - (k - 2 * lies) * e)
            if gain <= 0:
                break
            total += mass * gain
            mass *= mpmath.mpf(k - lies) / (lies + 1) / mpmath.e**e
    low, high = RepeatedApprox(own, 0, k).delta_between(target)
    assert low <= total <= high


def test_ends() -> None:
    loss = RepeatedApprox("0.1", "0.001", 1)
    assert loss.epsilon("0.001") == 0.1  # a tie, decided exactly
    assert RepeatedApprox("0.1", "0.001", 2).epsilon("0.001999") == 0.2
    assert RepeatedApprox("0.1", "0.001", 2).epsilon("0.001998999") == math.inf
    assert RepeatedApprox(1, 0, 3).epsilon(0) == 3.0
    assert RepeatedApprox(0, "0.1", 3).epsilon("0.271") == 0.0
    assert RepeatedApprox(0, "0.1", 3).epsilon("0.27") == math.inf
    assert RepeatedApprox(1, 1, 3).delta(5) == 1.0
    assert RepeatedApprox(1, 0, 3).epsilon(1) == 0.0
    assert RepeatedApprox(1, 0, 3).rdp(2) == pytest.approx(3 * Pure(1).rdp(2))
    assert RepeatedApprox(1, "0.1", 3).rdp(2) == math.inf
    assert RepeatedApprox(1, 0, 3).group(2) == RepeatedApprox(2, 0, 3)
    slack, rest = RepeatedApprox(1, "0.1", 3).core()
    assert slack >= Fraction(271, 1000)
    assert rest == RepeatedApprox(1, 0, 3)


@pytest.mark.parametrize(
    ("epsilon", "delta", "times"),
    [(math.nan, 0, 1), (math.inf, 0, 1), (-1, 0, 1), (1, 2, 1), (1, -1, 1), (1, 0, 0), (1, 0, 2.0), (1, 0, True)],
)
def test_what_is_no_parameter_is_refused(epsilon: float, delta: float, times: int) -> None:
    """R08."""
    with pytest.raises(Refused):
        RepeatedApprox(epsilon, delta, times)


def test_absurd_sizes_stay_sound() -> None:
    for own in (10**6, 10**30, 10**100):
        loss = RepeatedApprox(own, 0, 3)
        assert loss.delta(5) == 1.0
        assert loss.epsilon("1e-6") <= float(3 * own) * (1 + 1e-15)
        assert loss.epsilon("1e-6") >= 0.9 * own
    tiny = RepeatedApprox(Fraction(1, 10**100), 0, 5)
    assert 0 < tiny.delta(0) < 1e-99
