"""Whole mechanisms on small domains, every output and every neighbour enumerated, against the pairs that price them."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.loss.families.loss import Loss
from tacit.loss.pairs.additive_noise import DiscreteGaussianPair, DiscreteLaplacePair, LaplacePair
from tacit.loss.pairs.bounded_range import BoundedRange
from tacit.loss.pairs.response_pairs import forced_response, kary_response, optimal_response, warner_response

Law = Sequence[mpmath.mpf]
EPSILONS = [Fraction(k, 8) for k in (0, 1, 2, 4, 7, 12, 20)]
ORDERS = [Fraction(5, 4), Fraction(2), Fraction(5), Fraction(33, 2)]
quick = settings(deadline=None, max_examples=25)


def number(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def hockey_stick(p: Law, q: Law, epsilon: Fraction) -> mpmath.mpf:
    factor = mpmath.exp(number(epsilon))
    return mpmath.fsum(max(mpmath.mpf(0), x - factor * y) for x, y in zip(p, q, strict=True))


def renyi(p: Law, q: Law, order: Fraction) -> mpmath.mpf:
    a = number(order)
    terms = [x**a * y ** (1 - a) for x, y in zip(p, q, strict=True) if x > 0]
    return mpmath.log(mpmath.fsum(terms)) / (a - 1)


def covers(loss: Loss, laws: Sequence[Law], rounding: float = 1e-20, finite: bool = True) -> bool:
    """Whether the loss bounds every ordered pair of the laws: δ at each ε and, where finite, each Rényi order."""
    return all(
        all(hockey_stick(p, q, epsilon) <= mpmath.mpf(loss.delta(epsilon)) + rounding for epsilon in EPSILONS)
        and (not finite or all(renyi(p, q, order) <= mpmath.mpf(loss.rdp(order)) + rounding for order in ORDERS))
        for p, q in permutations(laws, 2)
    )


def meets(loss: Loss, laws: Sequence[Law], tolerance: float = 1e-14) -> bool:
    """Whether some pair of the laws attains the loss at each ε: the price is not too high either."""
    return all(
        abs(max(hockey_stick(p, q, epsilon) for p, q in permutations(laws, 2)) - loss.delta(epsilon)) <= tolerance
        for epsilon in EPSILONS
    )


def report_law(truth: int, options: int, keep: mpmath.mpf) -> Law:
    """K-ary response as it is carried out: keep the answer, or draw one of all K uniformly."""
    return [(1 - keep) / options + (keep if answer == truth else 0) for answer in range(options)]


@pytest.mark.parametrize("options", [2, 3, 10])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(2)])
def test_kary_response(options: int, epsilon: Fraction) -> None:
    e = mpmath.exp(number(epsilon))
    laws = [report_law(truth, options, (e - 1) / (e + options - 1)) for truth in range(options)]
    assert covers(kary_response(epsilon, options), laws)
    assert meets(kary_response(epsilon, options), laws)
    overconfident = [report_law(truth, options, e / (e + options - 1)) for truth in range(options)]
    assert not covers(kary_response(epsilon, options), overconfident)  # broken twin: keeps too often


@quick
@given(st.integers(0, 9), st.integers(1, 9), st.integers(1, 9))
def test_polls_of_two_answers(truth: int, yes: int, no: int) -> None:
    n = truth + yes + no
    p, p1, p0 = (mpmath.mpf(k) / n for k in (truth, yes, no))
    forced = forced_response(Fraction(truth, n), Fraction(yes, n), Fraction(no, n))
    laws = [[p + p1, p0], [p1, p + p0]]
    assert covers(forced, laws)
    assert meets(forced, laws)
    warner = warner_response(Fraction(yes, yes + no))
    keep = mpmath.mpf(yes) / (yes + no)
    assert covers(warner, [[keep, 1 - keep], [1 - keep, keep]])
    assert meets(warner, [[keep, 1 - keep], [1 - keep, keep]])


def test_the_optimal_response_covers_what_epsilon_delta_permits() -> None:
    """With probability δ the row itself, else a coin: and a coin that is blurred further, or turned round."""
    epsilon, delta = Fraction(1), Fraction(1, 10)
    e, d = mpmath.e, mpmath.mpf(1) / 10
    worst = [[d, (1 - d) * e / (1 + e), (1 - d) / (1 + e), 0], [0, (1 - d) / (1 + e), (1 - d) * e / (1 + e), d]]
    pair = optimal_response(epsilon, delta)
    assert covers(pair, worst, finite=False)
    assert meets(pair, worst)
    blurred = [[law[0] + law[1] / 2, law[1] / 2 + law[2], law[3]] for law in worst]
    assert covers(pair, blurred, finite=False)


scores = st.lists(st.integers(0, 3), min_size=2, max_size=5)


@quick
@given(scores, st.data(), st.sampled_from([Fraction(1, 2), Fraction(2), Fraction(4)]))
def test_exponential_mechanism(quality: list[int], data: st.DataObject, epsilon: Fraction) -> None:
    """Scores that move by −1, 0 or 1 each (Δ = 1), P ∝ exp(εq/2)."""
    moved = [q + data.draw(st.integers(-1, 1)) for q in quality]

    def law(of: list[int]) -> Law:
        weights = [mpmath.exp(number(epsilon) * q / 2) for q in of]
        return [w / mpmath.fsum(weights) for w in weights]

    p, q = law(quality), law(moved)
    loss = BoundedRange(epsilon)
    assert covers(loss, [p, q])
    for cut in range(1, 2 ** len(p)):
        chosen = [i for i in range(len(p)) if cut >> i & 1]
        alarm, miss = mpmath.fsum(p[i] for i in chosen), 1 - mpmath.fsum(q[i] for i in chosen)
        alpha = min(Fraction(1), Fraction(int(alarm * 10**20) + 1, 10**20))
        assert loss.tradeoff(alpha) <= miss + mpmath.mpf(10) ** -18


def test_an_exponential_mechanism_at_twice_the_rate_is_caught() -> None:
    weights = [[mpmath.exp(2 * q) for q in scores] for scores in ([1, 0, 0], [0, 1, 1])]
    laws = [[w / mpmath.fsum(law) for w in law] for law in weights]
    assert not covers(BoundedRange(Fraction(2)), laws)


def geometric(rate: float, shift: int, reach: int) -> Law:
    t = mpmath.exp(-mpmath.mpf(rate))
    return [(1 - t) / (1 + t) * t ** abs(x - shift) for x in range(-reach, reach + 1)]


def gaussian(variance: float, shift: int, reach: int) -> Law:
    whole = mpmath.fsum(mpmath.exp(-mpmath.mpf(x * x) / (2 * variance)) for x in range(-reach, reach + 1))
    return [mpmath.exp(-mpmath.mpf((x - shift) ** 2) / (2 * variance)) / whole for x in range(-reach, reach + 1)]


def times(left: Law, right: Law) -> Law:
    return [x * y for x, y in product(left, right)]


@pytest.mark.parametrize("shifts", [(1, 1), (2, 1), (3, 0)])
def test_integer_vectors_cost_at_most_their_l1_shift(shifts: tuple[int, int]) -> None:
    """Two coordinates with shifts a and b are dominated by one coordinate with shift a+b (pair.py's chain)."""
    a, b = shifts
    laplace = [times(geometric(1.5, 0, 22), geometric(1.5, 0, 22)), times(geometric(1.5, a, 22), geometric(1.5, b, 22))]
    assert covers(DiscreteLaplacePair(Fraction(3, 2), a + b), laplace, rounding=1e-11)
    normal = [times(gaussian(2, 0, 14), gaussian(2, 0, 14)), times(gaussian(2, a, 14), gaussian(2, b, 14))]
    assert covers(DiscreteGaussianPair(Fraction(2), a + b), normal, rounding=1e-11, finite=False)
    assert not covers(DiscreteLaplacePair(Fraction(3, 2), a + b - 1), laplace, rounding=1e-11)  # broken twin


def test_rounded_laplace_noise_is_covered_by_the_laplace_pair() -> None:
    """Rounding real Laplace noise to integers is post-processing; shifting by less than Δ costs less."""

    def rounded(shift: float) -> Law:
        def below(x: float) -> mpmath.mpf:
            at = mpmath.mpf(x) - mpmath.mpf(shift)
            return mpmath.exp(at) / 2 if at < 0 else 1 - mpmath.exp(-at) / 2

        return [below(k + 0.5) - below(k - 0.5) for k in range(-50, 51)]

    assert covers(LaplacePair(Fraction(5, 4)), [rounded(0), rounded(0.25), rounded(1.25)], rounding=1e-15)
    assert not covers(LaplacePair(Fraction(1)), [rounded(0), rounded(1.25)], rounding=1e-15)
    assert math.isclose(LaplacePair(Fraction(5, 4)).epsilon(0), 1.25)
