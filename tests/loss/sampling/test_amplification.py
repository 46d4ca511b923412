"""Amplification by sub-sampling: the formula, attained; and where sampling and relation make it false."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.loss import Approx, Atom, FinitePair, Gdp, Pure, Relation, dominates
from tacit.loss.sampling.amplification import Sampling, amplified

ADD_REMOVE, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE
POISSON, FIXED = Sampling.POISSON, Sampling.FIXED_SIZE
ZERO = Fraction(0)


def hockey_stick(p: list[float], q: list[float], epsilon: float) -> float:
    return math.fsum(max(0.0, a - math.exp(epsilon) * b) for a, b in zip(p, q, strict=True))


@settings(max_examples=60, deadline=None)
@given(st.floats(0.05, 3), st.floats(0, 0.3), st.floats(0.01, 0.99))
def test_poisson_is_attained_under_add_remove(epsilon: float, delta: float, rate: float) -> None:
    """Equality for the optimal response: the formula is right and cannot be improved."""
    found = amplified(Approx(epsilon, delta), rate, POISSON, ADD_REMOVE)
    e = math.exp(epsilon)
    with_person = [delta, (1 - delta) * e / (1 + e), (1 - delta) / (1 + e), 0.0]
    without = [0.0, (1 - delta) / (1 + e), (1 - delta) * e / (1 + e), delta]
    sampled = [(1 - rate) * b + rate * a for a, b in zip(with_person, without, strict=True)]
    out = float(found.exact_epsilon)
    assert hockey_stick(sampled, without, out) == pytest.approx(float(found.exact_delta), abs=1e-12)
    assert hockey_stick(without, sampled, out) <= float(found.exact_delta) + 1e-12


def simplex(size: int) -> st.SearchStrategy[list[float]]:
    return st.lists(st.floats(0.01, 1), min_size=size, max_size=size).map(lambda w: [x / sum(w) for x in w])


@settings(max_examples=100, deadline=None)
@given(simplex(4), simplex(4), simplex(4), st.floats(0.01, 0.99), st.floats(0, 1))
def test_fixed_size_holds_under_replace(
    p: list[float], q: list[float], r: list[float], rate: float, epsilon: float
) -> None:
    """Any three mutually neighbouring laws: the sample holds the person in either form, or somebody else."""
    delta = max(hockey_stick(a, b, epsilon) for a in (p, q, r) for b in (p, q, r))
    found = amplified(Approx(epsilon, min(1.0, delta + 1e-15)), rate, FIXED, REPLACE)
    ours = [(1 - rate) * c + rate * a for a, c in zip(p, r, strict=True)]
    theirs = [(1 - rate) * c + rate * b for b, c in zip(q, r, strict=True)]
    assert hockey_stick(ours, theirs, float(found.exact_epsilon)) <= float(found.exact_delta) + 1e-12


def test_poisson_under_replace_is_false() -> None:
    """One person, q = 1/10, ε = 1: an empty sample says so, a full one tosses the coin. The loss stays 1."""
    e = Fraction(1)
    rate = Fraction(1, 10)
    sampled = FinitePair(
        (
            Atom(rate, e, rate, ZERO),
            Atom(rate, ZERO, rate, e),
            Atom(1 - rate, e, 1 - rate, e),
            Atom(1 - rate, ZERO, 1 - rate, ZERO),
        )
    )
    assert sampled.pure_epsilon == 1
    formula = amplified(Pure(1), rate, POISSON, ADD_REMOVE)
    assert float(formula.exact_epsilon) == pytest.approx(0.159, abs=1e-3)
    assert not dominates(formula, sampled)
    with pytest.raises(Refused, match="counterexample"):
        amplified(Pure(1), rate, POISSON, REPLACE)


def test_fixed_size_under_add_remove_is_refused() -> None:
    with pytest.raises(Refused, match="number of people"):
        amplified(Pure(1), "0.1", FIXED, ADD_REMOVE)


def test_exact_ends() -> None:
    loss = Approx(1, "0.1")
    assert amplified(loss, 1, POISSON, ADD_REMOVE) == loss
    assert amplified(loss, 0, FIXED, REPLACE) == Approx(0, 0, relation=REPLACE)
    assert amplified(loss, "1/4", FIXED, REPLACE).exact_delta == Fraction(1, 40)
    small = amplified(Pure(1), "1e-9", POISSON, ADD_REMOVE)
    assert isinstance(small, Pure)
    assert Fraction(math.expm1(1)) / 10**9 * (1 - Fraction(1, 10**8)) < small.exact_epsilon < loss.exact_epsilon


@pytest.mark.parametrize("rate", [-1, 2, math.nan, math.inf, "q", True])
def test_what_is_no_rate_is_refused(rate: float) -> None:
    """R08."""
    with pytest.raises(Refused):
        amplified(Pure(1), rate, POISSON, ADD_REMOVE)


def test_other_losses_and_other_words_are_refused() -> None:
    with pytest.raises(Refused, match="alone"):
        amplified(Gdp(1), "0.1", POISSON, ADD_REMOVE)  # type: ignore[arg-type]  # that is the point
    with pytest.raises(Refused):
        amplified(Pure(1), "0.1", "Poisson", ADD_REMOVE)  # type: ignore[arg-type]  # likewise
    with pytest.raises(Refused):
        amplified(Pure(1), "0.1", POISSON, "add/remove")  # type: ignore[arg-type]  # likewise
