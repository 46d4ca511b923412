"""A histogram over public cells: all present, priced at 1 and 2, readable."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.divergence import hockey_stick, violations
from tests.mechanisms.statistics.tally_law import enough, laws_of_neighbours

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss import Approx, Gdp, Loss, Pure, Relation, Zcdp
from tacit.mechanisms.statistics.counts import Sensitivity
from tacit.mechanisms.statistics.histogram import Histogram
from tacit.noise.bits import Seeded

ADD, SWAP = Relation.ADD_REMOVE, Relation.REPLACE


@pytest.mark.parametrize("relation", [ADD, SWAP], ids=str)
@pytest.mark.parametrize("target", [Pure(2), Approx(2, "1e-2"), Zcdp(1), Gdp(2)], ids=str)
def test_neighbours_are_as_close_as_claimed(target: Loss, relation: Relation) -> None:
    cells = Histogram(target, relation, ("a", "b"))
    pairs = laws_of_neighbours(cells, ["a", "b", "c", None, 3])
    assert len(pairs) == (2 if relation is ADD else 3)
    assert violations(cells.loss, pairs) == []


def test_the_laplace_claim_is_attained_at_its_epsilon() -> None:
    """Under replace one count falls and one rises: e^ε is reached, with sensitivity 2 and not less."""
    cells = Histogram(Pure(1), SWAP, ("a", "b"))
    assert cells.sensitivity == (2, 2)
    deltas = [hockey_stick(p, q, 0.99) for p, q in laws_of_neighbours(cells, ["a", "b"])]
    assert max(deltas) > 0


@frozen
class _PricedAtOne(Histogram):
    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(1, 1)


@pytest.mark.parametrize("target", [Pure(1), Gdp(1)], ids=str)
def test_a_price_of_one_under_replace_is_caught(target: Loss) -> None:
    cells = _PricedAtOne(target, SWAP, ("a", "b"))
    assert violations(cells.loss, laws_of_neighbours(cells, ["a", "b"]))


def test_one_cell_moves_by_one_under_both() -> None:
    assert Histogram(Pure(1), SWAP, ("a",)).sensitivity == (1, 1)


def test_the_square_root_of_two_is_rounded_up() -> None:
    cells = Histogram(Gdp(1), SWAP, ("a", "b"))
    assert cells.noise.sensitivity**2 >= 2
    assert cells.noise.sensitivity**2 < 2 + Fraction(1, 2**50)
    assert float(cells.noise.variance) == pytest.approx(2)


def test_every_cell_is_present_in_the_order_of_the_keys() -> None:
    cells = Histogram(Pure(1), ADD, ("z", "a", 3))
    for records in ([], ["a"], ["q", None, 3.0, np.int64(3), "z"], np.array(["a", "z", "zz"])):
        assert list(cells.release(records).counts) == ["z", "a", 3]
    assert cells.tally(["q", None, 3.0, np.int64(3), "z", [1], {}, math.nan, math.inf]) == [1, 0, 2]
    assert cells.tally(np.array([3.0, 3.5, np.nan])) == [0, 0, 1]
    assert Histogram(Pure(1), ADD, (0, 1)).tally(np.array([True, True, False])) == [1, 2]


def test_bins_take_in_their_lower_edge_and_the_last_its_end() -> None:
    bins = Histogram.over_bins(Pure(1), ADD, [0, 1, "2.5", 4])
    assert bins.keys == ("0 to 1", "1 to 2.5", "2.5 to 4")
    assert bins.tally([0, 0.99, 1, 2.5, 4, 4.01, -0.01, math.nan, math.inf, None, "x"]) == [2, 1, 2]


def test_draws_are_independent_and_follow_the_error() -> None:
    """2000 rehearsals: each cell within its own ±, and all at once within the wider one; false alarm 1e-6 each."""
    cells, bits = Histogram(Pure("0.5"), ADD, tuple("abcd")), Seeded(2)
    noise = np.array([cells.rehearse(["a", "a", "b"], bits).value for _ in range(2000)]) - [2, 1, 0, 0]
    for place in range(4):
        assert enough(int((np.abs(noise[:, place]) <= cells.error("0.9")).sum()), 2000, 0.9)
    together = (np.abs(noise) <= cells.error("0.9", cells=4)).all(axis=1)
    assert enough(int(together.sum()), 2000, 0.9)
    assert not enough(int((np.abs(noise) <= cells.error("0.9")).all(axis=1).sum()), 2000, 0.9)
    assert np.abs(np.corrcoef(noise.T) - np.eye(4)).max() < 0.12  # five sigma
    assert cells.error("0.95", cells=4) <= math.ceil(2 * math.log(4 / 0.05))  # the notes' b(ln d + t)


def test_reads_as_a_person_would_want() -> None:
    cells = Histogram(Pure(1), ADD, ("blue", "green", "a\nb"))
    assert str(cells.answer(np.array([1041, 307, -2]))) == (
        "blue    1,041 ± 3\n"
        "green     307 ± 3\n"
        "'a\\nb'     -2 ± 3\n"
        "(95% interval for each cell; ±4 holds for all 3 cells at once; cost ε = 1)"
    )
    low, high = cells.answer(np.array([1041, 307, -2])).interval(together=True)
    assert (list(low), list(high)) == ([1037, 303, 0], [1045, 311, 2])


@pytest.mark.parametrize("keys", [(), ("a", "a"), (1, True), (1.5,), (None,)], ids=str)
def test_senseless_keys_are_refused(keys: tuple[Any, ...]) -> None:
    with pytest.raises(Refused):
        Histogram(Pure(1), ADD, keys)


@pytest.mark.parametrize("edges", [[], [1], [1, 1], [2, 1], [0, math.nan], [0, math.inf]], ids=str)
def test_senseless_edges_are_refused(edges: list[float]) -> None:
    with pytest.raises(Refused):
        Histogram.over_bins(Pure(1), ADD, edges)


def test_cells_are_listed_and_bins_lie_between_edges() -> None:
    for keys in ("abc", 5):
        with pytest.raises(Refused):
            Histogram.for_epsilon(1, Relation.REPLACE, keys)
        with pytest.raises(Refused):
            Histogram(Pure(1), Relation.REPLACE, keys)
    with pytest.raises(Refused):
        Histogram.over_bins(Pure(1), Relation.REPLACE, 5)
    with pytest.raises(Refused):
        Histogram(Pure(1), Relation.REPLACE, ("a",), (0.0, 1.0, 2.0))


def test_a_key_too_long_to_print_is_described() -> None:
    assert str(Histogram.for_epsilon(1, Relation.REPLACE, [10**5000]).rehearse([1], Seeded(1))).startswith(
        "(an integer"
    )
