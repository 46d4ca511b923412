"""Losses on samples are composed under one relation only."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tacit.errors import Refused
from tacit.loss import (
    Accounted,
    Composition,
    Filter,
    Gdp,
    Loss,
    Odometer,
    Pure,
    Relation,
    SampledGaussianRenyi,
    Worst,
    Zcdp,
    account,
    compose,
    fixed_size,
    parallel,
    poisson,
    worst,
    zcdp_of,
)


def test_two_relations_in_one_account_are_refused() -> None:
    parts = [poisson(Gdp(1), "0.1"), fixed_size(Gdp(1), "0.1")]
    for make in (lambda: account((part, 3) for part in parts), lambda: Composition(parts), lambda: compose(*parts)):
        with pytest.raises(Refused, match="under both"):
            make()


def test_poisson_parts_side_by_side_under_replace_are_refused() -> None:
    one = poisson(Pure(2), "0.3")
    for parts in ([one, one], [Worst([one, Gdp(1)]), one]):
        with pytest.raises(Refused, match="under both"):
            parallel(parts, Relation.REPLACE)
    assert parallel([one, one], Relation.ADD_REMOVE) == one


def test_one_order_for_both_parts_would_have_been_below_the_truth() -> None:
    """By enumeration: who leaves one sample and enters another meets the two pairs in opposite orders."""
    heads = np.exp(2) / (1 + np.exp(2))
    without = np.array([1 - heads, heads])
    mixed = 0.7 * without + 0.3 * without[::-1]
    first, second = np.outer(mixed, without), np.outer(without, mixed)
    truth = float(np.maximum(first - np.exp(0.8) * second, 0).sum())
    one = poisson(Pure(2), "0.3")
    assert account([(one, 2)]).delta("0.8").upper < 0.7 * truth


def test_a_filter_keeps_to_the_relation_of_its_first_charge() -> None:
    """Under replace the second release alone can cost 1.0, and the sum of the two would have been called 0.317."""
    first, second = fixed_size(Pure(1), ".1"), poisson(Pure(1), ".1")
    for one, other in ((first, second), (second, first)):
        bound = Filter(Pure("0.32")).charge(one)
        for ask in (bound.charge, bound.admits, bound.price, bound.share, bound.how_many_more):
            with pytest.raises(Refused, match="under both"):
                ask(other)
        with pytest.raises(Refused, match="under both"):
            Odometer(Filter(Pure("0.32")), Fraction(1, 10**6)).charge(one).charge(other)
        assert bound.charge(one).relation is one.relation
        assert bound.charge(Pure("0.01")).relation is one.relation
    with pytest.raises(Refused, match="under both"):
        Filter(Pure(1), relation=Relation.REPLACE).charge(second)


def test_a_conversion_does_not_hide_the_relation() -> None:
    """By their (ε, δ), ρ or μ the two releases are what they were: proven for one relation each."""
    first, second = fixed_size(Pure(1), ".1"), poisson(Pure(1), ".1")
    conversions: list[Callable[[Loss], Loss]] = [
        lambda loss: loss.approx(0),
        lambda loss: loss.approx("0.01"),
        lambda loss: loss.zcdp(),
        lambda loss: loss.gdp(),
        lambda loss: loss.approx(0).core()[1],
        lambda loss: loss.approx(0).group(2),
        lambda loss: zcdp_of([(loss, 3)], "1e-3"),
    ]
    for one, other in product(conversions, repeat=2):
        with pytest.raises(Refused, match="under both"):
            Filter(Zcdp(99, "0.9")).charge(one(first)).charge(other(second))
        with pytest.raises(Refused, match="under both"):
            compose(one(first), other(second))
        with pytest.raises(Refused, match="under both"):
            worst([one(first), other(second)])


def test_poisson_samples_under_replace_cost_what_the_filter_must_not_call_less() -> None:
    """By enumeration: the replaced record is drawn by the same coin, and is the other record in one of the worlds."""
    heads = np.exp(1) / (1 + np.exp(1))
    told = np.array([heads, 1 - heads])
    worlds = [np.concatenate([[0.9], 0.1 * law]) for law in (told, told[::-1])]  # left out, or in and told by a coin
    assert np.log(worlds[0] / worlds[1]).max() == pytest.approx(1.0)
    assert poisson(Pure(1), ".1").epsilon(0) < 0.16


def test_the_worst_of_two_relations_is_refused() -> None:
    first, second = fixed_size(Gdp(1), ".1"), poisson(Gdp(1), ".1")
    steps = SampledGaussianRenyi(Fraction(1, 10), Fraction(4), 10)
    plans = [Accounted.of([(second, 3)]), Worst([second, Gdp(1)]), Composition([second, Gdp(1)]), steps]
    for other in (second, *plans):
        for make in (lambda o: worst([first, o]), lambda o: Worst([first, o]), lambda o: compose(first, o)):
            with pytest.raises(Refused, match="under both"):
                make(other)
        assert other.relations == {Relation.ADD_REMOVE}


def test_one_relation_and_losses_that_state_none_go_together() -> None:
    assert account([(poisson(Gdp(1), "0.1"), 3), (poisson(Pure(1), "0.2"), 1), (Gdp(1), 1)]).parts
    assert parallel([fixed_size(Pure(1), "0.1"), Pure(1)], Relation.REPLACE)
