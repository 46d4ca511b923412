"""Answers at the end of what 64 bits hold say that the value may lie beyond, from the noisy number alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tacit.errors import Refused
from tacit.loss import Relation, Zcdp
from tacit.mechanisms import Gaussian, Laplace, Staircase
from tacit.mechanisms.additive.additive_mechanism import Additive
from tacit.noise.bits import Seeded
from tacit.noise.grid import Grid

ADD = Relation.ADD_REMOVE
INTEGERS = Laplace.for_epsilon(1, 1, ADD)
MECHANISMS = [
    lambda: INTEGERS,
    lambda: Laplace.for_epsilon(1, 1, ADD, grid=Grid(-10)),
    lambda: Laplace.for_epsilon(1, 1, ADD, grid=Grid(4)),
    lambda: Gaussian.for_loss(Zcdp(1), 1, ADD, grid=Grid(-10)),
    lambda: Staircase.for_epsilon(1, 1, ADD),
    lambda: Staircase.for_epsilon(1, 1, ADD, grid=Grid(-10)),
    lambda: Staircase.for_epsilon(1, 1, ADD, grid=Grid(4)),
]


@pytest.mark.parametrize("make", MECHANISMS)
@pytest.mark.parametrize("value", [10**30, -(10**30), math.inf, -math.inf, 1e300])
def test_a_value_beyond_the_end_is_never_said_to_be_near_it(
    make: Callable[[], Additive | Staircase], value: Any
) -> None:
    mechanism = make()
    if mechanism.grid is None and isinstance(value, float):
        with pytest.raises(Refused):
            mechanism.rehearse(value, Seeded(0))
        return
    for seed in range(40):
        answer = mechanism.rehearse(value, Seeded(seed))
        low, high = answer.interval("0.999999")
        assert low <= value <= high
        assert "saturated" in answer.describe("0.999999")
        assert ("or more" if value > 0 else "or less") in answer.describe("0.999999")


def test_the_words_at_the_usual_confidence() -> None:
    """Of 200 answers about one in twenty leaves its 95% interval, as ever."""
    said = [str(INTEGERS.rehearse(10**30, Seeded(seed))) for seed in range(200)]
    assert sum("saturated" in words for words in said) > 180
    assert not any("saturated" in str(INTEGERS.rehearse(value, Seeded(1))) for value in (0, 10**15, -(10**18)))


@pytest.mark.parametrize(("value", "words"), [(10**30, "or more"), (-(10**30), "or less")])
def test_an_open_interval_is_said_by_its_end(value: int, words: str) -> None:
    """Not by the noisy number, below which the value may well lie."""
    for seed in range(20):
        answer = INTEGERS.rehearse(value, Seeded(seed))
        half = INTEGERS.error("0.999999")
        end = answer.value - half if value > 0 else answer.value + half
        assert answer.describe("0.999999").startswith(f"{int(end):,} {words}  (")


def test_cells_of_an_array_are_told_apart() -> None:
    answer = INTEGERS.rehearse(np.array([5, 2**62 - 1, -(2**62) + 1]), Seeded(3))
    low, high = answer.interval("0.999999")
    assert math.isfinite(high[0])
    assert (high[1], low[2]) == (math.inf, -math.inf)
    assert [line.split(" ")[1] for line in answer.describe("0.999999").splitlines()] == ["±", "or", "or"]
