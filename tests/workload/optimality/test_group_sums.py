"""The optimum of sums by groups: compared with a descent over covariances, from neighbours' differences only."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from tacit.errors import Refused
from tacit.workload.optimality.group_sums import PersonalMove

Matrix = NDArray[np.float64]


def differences(move: PersonalMove) -> Matrix:
    """Every difference of two neighbours that the move allows, one a row."""
    unit, most = np.eye(move.groups), float(move.most)
    if move.is_replaced:
        moved = [most * (unit[i] - unit[j]) for i, j in combinations(range(move.groups), 2)]
        rows = [*moved, *(float(move.between) * unit)]
    else:
        rows = [most * sum(unit[j] for j in chosen) for chosen in _sets(move)]
    return np.array([row for row in rows if np.any(row)])


def _sets(move: PersonalMove) -> Iterable[tuple[int, ...]]:
    sizes = range(1, min(move.spread, move.groups) + 1)
    return (chosen for size in sizes for chosen in combinations(range(move.groups), size))


def least_found(moves: Matrix, starts: int = 3) -> float:
    """The least tr Σ with vᵀΣ⁻¹v ≤ 1 for every row v: Σ⁻¹ = LLᵀ, scaled until the worst row has 1."""
    groups, random = moves.shape[1], np.random.default_rng(5)

    def trace(flat: Matrix, power: float) -> float:
        root = flat.reshape(groups, groups)
        norms = ((moves @ root) ** 2).sum(axis=1)
        top = norms.max()
        worst = float(top * ((norms / top) ** power).sum() ** (1 / power))  # falls to the largest as the power grows
        return worst * float(np.trace(np.linalg.inv(root @ root.T + 1e-10 * np.eye(groups))))

    found = []
    for _ in range(starts):
        at = np.eye(groups).ravel() + random.normal(scale=0.2, size=groups * groups)
        for power in (8.0, 64.0, 1024.0):
            at = minimize(trace, at, args=(power,), method="L-BFGS-B", options={"maxiter": 2000}).x
        found.append(trace(at, np.inf))
    return min(found)


CASES = [
    PersonalMove(3, Fraction(1)),
    PersonalMove(3, Fraction(5, 2)),
    PersonalMove(4, Fraction(1), spread=2),
    PersonalMove(4, Fraction(1), spread=3),
    PersonalMove(4, Fraction(1), spread=9),
    PersonalMove(5, Fraction(2), spread=5),
    PersonalMove(3, Fraction(1), is_replaced=True),
    PersonalMove(1, Fraction(1), is_replaced=True, between=Fraction(1)),
    PersonalMove(2, Fraction(1), is_replaced=True, between=Fraction(2)),
]


@pytest.mark.parametrize("move", CASES)
def test_nothing_that_a_descent_finds_is_below_it(move: PersonalMove) -> None:
    bound, found = float(move.optimum_down()), least_found(differences(move))
    assert bound <= found * (1 + 1e-4)
    assert not 2 * bound <= found  # a bound that is a factor of 2 too high is caught, for every move
    if not move.is_replaced:
        assert found <= bound * 1.005  # under add/remove it is the optimum, not merely below it
        assert not 1.02 * bound <= found


def test_a_person_in_every_group_is_not_one_in_any_group() -> None:
    """All groups at once is one difference of norm √G; half of them is the worst."""
    one, half, every = (float(PersonalMove(100, Fraction(1), spread=s).optimum_down()) for s in (1, 55, 100))
    assert one == pytest.approx(100)
    assert half == pytest.approx(every)
    assert half == pytest.approx(((99 * 0.55 * 45) ** 0.5 + 30.25**0.5) ** 2)


def test_what_neighbours_may_do_to_one_group() -> None:
    assert PersonalMove(5, Fraction(3)).in_one_group == 3
    assert PersonalMove(5, Fraction(3), is_replaced=True).in_one_group == 3
    assert PersonalMove(1, Fraction(3), is_replaced=True).in_one_group == 0
    assert PersonalMove(1, Fraction(3), is_replaced=True, between=Fraction(4)).in_one_group == 4


def test_a_total_under_replace_has_no_bound() -> None:
    """The number of people is public then."""
    assert PersonalMove(1, Fraction(1), is_replaced=True).optimum_down() == 0


def test_it_is_rounded_down() -> None:
    found = PersonalMove(2, Fraction(1), spread=2).optimum_down()  # p = 3/2, q = 1/2
    assert Fraction(8, 3) * (1 - Fraction(1, 10**9)) < found <= Fraction(8, 3)
    assert PersonalMove(7, Fraction(3)).optimum_down() <= 63


@pytest.mark.parametrize("given", [(0, 1, 1), (1, -1, 1), (1, 1, 0)])
def test_moves_that_are_none_are_refused(given: tuple[int, int, int]) -> None:
    with pytest.raises(Refused):
        PersonalMove(given[0], Fraction(given[1]), given[2])
