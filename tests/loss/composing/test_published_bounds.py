"""The published closed forms: sound on a grid, in their right order, and beside the exact value."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.loss import Approx, Pure
from tacit.loss.composition.published_bounds import (
    advanced_bound,
    basic_bound,
    compare_bounds,
    kov_bound,
    slack_within,
    total_delta,
)
from tacit.loss.pairs.optimal_composition import MixedApprox
from tacit.loss.pairs.repeated_approx import RepeatedApprox

GRID = list(product(["0.01", "0.1", "1", "3"], ["0", "1e-6", "0.01"], [1, 2, 7, 100, 1000], ["1e-12", "1e-6", "0.01"]))


@pytest.mark.parametrize(("epsilon", "delta", "k", "slack"), GRID)
def test_no_bound_is_below_exact(epsilon: str, delta: str, k: int, slack: str) -> None:
    part = Approx(epsilon, delta)
    exact = RepeatedApprox(epsilon, delta, k)
    for bound in (basic_bound([part] * k), advanced_bound(part, k, slack), kov_bound([part] * k, slack)):
        assert exact.delta_between(bound.exact_epsilon)[0] <= bound.exact_delta


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 20), st.sampled_from(["0", "0.001", "0.1"])), min_size=1, max_size=8),
    st.sampled_from(["1e-9", "1e-3", "0.3"]),
)
def test_the_bound_for_different_parts_is_not_below_exact(parts: list[tuple[int, str]], slack: str) -> None:
    listed = [Approx(Fraction(tenths, 10), delta) for tenths, delta in parts]
    bound = kov_bound(listed, slack)
    assert MixedApprox(listed).delta_between(bound.exact_epsilon)[0] <= bound.exact_delta


def test_the_comparison_of_note_001() -> None:
    """30 × (0.1, 0.001): exact < KOV < advanced < basic."""
    found = compare_bounds(Approx("0.1", "0.001"), 30, "0.035")
    assert list(found) == ["basic", "advanced", "KOV closed form", "exact"]
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert found["basic"] == 3.0
    slack = 0.035 - 0.03
    assert found["advanced"] == pytest.approx(0.1 * math.sqrt(60 * math.log(1 / slack)) + 3 * math.expm1(0.1))
    assert found["exact"] == pytest.approx(1.157007168, abs=1e-9)


def test_below_the_total_of_the_parts_nothing_holds() -> None:
    assert set(compare_bounds(Approx("0.1", "0.001"), 30, "0.02").values()) == {math.inf}


def test_totals() -> None:
    parts = [Approx(1, "0.1"), Approx(2, "0.2")]
    assert total_delta(parts, "0.5") == pytest.approx(1 - 0.9 * 0.8 * 0.5)
    assert float(total_delta(parts, "0.5")) >= 1 - 0.9 * 0.8 * 0.5
    slack = slack_within(parts, "0.5")
    assert slack is not None
    assert total_delta(parts, slack) <= Fraction("0.5") + Fraction(1, 10**15)
    assert slack == pytest.approx(1 - 0.5 / 0.72)
    assert slack_within(parts, "0.28") is None
    assert slack_within(parts, 1) is None


def test_no_parts_and_large_numbers() -> None:
    assert basic_bound([]) == Approx(0, 0)
    assert kov_bound([Pure("0.001")] * 100_000, "1e-6").exact_epsilon < 3
    assert basic_bound([Approx(1, "0.6")] * 2).exact_delta == 1


@pytest.mark.parametrize("slack", [0, 1, -1, math.nan, math.inf, "x"])
def test_what_is_no_slack_is_refused(slack: float) -> None:
    """R08."""
    with pytest.raises(Refused):
        kov_bound([Pure(1)], slack)
    with pytest.raises(Refused):
        advanced_bound(Pure(1), 3, slack)
