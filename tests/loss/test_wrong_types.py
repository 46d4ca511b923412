"""Values that are not a loss, a list or a function are refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tacit import loss as losses
from tacit.errors import Refused

_ONE = losses.Pure(1)
_CALLS: list[Callable[[Any], object]] = [
    losses.account,
    losses.Composition,
    losses.compose,
    losses.Worst,
    losses.worst,
    losses.optimal_composition,
    losses.Rdp,
    losses.FinitePair,
    losses.describe,
    losses.cost,
    losses.guess_probability,
    losses.utility_change,
    lambda bad: losses.posterior(bad, "0.5"),
    lambda bad: losses.parallel(bad, losses.Relation.REPLACE),
    lambda bad: losses.dominates(_ONE, bad),
    lambda bad: losses.dominates(bad, bad),
    lambda bad: losses.meets(bad, _ONE),
    lambda bad: losses.group_tradeoff(bad, 2, "0.1"),
    lambda bad: losses.compare_bounds(bad, 3, "0.1"),
    lambda bad: losses.least(bad, _ONE),
    lambda bad: losses.least_parameter(bad, 1, "1e-5"),
    lambda bad: losses.largest_rate(bad, 1, "1e-5"),
    lambda bad: losses.most_times(bad, 1, "1e-5"),
]


@pytest.mark.parametrize("bad", [float("nan"), True, -1, "abc", None, 1j, [1], [(1,)]], ids=str)
@pytest.mark.parametrize("call", _CALLS)
def test_wrong_types_are_refused(call: Callable[[Any], object], bad: object) -> None:
    with pytest.raises(Refused):
        call(bad)


def test_a_cost_may_be_asked_at_any_written_delta() -> None:
    assert losses.cost(losses.Gdp(1), "1e-6") == losses.cost(losses.Gdp(1))
