"""A loss that is proven for one relation stays so, whatever it is converted to; found by walking every conversion."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import pytest

import tacit.loss
from tacit.errors import Refused
from tacit.loss import (
    Accounted,
    Approx,
    Atom,
    BoundedRange,
    CauchyPair,
    Composition,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    Filter,
    FinitePair,
    Gdp,
    LaplacePair,
    Loss,
    Odometer,
    Pure,
    Rdp,
    Relation,
    RepeatedApprox,
    SampledGaussianRenyi,
    Sampling,
    Worst,
    Zcdp,
    account,
    amplified,
    compose,
    fits,
    fixed_size,
    optimal_composition,
    parallel,
    poisson,
    worst,
    zcdp_of,
)
from tacit.loss.accountant.concentrated import described
from tacit.loss.composition.published_bounds import advanced_bound, basic_bound, kov_bound
from tacit.loss.pairs.optimal_composition import MixedApprox
from tacit.loss.sampling.amplification import subsampled_renyi

ADD_REMOVE, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE
HALF = Fraction(1, 2)


def _under(relation: Relation) -> list[Loss]:
    """Losses of every family that can be proven for one relation, under this one."""
    sampled = poisson if relation is ADD_REMOVE else fixed_size
    own: list[Loss] = [
        Pure(1, relation=relation),
        Approx(1, "0.1", relation=relation),
        Zcdp("0.1", relation=relation),
        Zcdp("0.1", "0.01", relation=relation),
        Gdp("0.5", relation=relation),
        Rdp({2: 1, 8: 3}, relation=relation),
        RepeatedApprox(1, 0, 2, relation=relation),
        RepeatedApprox(1, "0.1", 2, relation=relation),
        MixedApprox([Pure(1, relation=relation), Pure(2)]),
        MixedApprox([Approx(1, "0.1", relation=relation), Pure(2)]),
        sampled(Pure(1), HALF),
        sampled(Gdp(1), HALF),
        sampled(Approx(1, "0.1"), HALF),
        sampled(Gdp(1), 0),
        Composition([sampled(Pure(1), HALF), Pure(1)]),
        Composition([sampled(Approx(1, "0.1"), HALF).approx("0.05"), Zcdp(1)]),
        Worst([sampled(Pure(1), HALF), Pure(1)]),
        Accounted.of([(sampled(Pure(1), HALF), 2), (Pure(1), 1)]),
        Accounted.of([(Gdp(1, relation=relation), 2)]),
    ]
    return own if relation is REPLACE else [*own, SampledGaussianRenyi(HALF, Fraction(4), 2)]


UNSTATED: list[Loss] = [
    Pure(1),
    Approx(1, "0.1"),
    Zcdp(1, "0.1"),
    Gdp(1),
    Rdp({2: 1, 8: 3}),
    RepeatedApprox(1, "0.1", 2),
    MixedApprox([Approx(1, "0.1"), Pure(2)]),
    Composition([Pure(1), Gdp(1)]),
    Worst([Pure(1), Gdp(1)]),
    Accounted.of([(Gdp(1), 2)]),
    LaplacePair(Fraction(1)),
    DiscreteLaplacePair(Fraction(1), 1),
    DiscreteGaussianPair(Fraction(4), 1),
    CauchyPair(HALF),
    BoundedRange(Fraction(1)),
    FinitePair((Atom(HALF, Fraction(0), HALF, Fraction(0)), Atom(HALF, Fraction(0), HALF, Fraction(0)))),
]
STATED = [(loss, relation) for relation in Relation for loss in _under(relation)]
SOURCES = [*((loss, frozenset({relation})) for loss, relation in STATED), *((loss, frozenset()) for loss in UNSTATED)]

GIVEN = {"delta": "0.3", "people": 2}  # what a conversion may ask for


def test_every_family_has_an_example() -> None:
    for module in pkgutil.walk_packages(tacit.loss.__path__, "tacit.loss."):
        importlib.import_module(module.name)
    families = {found for found in _below(Loss) if found.__module__.startswith("tacit.loss.")}
    assert {found for found in families if not inspect.isabstract(found)} == {type(loss) for loss, _ in SOURCES}


@pytest.mark.parametrize(("loss", "relations"), SOURCES, ids=str)
def test_every_conversion_keeps_the_relation(loss: Loss, relations: frozenset[Relation]) -> None:
    assert loss.relations == relations
    tried = 0
    for name, found in _conversions(loss):
        tried += 1
        assert found.relations == relations, name
    assert tried


def test_a_conversion_that_forgets_is_seen() -> None:
    class Forgetful(Gdp):
        def closed(self) -> Pure:
            return Pure(1)

    forgetful = Forgetful(1, relation=REPLACE)
    assert {name for name, found in _conversions(forgetful) if found.relations != {REPLACE}} == {"closed"}


@pytest.mark.parametrize(("loss", "relation"), STATED, ids=str)
def test_every_account_keeps_the_relation_and_refuses_the_other(loss: Loss, relation: Relation) -> None:
    other = fixed_size(Pure(1), ".1") if relation is ADD_REMOVE else poisson(Pure(1), ".1")
    for budget in (Pure(99), Approx(99, "0.9"), Zcdp(99, "0.9"), Gdp(99), Rdp({2: 99})):
        charged = _or_none(lambda budget=budget: Filter(budget).charge(loss))
        if charged is None:
            continue
        read = Odometer(charged, Fraction(1, 100)).read()
        for said in (charged.price(loss), charged.spent, charged.left, read):
            assert said.relations == {relation}
        for _, converted in _conversions(other):
            with pytest.raises(Refused, match="under both"):
                charged.charge(converted)


@pytest.mark.parametrize(("loss", "relation"), STATED, ids=str)
def test_sums_keep_the_relation_and_refuse_the_other(loss: Loss, relation: Relation) -> None:
    against = [
        found for one, theirs in STATED if theirs is not relation for found in (one, *dict(_conversions(one)).values())
    ]
    for other in against:
        for make in (
            compose,
            lambda *both: worst(both),
            lambda *both: Composition(both),
            lambda *both: Worst(both),
            fits,
        ):
            with pytest.raises(Refused, match="under both"):
                make(loss, other)
        with pytest.raises(Refused, match="under both"):
            parallel([loss], other_of(relation))
        with pytest.raises(Refused, match="under both"):
            zcdp_of([(loss, 1), (other, 1)], "0.5")
        with pytest.raises(Refused, match="under both"):
            described([(loss, 1), (other, 1)], "0.5")
    for same in (loss, Pure(1), Gdp(1), Zcdp(1), Rdp({2: 1}), Approx(1, "0.1"), Pure(0)):
        for total in (compose(loss, same), worst([loss, same]), Composition([loss, same]), compose(same, loss)):
            assert total.relations == {relation}


@pytest.mark.parametrize("relation", Relation)
def test_functions_of_losses_keep_the_relation(relation: Relation) -> None:
    sampling = Sampling.POISSON if relation is ADD_REMOVE else Sampling.FIXED_SIZE
    sampled = poisson if relation is ADD_REMOVE else fixed_size
    part, none = Approx(1, "0.01", relation=relation), Approx(1, "0.02")
    for found in (
        optimal_composition([part, part]),
        optimal_composition([part, Approx(1, "0.01")]),
        optimal_composition([part, none]),
        basic_bound([part, none]),
        advanced_bound(part, 3, "0.01"),
        kov_bound([part, none], "0.01"),
        amplified(none, "0.1", sampling, relation),
        amplified(Pure(1), "0.1", sampling, relation),
        subsampled_renyi(Gdp(1), "0.1", [2, 3], sampling, relation),
        zcdp_of([(sampled(Gdp(1), "0.1"), 3)], "1e-3"),
        zcdp_of([(sampled(Pure("0.1"), "0.1"), 3), (Pure("0.1"), 1)], "1e-3"),
        zcdp_of([(Gdp(1, relation=relation), 3)], "1e-3"),
    ):
        assert found.relations == {relation}
    assert {loss.relations for loss, _ in account([(Gdp(1), 1), (Gdp(1, relation=relation), 1)]).parts} == {
        frozenset({relation})
    }


@pytest.mark.parametrize("relation", Relation)
def test_functions_of_losses_refuse_the_other_relation(relation: Relation) -> None:
    sampling = Sampling.POISSON if relation is ADD_REMOVE else Sampling.FIXED_SIZE
    sampled = poisson if relation is ADD_REMOVE else fixed_size
    own, other = Approx(1, "0.01", relation=relation), Approx(1, "0.01", relation=other_of(relation))
    asked: list[Callable[[], object]] = [
        lambda: optimal_composition([own, other]),
        lambda: optimal_composition([own, other, Pure(2)]),
        lambda: basic_bound([own, other]),
        lambda: kov_bound([own, other], "0.01"),
        lambda: amplified(other, "0.1", sampling, relation),
        lambda: sampled(other, "0.1"),
        lambda: subsampled_renyi(Gdp(1, relation=other_of(relation)), "0.1", [2], sampling, relation),
        lambda: account([(Gdp(1, relation=relation), 1), (Gdp(1, relation=other_of(relation)), 1)]),
    ]
    for ask in asked:
        with pytest.raises(Refused, match="under both"):
            ask()


def test_a_loss_that_states_no_relation_is_as_it_was() -> None:
    for stated, plain in ((Pure(1, relation=None), Pure(1)), (Zcdp(1).approx("0.1"), Zcdp(1).approx("0.1"))):
        assert stated == plain
        assert hash(stated) == hash(plain)
    assert Pure(1, relation=REPLACE) != Pure(1)
    assert Pure(1, relation=REPLACE) != Pure(1, relation=ADD_REMOVE)
    assert str(Pure(1, relation=REPLACE)) == str(Pure(1))
    for make in (Pure, Zcdp, Gdp):
        with pytest.raises(Refused, match="no neighbour relation"):
            make(1, relation="replace")


def other_of(relation: Relation) -> Relation:
    return REPLACE if relation is ADD_REMOVE else ADD_REMOVE


def _below(family: type[Loss]) -> Iterator[type[Loss]]:
    for found in family.__subclasses__():
        yield found
        yield from _below(found)


def _conversions(loss: Loss) -> Iterator[tuple[str, Loss]]:
    """What every public method and property gives that is a loss, found by calling all whose arguments are known."""
    for name in dir(type(loss)):
        if name.startswith("_"):
            continue
        asked = inspect.getattr_static(type(loss), name)
        if isinstance(asked, classmethod | staticmethod):
            continue
        given: dict[str, Any] = {}
        if inspect.isfunction(asked):
            names = list(inspect.signature(asked).parameters)[1:]
            if "Loss" not in _said(asked) and not any(family.__name__ in _said(asked) for family in _below(Loss)):
                continue
            assert set(names) <= set(GIVEN), f"{name} asks for {names}: say what to give"
            given = {each: GIVEN[each] for each in names}
        found = _or_none(lambda name=name, given=given: _asked(loss, name, given))
        yield from ((name, each) for each in _losses(found))


def _said(method: Callable[..., object]) -> str:
    return str(method.__annotations__.get("return", "Loss"))  # one that does not say what it gives is called


def _asked(loss: Loss, name: str, given: dict[str, Any]) -> object:
    found = getattr(loss, name)
    return found(**given) if inspect.ismethod(found) else found


def _or_none(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except Refused:
        return None


def _losses(found: object) -> Iterable[Loss]:
    """The loss that a conversion gave, alone or beside a number. (Parts are no conversions.)"""
    if isinstance(found, Loss):
        return [found]
    if isinstance(found, tuple) and found and isinstance(found[0], Fraction):
        return [each for each in found[1:] if isinstance(each, Loss)]
    return []
