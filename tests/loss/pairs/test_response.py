"""Randomized responses: the ε of theory, exactly, and the ones that are not private saying so."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.pairs.response_pairs import (
    binary_response,
    forced_response,
    kary_response,
    optimal_response,
    warner_response,
)

quick = settings(deadline=None, max_examples=40)
parts = st.integers(1, 20)


@quick
@given(st.fractions(min_value=Fraction(1, 100), max_value=Fraction(99, 100)))
def test_warner_costs_the_log_odds_of_the_truth(p: Fraction) -> None:
    assert warner_response(p).epsilon(0) == pytest.approx(abs(math.log(p / (1 - p))), abs=1e-14)
    assert warner_response(p).delta(0) == pytest.approx(abs(float(2 * p - 1)), abs=1e-15)


@quick
@given(parts, parts, parts)
def test_forced_response_costs_the_worse_answer(truth: int, yes: int, no: int) -> None:
    n = truth + yes + no
    found = forced_response(Fraction(truth, n), Fraction(yes, n), Fraction(no, n)).epsilon(0)
    assert found == pytest.approx(max(math.log((truth + yes) / yes), math.log((truth + no) / no)), rel=1e-14)


def test_the_dice_of_the_forced_response_cost_ln_5() -> None:
    assert forced_response("4/6", "1/6", "1/6").epsilon(0) == pytest.approx(math.log(5), rel=1e-15)


@pytest.mark.parametrize("dice", [("1/2", "1/2", 0), ("1/2", 0, "1/2"), (1, 0, 0)])
def test_an_answer_that_only_the_truth_gives_is_not_private(dice: tuple[object, object, object]) -> None:
    """A coin that says yes or the truth: whoever says no has said the truth."""
    pair = forced_response(*dice)  # type: ignore[arg-type]  # numbers in several spellings
    assert pair.epsilon(0) == math.inf
    assert pair.pure_epsilon is None
    assert pair.rdp(2) == math.inf
    assert pair.delta(100) >= 0.5
    assert warner_response(1).epsilon(0) == warner_response(0).epsilon(0) == math.inf


@quick
@given(st.fractions(min_value=0, max_value=8, max_denominator=50), st.integers(2, 40))
def test_kary_costs_its_epsilon_exactly(epsilon: Fraction, options: int) -> None:
    pair = kary_response(epsilon, options)
    assert pair.pure_epsilon == epsilon
    assert pair.delta(epsilon) == 0.0
    e = math.exp(epsilon)
    assert pair.delta(0) == pytest.approx((e - 1) / (e + options - 1), abs=1e-14)
    assert pair.tradeoff("1/10") >= binary_response(epsilon).tradeoff("1/10")


@quick
@given(
    st.fractions(0, 4, max_denominator=20),
    st.fractions(0, 1, max_denominator=20),
    st.fractions(0, 5, max_denominator=9),
)
def test_the_optimal_response_is_the_worst_that_epsilon_delta_permits(
    epsilon: Fraction, delta: Fraction, at: Fraction
) -> None:
    pair, bound = optimal_response(epsilon, delta), Approx(epsilon, delta)
    assert pair.satisfies(epsilon, delta)
    assert pair.delta(at) == pytest.approx(bound.delta(at), abs=1e-15)
    assert pair.epsilon(delta) == pytest.approx(bound.epsilon(delta), abs=1e-14)
    assert pair.tradeoff(min(1, at / 5)) == pytest.approx(bound.tradeoff(min(1, at / 5)), abs=1e-14)
    assert pair.core()[0] == delta
    if 0 < delta < 1 and epsilon > 0:
        assert not pair.satisfies(epsilon, delta * (1 - Fraction(1, 10**30)))
        assert not pair.satisfies(epsilon * (1 - Fraction(1, 10**30)), delta)


def test_pure_responses_agree_with_the_pure_family() -> None:
    pair, pure = binary_response("0.7"), Pure("0.7")
    for order in ("1.01", 2, 64):
        assert pair.rdp(order) == pytest.approx(pure.rdp(order), rel=1e-14)
    assert optimal_response("0.7", 0).rdp(3) == pytest.approx(pure.rdp(3), rel=1e-14)
    assert pair.zcdp() == pure.zcdp()


def test_nonsense_is_refused() -> None:
    for ask in (
        lambda: warner_response("1.1"),
        lambda: warner_response(float("nan")),
        lambda: binary_response(-1),
        lambda: forced_response("1/2", "1/2", "1/2"),
        lambda: kary_response(1, 1),
        lambda: optimal_response(1, 2),
    ):
        with pytest.raises(Refused):
            ask()
