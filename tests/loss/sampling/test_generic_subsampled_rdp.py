"""Generic Rényi bounds for samples: never below any finite law they speak of."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.loss import Approx, Gdp, LaplacePair, Pure, Rdp, Relation
from tacit.loss.sampling.amplification import Sampling, subsampled_rdp, subsampled_renyi
from tacit.loss.sampling.gaussian_renyi import poisson_gaussian_rdp

ADD_REMOVE, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE
POISSON, FIXED = Sampling.POISSON, Sampling.FIXED_SIZE
LAW = st.lists(st.floats(0.001, 1), min_size=3, max_size=3).map(lambda w: [x / sum(w) for x in w])


def divergence(p: list[float], q: list[float], order: int) -> float:
    return math.log(math.fsum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True))) / (order - 1)


def base_of(laws: list[list[float]], highest: int) -> Rdp:
    """The least Rényi privacy of mutually neighbouring laws, a hair above."""
    worst = {n: max(divergence(a, b, n) for a in laws for b in laws) for n in range(2, highest + 1)}
    return Rdp({n: max(0.0, r) + 1e-12 for n, r in worst.items()})


@settings(max_examples=300, deadline=None)
@given(LAW, LAW, st.floats(0.001, 0.999), st.integers(2, 9))
def test_poisson_bounds_both_directions(p: list[float], q: list[float], rate: float, order: int) -> None:
    bound = subsampled_rdp(base_of([p, q], order), rate, order, POISSON, ADD_REMOVE)
    mixed = [(1 - rate) * b + rate * a for a, b in zip(p, q, strict=True)]
    assert divergence(mixed, q, order) <= bound + 1e-10
    assert divergence(q, mixed, order) <= bound + 1e-10


@settings(max_examples=300, deadline=None)
@given(LAW, LAW, LAW, st.floats(0.001, 0.999), st.integers(2, 9))
def test_fixed_size_bounds_three_neighbours(
    p: list[float], q: list[float], r: list[float], rate: float, order: int
) -> None:
    bound = subsampled_rdp(base_of([p, q, r], order), rate, order, FIXED, REPLACE)
    ours = [(1 - rate) * c + rate * a for a, c in zip(p, r, strict=True)]
    theirs = [(1 - rate) * c + rate * b for b, c in zip(q, r, strict=True)]
    assert divergence(ours, theirs, order) <= bound + 1e-10


@settings(max_examples=200, deadline=None)
@given(st.floats(0.05, 2), st.floats(0.001, 0.999), st.integers(2, 9))
def test_fixed_size_of_pure_releases(epsilon: float, rate: float, order: int) -> None:
    """Three-valued responses are mutually ε-near; here r(∞) is finite and its part of the bound is in use."""
    bound = subsampled_rdp(Pure(epsilon), rate, order, FIXED, REPLACE)
    high = math.exp(epsilon) / (math.exp(epsilon) + 2)
    low = (1 - high) / 2
    p, q, r = [high, low, low], [low, high, low], [low, low, high]
    ours = [(1 - rate) * c + rate * a for a, c in zip(p, r, strict=True)]
    theirs = [(1 - rate) * c + rate * b for b, c in zip(q, r, strict=True)]
    assert divergence(ours, theirs, order) <= bound + 1e-10
    assert bound <= Pure(epsilon).rdp(order)


def test_a_bound_without_its_factors_would_be_caught() -> None:
    """The broken twin: q²C(α,2)(e^{r(2)}−1) without its factor 4 falls below a fixed-size sample's divergence."""
    rate = 0.002
    laws = [[0.06, 0.42, 0.52], [0.91, 0.03, 0.06], [0.07, 0.0125, 0.9175]]
    ours, theirs = ([(1 - rate) * c + rate * a for a, c in zip(law, laws[2], strict=True)] for law in laws[:2])
    base = base_of(laws, 2)
    truth = divergence(ours, theirs, 2)
    assert math.log1p(rate**2 * math.expm1(base.rdp(2))) < truth
    assert truth <= subsampled_rdp(base, rate, 2, FIXED, REPLACE)


def test_the_closed_form_is_tighter() -> None:
    for order in (2, 3, 8, 20):
        closed = poisson_gaussian_rdp("0.01", 1, order)
        generic = subsampled_rdp(Gdp(1), "0.01", order, POISSON, ADD_REMOVE)
        assert closed <= generic <= Gdp(1).rdp(order)
        assert generic <= 4 * closed


def test_as_a_loss() -> None:
    loss = subsampled_renyi(LaplacePair(Fraction(1)), "0.01", range(2, 65), POISSON, ADD_REMOVE)
    assert loss.epsilon("1e-6") < LaplacePair(Fraction(1)).epsilon("1e-6")
    assert loss.orders[0] == 2
    with pytest.raises(Refused, match="none at these orders"):
        subsampled_renyi(Approx(1, "0.1"), "0.01", [2, 3], POISSON, ADD_REMOVE)
    assert subsampled_rdp(Gdp(1), 0, 5, POISSON, ADD_REMOVE) == 0.0
    assert subsampled_rdp(Gdp(1), 1, 5, FIXED, REPLACE) == Gdp(1).rdp(5)


def test_other_pairs_and_orders_are_refused() -> None:
    for sampling, relation in ((POISSON, REPLACE), (FIXED, ADD_REMOVE)):
        with pytest.raises(Refused):
            subsampled_rdp(Pure(1), "0.1", 2, sampling, relation)
    for order in (1, 2.5, True, math.nan):
        with pytest.raises(Refused):
            subsampled_rdp(Pure(1), "0.1", order, POISSON, ADD_REMOVE)  # type: ignore[arg-type]  # that is the point
