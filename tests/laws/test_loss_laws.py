"""Laws of every loss: an ordered monoid, decreasing curves, conversions that are never tighter, duality."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.loss import (
    Approx,
    Gdp,
    Loss,
    Pure,
    Rdp,
    Relation,
    Zcdp,
    compose,
    dominates,
    fits,
    guess_probability,
    parallel,
    worst,
)

sizes = st.fractions(min_value=0, max_value=8, max_denominator=1000)
slacks = st.one_of(st.just(Fraction(0)), st.fractions(min_value=0, max_value=Fraction(1, 5), max_denominator=10**6))
pures = st.builds(Pure, sizes)
approxes = st.builds(Approx, sizes, slacks)
zcdps = st.builds(Zcdp, sizes, slacks)
gdps = st.builds(Gdp, sizes)
rdps = st.builds(
    Rdp,
    st.dictionaries(st.sampled_from([Fraction(3, 2), Fraction(2), Fraction(8), Fraction(64)]), sizes, min_size=1),
)
families = [pures, approxes, zcdps, gdps, rdps]
losses: st.SearchStrategy[Loss] = st.one_of(*families)
pairs_of_one_family = st.one_of(
    st.tuples(pures, pures), st.tuples(approxes, approxes), st.tuples(zcdps, zcdps), st.tuples(gdps, gdps)
)
ROUNDING = 1 + 1e-12


@settings(deadline=None)
@given(losses, losses, losses)
def test_composition_is_associative_and_commutative(a: Loss, b: Loss, c: Loss) -> None:
    assert compose(compose(a, b), c) == compose(a, compose(b, c)) == compose(c, a, b)


@settings(deadline=None)
@given(losses)
def test_the_unit_is_pure_zero(a: Loss) -> None:
    assert compose(a, Pure(0)) == a == compose(Pure(0), a)


@settings(deadline=None)
@given(pairs_of_one_family, losses)
def test_composition_respects_the_order(pair: tuple[Loss, Loss], c: Loss) -> None:
    small, large = pair
    if fits(small, large) and type(c) is type(small):
        assert fits(compose(small, c), compose(large, c))
    both = compose(small, large)
    assert fits(small, both)
    assert fits(large, both)


@settings(deadline=None)
@given(pairs_of_one_family)
def test_fits_is_a_partial_order_below_dominance(pair: tuple[Loss, Loss]) -> None:
    a, b = pair
    assert fits(a, a)
    if fits(a, b):
        assert dominates(b, a)
        if fits(b, a):
            assert a == b
    join = worst([a, b])
    assert fits(a, join)
    assert fits(b, join)


@settings(max_examples=40, deadline=None)
@given(pairs_of_one_family, sizes)
def test_what_fits_costs_no_more(pair: tuple[Loss, Loss], epsilon: Fraction) -> None:
    small, large = pair
    if fits(small, large):
        assert small.delta(epsilon) <= large.delta(epsilon) * ROUNDING
        assert guess_probability(small) <= guess_probability(large) * ROUNDING


@settings(max_examples=60, deadline=None)
@given(losses, sizes, sizes)
def test_delta_falls(loss: Loss, e: Fraction, f: Fraction) -> None:
    low, high = sorted((e, f))
    assert 1.0 >= loss.delta(low) >= loss.delta(high) / ROUNDING >= 0.0


@settings(max_examples=60, deadline=None)
@given(losses, slacks, slacks)
def test_epsilon_falls(loss: Loss, d: Fraction, e: Fraction) -> None:
    low, high = sorted((d, e))
    assert loss.epsilon(low) * ROUNDING >= loss.epsilon(high) >= 0.0


@settings(max_examples=60, deadline=None)
@given(losses, sizes)
def test_epsilon_undoes_delta(loss: Loss, epsilon: Fraction) -> None:
    """ε(δ(e)) ≤ e up to one rounding: δ is rounded up, so ε has no more to pay."""
    delta = loss.delta(epsilon)
    if delta < 1:
        assert loss.epsilon(Fraction(delta)) <= float(epsilon) * (1 + 1e-9) + 1e-7


@settings(max_examples=60, deadline=None)
@given(losses, slacks)
def test_delta_undoes_epsilon(loss: Loss, delta: Fraction) -> None:
    epsilon = loss.epsilon(delta)
    if epsilon < math.inf:
        assert loss.delta(Fraction(epsilon)) <= float(delta) * (1 + 1e-9) + 1e-15


@settings(max_examples=30, deadline=None)
@given(losses, st.fractions(min_value=0, max_value=1, max_denominator=100))
def test_the_tradeoff_lies_between_blindness_and_each_epsilon_delta(loss: Loss, alpha: Fraction) -> None:
    miss = loss.tradeoff(alpha)
    assert 0.0 <= miss <= 1 - alpha
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(3), Fraction(20)):
        bound = Approx(epsilon, Fraction(loss.delta(epsilon))).tradeoff(alpha)
        assert miss >= bound * (1 - 1e-9) - 1e-9


@settings(max_examples=40, deadline=None)
@given(losses, st.fractions(min_value=Fraction(101, 100), max_value=60, max_denominator=100))
def test_rdp_grows_with_the_order_and_is_at_most_the_pure_epsilon(loss: Loss, order: Fraction) -> None:
    assert loss.rdp(order) <= loss.rdp(order + 1) * ROUNDING
    if isinstance(loss, Pure):
        assert loss.rdp(order) <= float(loss.exact_epsilon) * ROUNDING


@settings(max_examples=60, deadline=None)
@given(st.one_of(pures, gdps, approxes, zcdps), sizes)
def test_conversions_only_ever_lose(loss: Loss, epsilon: Fraction) -> None:
    truth = loss.delta_between(epsilon)[0] if not isinstance(loss, Zcdp) else 0.0
    converted: list[Loss] = [loss.zcdp()]
    if not isinstance(loss, Zcdp) and loss.core()[0] == 0:
        converted.append(loss.gdp())
    for other in converted:
        assert other.delta(epsilon) >= truth
    for slack in (Fraction(1, 4), Fraction(1, 3)):
        assert loss.approx(slack).delta(epsilon) >= truth


@settings(deadline=None)
@given(pures, st.integers(1, 5), st.integers(1, 5))
def test_groups_of_groups(loss: Pure, k: int, m: int) -> None:
    for family in (loss, Zcdp(loss.exact_epsilon), Gdp(loss.exact_epsilon)):
        assert family.group(k).group(m) == family.group(k * m)
        assert fits(family, family.group(k))


@settings(deadline=None)
@given(approxes, st.integers(1, 5), st.integers(1, 4))
def test_groups_of_approx_compose_up_to_rounding(loss: Approx, k: int, m: int) -> None:
    twice, once = loss.group(k).group(m), loss.group(k * m)
    assert twice.exact_epsilon == once.exact_epsilon
    assert math.isclose(twice.exact_delta, once.exact_delta, rel_tol=1e-12)


@settings(deadline=None)
@given(st.lists(approxes, min_size=1, max_size=5))
def test_parallel_lies_between_the_worst_and_the_sum(parts: list[Approx]) -> None:
    add_remove = parallel(parts, Relation.ADD_REMOVE)
    replace = parallel(parts, Relation.REPLACE)
    assert all(fits(part, add_remove) for part in parts)
    assert fits(add_remove, replace)
    assert fits(replace, compose(*parts))
    assert parallel(parts, Relation.REPLACE, fixed=True) == add_remove
