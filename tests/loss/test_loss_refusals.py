"""R08: no parameter of a loss fails open. NaN, infinities, negatives, bools and junk are refused before they count."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tacit.errors import Refused
from tacit.loss import (
    Approx,
    Gdp,
    Pure,
    Rdp,
    Relation,
    Zcdp,
    compose,
    describe,
    gaussian_variance,
    group_tradeoff,
    laplace_scale,
    parallel,
    posterior,
    utility_change,
)

JUNK: list[Any] = [
    *(math.nan, math.inf, -math.inf, -1, -1e-300, True, False, None, 1j, np.nan, np.bool_(True), np.array([1.0])),
    *("", "ten", "nan", "1/0", "1e999999999", b"1", [], {}, Decimal("NaN"), Decimal("-Infinity")),
]

EPSILON: dict[str, Callable[[Any], Any]] = {
    "Pure": Pure,
    "Approx ε": lambda x: Approx(x, 0),
    "Zcdp ρ": Zcdp,
    "Gdp μ²": Gdp,
    "Gdp μ": Gdp.from_mu,
    "Rdp value": lambda x: Rdp([(2, x)]),
    **{f"{type(loss).__name__}.delta": loss.delta for loss in (Pure(1), Zcdp(1), Gdp(1), Rdp({2: 1}))},
    "Composition.delta": compose(Pure(1), Gdp(1)).delta,
    "utility": lambda x: utility_change(Pure(1)).bounds(x, 10),
}
PROBABILITY: dict[str, Callable[[Any], Any]] = {
    "Approx δ": lambda x: Approx(1, x),
    "Zcdp δ": lambda x: Zcdp(1, x),
    **{f"{type(loss).__name__}.epsilon": loss.epsilon for loss in (Pure(1), Zcdp(1), Gdp(1), Rdp({2: 1}))},
    **{f"{type(loss).__name__}.tradeoff": loss.tradeoff for loss in (Pure(1), Zcdp(1), Gdp(1), Rdp({2: 1}))},
    "Composition.epsilon": compose(Pure(1), Gdp(1)).epsilon,
    "Composition.tradeoff": compose(Pure(1), Gdp(1)).tradeoff,
    "approx": Gdp(1).approx,
    "group_tradeoff": lambda x: group_tradeoff(Gdp(1), 2, x),
    "utility_change": lambda x: utility_change(Pure(1), x),
    "posterior": lambda x: posterior(Pure(1), x),
}
ORDER: dict[str, Callable[[Any], Any]] = {
    "Rdp order": lambda x: Rdp([(x, 1)]),
    **{f"{type(loss).__name__}.rdp": loss.rdp for loss in (Pure(1), Zcdp(1), Gdp(1), Rdp({2: 1}))},
    "Composition.rdp": compose(Pure(1), Gdp(1)).rdp,
}
POSITIVE: dict[str, Callable[[Any], Any]] = {
    "gaussian sensitivity": lambda x: gaussian_variance(Zcdp(1), x),
    "laplace sensitivity": lambda x: laplace_scale(Pure(1), x),
}
PEOPLE: dict[str, Callable[[Any], Any]] = {
    **{f"{type(loss).__name__}.group": loss.group for loss in (Pure(1), Approx(1, 0), Zcdp(1), Gdp(1), Rdp({64: 1}))},
    "Composition.group": compose(Pure(1), Gdp(1)).group,
    "group_tradeoff": lambda x: group_tradeoff(Gdp(1), x, "0.1"),
    "describe": lambda x: describe(Pure(1), x),
}


@pytest.mark.parametrize("junk", JUNK, ids=repr)
@pytest.mark.parametrize("take", [*EPSILON.items(), *PROBABILITY.items(), *ORDER.items(), *POSITIVE.items(),
                                  *PEOPLE.items()], ids=lambda item: item[0])  # fmt: skip
def test_junk_is_refused(take: tuple[str, Callable[[Any], Any]], junk: Any) -> None:
    with pytest.raises(Refused):
        take[1](junk)


@pytest.mark.parametrize("take", PROBABILITY.values(), ids=PROBABILITY)
def test_no_probability_exceeds_one(take: Callable[[Any], Any]) -> None:
    with pytest.raises(Refused):
        take("1.0000001")


@pytest.mark.parametrize("take", ORDER.values(), ids=ORDER)
@pytest.mark.parametrize("order", [0, "0.5", 1])
def test_no_order_is_one_or_less(take: Callable[[Any], Any], order: Any) -> None:
    with pytest.raises(Refused):
        take(order)


@pytest.mark.parametrize("take", [*POSITIVE.values(), *PEOPLE.values()])
def test_zero_people_and_zero_sensitivity_are_refused(take: Callable[[Any], Any]) -> None:
    with pytest.raises(Refused):
        take(0)


@pytest.mark.parametrize("people", [1.0, "2", 2.5])
def test_people_are_counted_in_integers(people: Any) -> None:
    with pytest.raises(Refused):
        Pure(1).group(people)


HUGE = ["1e100", 10**110, Decimal("1e119"), 1e90]


@pytest.mark.parametrize("huge", HUGE, ids=str)
def test_huge_parameters_cost_everything(huge: Any) -> None:
    for loss in (Pure(huge), Zcdp(huge), Gdp(huge), Rdp({2: huge})):
        assert loss.delta(1) == 1.0
        assert loss.epsilon("1e-5") > 1e80
        assert loss.tradeoff("0.1") <= 1e-30


@pytest.mark.parametrize("huge", HUGE, ids=str)
def test_huge_questions_get_true_answers(huge: Any) -> None:
    assert Pure(1).delta(huge) == 0.0
    assert Gdp(1).delta(huge) <= 5e-324
    assert 0.999 < Pure(1).rdp(huge) <= 1.0
    assert Gdp(1).rdp(huge) >= 1e80
    assert Pure(1).group(10**9) == Pure(10**9)


def test_numpy_numbers_are_numbers() -> None:
    assert Pure(np.float64(0.5)) == Pure("0.5")  # a NumPy float is a float
    assert Pure(1).group(int(np.int64(3))) == Pure(3)
    assert Gdp(1).group(np.int64(2)) == Gdp(4)  # type: ignore[arg-type]  # taken at run time, by `whole`


def test_a_bool_is_no_relation_and_truthy_is_not_fixed() -> None:
    with pytest.raises(Refused):
        parallel([Pure(1)], True)  # type: ignore[arg-type]  # what is tested
    assert parallel([Pure(1), Pure(1)], Relation.REPLACE, fixed="yes") == Pure(2)  # type: ignore[arg-type]  # as above
