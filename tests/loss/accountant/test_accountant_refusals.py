"""R08: nothing that is not a number, a count or a pair gets into an account; refusals say what would do instead."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tacit.errors import Refused
from tacit.loss import Approx, BoundedRange, Composition, FinitePair, Gdp, LaplacePair, Pure, Rdp, Zcdp, forced_response
from tacit.loss.accountant import Bracket, account
from tacit.loss.accountant.account import closed_form
from tacit.loss.pairs.finite_pair import Atom
from tacit.loss.pairs.optimal_composition import MixedApprox
from tacit.loss.pairs.repeated_approx import RepeatedApprox
from tacit.loss.sampling.subsampled import fixed_size, poisson

JUNK: list[Any] = [math.nan, math.inf, -math.inf, -1, True, None, 1j, "ten", b"1", [], np.array([1.0])]
SAMPLED = account([(poisson(Gdp(1), "0.01"), 10)])


@pytest.mark.parametrize("junk", [*JUNK, 0, 1.5, 1e-300])
def test_a_delta_that_is_none(junk: Any) -> None:
    with pytest.raises(Refused):
        SAMPLED.epsilon(junk)


@pytest.mark.parametrize("junk", JUNK)
def test_an_epsilon_that_is_none(junk: Any) -> None:
    with pytest.raises(Refused):
        SAMPLED.delta(junk)


@pytest.mark.parametrize("junk", [*(junk for junk in JUNK if junk is not None), 0])  # None demands none
def test_a_gap_that_is_none(junk: Any) -> None:
    with pytest.raises(Refused):
        SAMPLED.epsilon("1e-5", junk)
    with pytest.raises(Refused):
        SAMPLED.delta(1, junk)


@pytest.mark.parametrize("junk", [*JUNK, 1.0, 0.5, Fraction(1, 2)])
def test_times_that_are_no_count(junk: Any) -> None:
    with pytest.raises(Refused):
        account([(Gdp(1), junk)])


@pytest.mark.parametrize("part", [Zcdp("0.1"), Rdp({2: 1}), BoundedRange(Fraction(1)), 0.5, None])
def test_a_part_without_a_pair(part: Any) -> None:
    with pytest.raises(Refused) as refusal:
        account([(Gdp(1), 1), (part, 3)])
    assert refusal.value.accepted


def test_the_cure_is_accepted() -> None:
    assert account([(Gdp(1), 1), (Zcdp("0.1").approx("1e-7"), 1)]).epsilon("1e-6").upper < math.inf


def test_a_loss_that_hides_nothing_is_refused_not_guessed() -> None:
    with pytest.raises(Refused):
        account([(poisson(Gdp(10**6), "0.1"), 2)]).epsilon("1e-6")
    assert account([(LaplacePair(1000), 2)]).epsilon("1e-6").upper == 2000  # by the sum of the pure ε


def test_a_gap_beyond_floats_is_refused() -> None:
    with pytest.raises(Refused):
        account([(poisson(Gdp(1), "0.01"), 1000)]).epsilon("1e-5", "1e-13")


def test_an_asymmetric_pair_on_fixed_size_samples_is_refused() -> None:
    table = FinitePair((Atom(*map(Fraction, (3, 0, 1, 0))), Atom(*map(Fraction, (1, 0, 2, 0)))))
    with pytest.raises(Refused):
        account([(fixed_size(table, "0.1"), 3)])


def test_what_is_composed_is_taken_apart() -> None:
    whole = Composition([LaplacePair("0.1"), LaplacePair("0.1"), Gdp("0.01")])
    assert account([(whole, 3)]).parts == account([(LaplacePair("0.1"), 6), (Gdp("0.03"), 1)]).parts
    assert closed_form(account([(RepeatedApprox("0.1", 0, 4), 5)]).parts) == RepeatedApprox("0.1", 0, 20)
    assert len(account([(MixedApprox([Pure("0.1"), Pure("0.2")]), 1)]).parts) == 2


def test_brackets() -> None:
    found = Bracket(1.0, 2.0)
    assert found.contains(1.5)
    assert not found.contains(2.1)
    assert found.gap == 1.0
    assert Bracket(math.inf, math.inf).gap == 0.0
    assert str(found) == "between 1 and 2"
    for ends in ((2.0, 1.0), (math.nan, 1.0), (1.0, math.nan)):
        with pytest.raises(Refused):
            Bracket(*ends)


def test_a_table_that_is_not_the_same_both_ways_is_refused_in_company() -> None:
    """Yes in one poll and no in the next: the mixture of both orders costs more than either order alone."""
    forced = forced_response("0.5", "0.4", "0.1")
    with pytest.raises(Refused):
        account([(forced, 2)])
    with pytest.raises(Refused):
        account([(poisson(forced, "0.1"), 2)])
    alone = account([(forced, 1)]).delta("0.5")
    assert alone.contains(forced.delta("0.5"))
    p, q = (0.9, 0.1), (0.4, 0.6)  # yes, no: given yes, given no
    epsilon = 1.6
    mixed, same = (
        sum(max(0.0, p[i] * a[j] - math.exp(epsilon) * q[i] * b[j]) for i in (0, 1) for j in (0, 1))
        for a, b in ((q, p), (p, q))
    )
    back = sum(max(0.0, q[i] * q[j] - math.exp(epsilon) * p[i] * p[j]) for i in (0, 1) for j in (0, 1))
    found = account([(forced, 2)], same_world=True).delta(epsilon)
    assert found.lower * (1 - 1e-9) <= max(same, back) <= found.upper * (1 + 1e-9)
    assert mixed > max(same, back)


def test_beyond_the_largest_loss_only_giveaways_are_left() -> None:
    assert account([(LaplacePair("0.1"), 5)]).delta(1) == Bracket(0.0, 0.0)
    found = account([(Approx("0.1", "0.001"), 5000), (LaplacePair("0.1"), 5)]).delta(501)
    assert found.contains(1 - 0.999**5000)
    assert found.gap < 1e-9
