"""Finite pairs against every subset of their outputs, in both directions, at 50 digits."""

import math
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.pairs.finite_pair import Atom, FinitePair
from tacit.loss.pairs.neyman_pearson import BestTests

ROUNDING = mpmath.mpf(10) ** -40

weights = st.fractions(min_value=0, max_value=4, max_denominator=5)
exponents = st.fractions(min_value=-2, max_value=2, max_denominator=3)
tables = st.lists(st.tuples(weights, exponents, weights, exponents), min_size=1, max_size=5).filter(
    lambda atoms: any(atom[0] for atom in atoms) and any(atom[2] for atom in atoms)
)
pairs = st.builds(lambda atoms: FinitePair(tuple(Atom(*atom) for atom in atoms)), tables)
epsilons = st.fractions(min_value=0, max_value=3, max_denominator=8)
quick = settings(deadline=None, max_examples=40)


def number(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def laws(pair: FinitePair) -> tuple[list[mpmath.mpf], list[mpmath.mpf]]:
    p = [number(atom.weight_p) * mpmath.exp(number(atom.exponent_p)) for atom in pair.atoms]
    q = [number(atom.weight_q) * mpmath.exp(number(atom.exponent_q)) for atom in pair.atoms]
    return [mass / mpmath.fsum(p) for mass in p], [mass / mpmath.fsum(q) for mass in q]


def enumerated_delta(pair: FinitePair, epsilon: Fraction) -> mpmath.mpf:
    """The largest P(S)−e^ε Q(S) and Q(S)−e^ε P(S) over all subsets S."""
    p, q = laws(pair)
    every = range(len(p))
    subsets = list(chain.from_iterable(combinations(every, k) for k in range(len(p) + 1)))
    factor = mpmath.exp(number(epsilon))
    return max(
        max(
            mpmath.fsum(p[i] for i in s) - factor * mpmath.fsum(q[i] for i in s),
            mpmath.fsum(q[i] for i in s) - factor * mpmath.fsum(p[i] for i in s),
        )
        for s in subsets
    )


def enumerated_miss(p: list[mpmath.mpf], q: list[mpmath.mpf], alpha: mpmath.mpf) -> mpmath.mpf:
    """The least miss rate of a test of p against q: over all pairs of sets, the best mixture of size α."""
    subsets = list(chain.from_iterable(combinations(range(len(p)), k) for k in range(len(p) + 1)))
    points = [(mpmath.fsum(p[i] for i in s), 1 - mpmath.fsum(q[i] for i in s)) for s in subsets]
    best = mpmath.mpf(1)
    for x, y in points:
        for u, v in points:
            if x <= alpha <= u and u > x:
                best = min(best, y + (v - y) * (alpha - x) / (u - x))
            if x <= alpha + ROUNDING:
                best = min(best, y)
    return best


@quick
@given(pairs, epsilons)
def test_delta_is_the_largest_over_all_subsets(pair: FinitePair, epsilon: Fraction) -> None:
    truth = enumerated_delta(pair, epsilon)
    found = pair.delta(epsilon)
    assert found >= truth - ROUNDING
    assert found == pytest.approx(float(truth), rel=1e-12, abs=1e-30)


@quick
@given(pairs, st.fractions(min_value=0, max_value=1, max_denominator=20))
def test_epsilon_is_the_least_that_holds(pair: FinitePair, delta: Fraction) -> None:
    found = pair.epsilon(delta)
    if found == math.inf:
        assert enumerated_delta(pair, Fraction(200)) > number(delta)
        return
    assert enumerated_delta(pair, Fraction(found)) <= number(delta) + ROUNDING
    if found > 0:
        assert enumerated_delta(pair, Fraction(found * (1 - 1e-12))) > number(delta)


@quick
@given(st.lists(st.tuples(weights, exponents, weights, exponents), min_size=1, max_size=4), st.integers(0, 20))
def test_tradeoff_is_the_least_over_all_randomised_tests(table: list[tuple[Fraction, ...]], twentieths: int) -> None:
    if not any(atom[0] for atom in table) or not any(atom[2] for atom in table):
        return
    pair = FinitePair(tuple(Atom(*atom) for atom in table))
    p, q = laws(pair)
    alpha = mpmath.mpf(twentieths) / 20
    truth = min(enumerated_miss(p, q, alpha), enumerated_miss(q, p, alpha))
    found = pair.tradeoff(Fraction(twentieths, 20))
    assert found <= truth + ROUNDING
    assert found == pytest.approx(float(truth), abs=1e-14)


@quick
@given(pairs, st.fractions(min_value=Fraction(11, 10), max_value=20, max_denominator=10))
def test_rdp_is_the_larger_renyi_sum(pair: FinitePair, order: Fraction) -> None:
    p, q = laws(pair)
    found, a = pair.rdp(order), number(order)
    if any((x == 0) != (y == 0) for x, y in zip(p, q, strict=True)):
        assert found == math.inf
        return
    both = [mpmath.fsum(x**a * y ** (1 - a) for x, y in zip(*way, strict=True)) for way in ((p, q), (q, p))]
    truth = mpmath.log(max(both)) / (a - 1)
    assert found >= truth - ROUNDING
    assert found == pytest.approx(float(truth), rel=1e-12, abs=1e-30)


@quick
@given(pairs, epsilons)
def test_delta_and_tradeoff_are_conjugate(pair: FinitePair, epsilon: Fraction) -> None:
    """No point (α, f(α)) of the curve undercuts α·e^ε + f(α) ≥ 1−δ(ε), and some point (a corner) meets it."""
    delta, factor = pair.delta(epsilon), math.exp(epsilon)
    sums = [k / 20 * factor + pair.tradeoff(Fraction(k, 20)) for k in range(21)]
    assert min(sums) >= 1 - delta - 1e-12
    p, q = laws(pair)
    corners = [mpmath.fsum(x for x, y in zip(*way, strict=True) if y > factor * x) for way in ((p, q), (q, p))]
    met = [float(c) * factor + pair.tradeoff(Fraction(int(c * 10**25), 10**25)) for c in corners]
    assert min(met) == pytest.approx(1 - delta, abs=1e-11)


@quick
@given(pairs)
def test_the_summary_holds_and_core_sets_its_delta_apart(pair: FinitePair) -> None:
    closed = pair.closed
    assert pair.satisfies(closed.exact_epsilon, closed.exact_delta)
    slack, rest = pair.core()
    assert slack == closed.exact_delta
    assert rest.epsilon(0) < math.inf
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(2)):
        assert pair.delta(epsilon) <= float(slack) + float(1 - slack) * rest.delta(epsilon) + 1e-12


def test_a_pair_that_forgets_one_direction_is_caught() -> None:
    """Broken twin: on an asymmetric table the forgotten direction is the worse one, and enumeration says so."""

    class OneWay(FinitePair):
        @cached_property
        def directions(self) -> tuple[BestTests, BestTests]:
            return (super().directions[0],) * 2

    table = (Atom(Fraction(1), Fraction(0), Fraction(9, 10), Fraction(0)), (Fraction(0), 0, Fraction(1, 10), 0))
    epsilon = Fraction(1, 2)
    truth = enumerated_delta(FinitePair(table), epsilon)
    assert truth == pytest.approx(0.1)
    assert FinitePair(table).delta(epsilon) >= truth - ROUNDING
    assert OneWay(table).delta(epsilon) < truth
    assert FinitePair(table).epsilon(0) == math.inf
    assert OneWay(table).epsilon(0) < math.inf
    assert OneWay(table).tradeoff("0.05") > FinitePair(table).tradeoff("0.05")


def test_ties_are_decided_exactly() -> None:
    pair = FinitePair(((1, 1, 1, 0), (1, 0, 1, 1)))
    assert pair.satisfies(1, 0)
    assert not pair.satisfies(Fraction(10**40 - 1, 10**40), 0)
    assert (pair.epsilon(0), pair.delta(1), pair.pure_epsilon, pair.closed) == (1.0, 0.0, 1, Pure(1))
    certain = FinitePair(((1, 0, 0, 0), (3, 0, 3, 0), (0, 0, 1, 0)))
    assert (certain.delta(5), certain.epsilon("1/4"), certain.closed) == (0.25, 0.0, Approx(0, "1/4"))
    assert certain.epsilon("0.2499999999999999999999") == math.inf


def test_answers_bound_the_float_that_they_are_not_the_decimal_it_is_written_as() -> None:
    """The float 0.6 is below 3/5, and the float 0.1 above 1/10: the first would be too low an answer."""
    assert Fraction(FinitePair(((3, 0, 0, 0), (2, 0, 1, 0))).delta(0)) >= Fraction(3, 5)
    assert FinitePair(((1, 0, 0, 0), (9, 0, 1, 0))).delta(0) == 0.1


def test_disjoint_laws_reveal_everything() -> None:
    pair = FinitePair(((1, 0, 0, 0), (0, 0, 1, 0)))
    assert (pair.delta(50), pair.epsilon("0.999"), pair.epsilon(1), pair.tradeoff(0), pair.rdp(2)) == (
        1.0, math.inf, 0.0, 0.0, math.inf,
    )  # fmt: skip
    assert pair.core() == (1, Pure(0))


def test_group_is_the_closed_bound_of_its_summary() -> None:
    assert FinitePair(((1, 1, 1, 0), (1, 0, 1, 1))).group(3) == Pure(3)
    assert FinitePair(((1, 0, 0, 0), (999, 0, 999, 0), (0, 0, 1, 0))).group(3) == Approx(0, "3/1000")


@pytest.mark.parametrize(
    "atoms",
    [
        (),
        ((0, 0, 1, 0),),
        ((1, 0, 0, 0),),
        ((-1, 0, 1, 0),),
        ((float("nan"), 0, 1, 0),),
        ((1, float("inf"), 1, 0),),
        ((True, 0, 1, 0),),
    ],
)
def test_nonsense_is_refused(atoms: tuple[Atom, ...]) -> None:
    with pytest.raises(Refused):
        FinitePair(atoms)
