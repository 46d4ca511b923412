"""A bounded sum: sensitivities by brute force, exact law, no float can change it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.divergence import violations
from tests.mechanisms.statistics.tally_law import enough, laws_of_neighbours, neighbours

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss import Approx, Loss, Pure, Relation, Zcdp
from tacit.mechanisms.statistics.bounded_sum import BoundedSum
from tacit.mechanisms.statistics.counts import Sensitivity
from tacit.noise.bits import Seeded
from tacit.noise.grid import Grid

POISON = [math.nan, math.inf, -math.inf, -0.0, 1e308, -5e-324, 10**400, None, "x", True]
UNIT = Grid(0)


@pytest.mark.parametrize("relation", list(Relation), ids=str)
@pytest.mark.parametrize("target", [Pure(2), Approx(2, "1e-2"), Zcdp(1)], ids=str)
@pytest.mark.parametrize("bounds", [(0, 2), (-1, 2), (-3, -1), (1, 3)], ids=str)
def test_neighbours_are_as_close_as_claimed(target: Loss, relation: Relation, bounds: tuple[int, int]) -> None:
    total = BoundedSum(target, relation, *bounds, grid=UNIT)
    assert violations(total.loss, laws_of_neighbours(total, [-9, 0, 1, 2, *POISON[:4], None])) == []


@pytest.mark.parametrize("relation", list(Relation), ids=str)
@pytest.mark.parametrize("bounds", [(0, 1), (-1, 3), (5, 6), ("-0.3", "-0.1"), (10**6, 10**6 + 1)], ids=str)
def test_sensitivity_by_brute_force(relation: Relation, bounds: tuple[Any, Any]) -> None:
    total = BoundedSum(Pure(1), relation, *bounds)
    pairs = list(neighbours([-9, 7, *POISON[:4], None], 1, relation))
    moved = max(abs(total.tally(b)[0] - total.tally(a)[0]) for a, b in pairs)
    assert moved == total.sensitivity.l1
    low, high = (float(bound) for bound in bounds)
    size = max(abs(low), abs(high)) if relation is Relation.ADD_REMOVE else high - low
    assert moved * float(total.bounds.step) == pytest.approx(size, rel=1e-6)


@frozen
class _ClampForgotten(BoundedSum):
    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(1, 1)


def test_a_sensitivity_that_ignores_the_bounds_is_caught() -> None:
    total = _ClampForgotten(Pure(1), Relation.REPLACE, 0, 2, grid=UNIT)
    assert violations(total.loss, laws_of_neighbours(total, [0, 2]))


@given(st.lists(st.floats(width=64), max_size=30), st.randoms())
def test_order_cannot_change_a_sum(values: list[float], random: Any) -> None:
    """R04, R07: any floats, in any order, as a list or an array."""
    total = BoundedSum(Pure(1), Relation.ADD_REMOVE, "-1.5", 4)
    shuffled = list(values)
    random.shuffle(shuffled)
    assert total.tally(values) == total.tally(shuffled) == total.tally(np.array(values, np.float64))
    clamped = [min(max(value, -1.5), 4) for value in values if not math.isnan(value)]
    assert float(total.tally(values)[0] * total.bounds.step) == pytest.approx(math.fsum(clamped), abs=1e-6)


def test_no_sum_overflows() -> None:
    total = BoundedSum(Pure(1), Relation.ADD_REMOVE, 0, 2**40, grid=UNIT)
    assert total.tally(np.full(3_000_000, np.inf)) == [3_000_000 * 2**40]
    wide = BoundedSum(Pure(1), Relation.ADD_REMOVE, 0, "1e50")
    assert wide.rehearse([1e50] * 4, Seeded(1)).value == pytest.approx(4e50, abs=3e51)


@pytest.mark.parametrize("relation", list(Relation), ids=str)
def test_outputs_lie_on_one_grid(relation: Relation) -> None:
    """R02: the low bits of an answer are those of the step, whatever the data."""
    total = BoundedSum(Pure(1), relation, 0, 1)
    for value in (0, 1, 1 / 3, 2.0**-40):
        answer = total.rehearse([value] * 3, Seeded(5)).value
        assert (answer / float(total.bounds.step)).is_integer()


def test_error_covers_what_it_says() -> None:
    """Exact for the noise; by rehearsal, 2000 intervals of 90% hold the truth (false alarm 1e-6: see tally_law)."""
    total, bits, values = BoundedSum(Approx(1, "1e-6"), Relation.ADD_REMOVE, 0, 10), Seeded(3), [3.25, 8, 12, -4]
    intervals = [total.rehearse(values, bits).interval("0.9") for _ in range(2000)]
    assert enough(sum(low <= 21.25 <= high for low, high in intervals), 2000, 0.9)
    assert total.error("0.9") == pytest.approx(1.645 * math.sqrt(float(total.noise.law.variance)) / 2**30 * 10, rel=0.5)


def test_reads_as_a_person_would_want() -> None:
    total = BoundedSum.for_epsilon(1, Relation.ADD_REMOVE, 0, 100)
    assert str(total.answer(44_194.36)) == "44,194 ± 300  (95% interval; cost ε = 1)"


@pytest.mark.parametrize("bounds", [(None, 1), (0, None), (1, 1), (2, 1), (math.nan, 1), (0, math.inf), (True, 2)])
def test_missing_or_senseless_bounds_are_refused(bounds: tuple[Any, Any]) -> None:
    """R15: no bound is ever taken from the data."""
    with pytest.raises(Refused):
        BoundedSum(Pure(1), Relation.ADD_REMOVE, *bounds)


def test_a_grid_that_does_not_fit_is_refused() -> None:
    for grid in (Grid(5), Grid(-60)):
        with pytest.raises(Refused, match="grid"):
            BoundedSum(Pure(1), Relation.REPLACE, 0, 1, grid=grid)


def test_what_is_no_grid_is_refused() -> None:
    for grid in (0.5, -10, "a"):
        with pytest.raises(Refused):
            BoundedSum(Pure(1), Relation.REPLACE, 0, 1, grid)
