"""The truncated geometric mechanism: its loss by enumeration, its optimality by linear programming, its limit."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise, product

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.divergence import Law, violations
from tests.goodness import FALSE_ALARM, fit

from tacit.errors import Refused
from tacit.loss.families.loss import Relation
from tacit.mechanisms.additive.laplace import TruncatedGeometric, best_remap
from tacit.noise.bits import Seeded

BOTH = (Relation.ADD_REMOVE, Relation.REPLACE)


def law_of(mechanism: TruncatedGeometric, count: int) -> Law:
    return {output: float(mechanism.probability(count, output)) for output in range(mechanism.limit + 1)}


@pytest.mark.parametrize("epsilon", ["0.1", 1, 3])
@pytest.mark.parametrize("limit", [0, 1, 2, 4])
def test_the_loss_holds_between_all_counts(epsilon: str | int, limit: int) -> None:
    mechanism = TruncatedGeometric.for_epsilon(epsilon, limit, Relation.REPLACE)
    laws = [law_of(mechanism, count) for count in range(limit + 1)]
    assert all(math.fsum(law.values()) == pytest.approx(1, abs=1e-13) for law in laws)
    assert violations(mechanism.loss, list(pairwise(laws))) == []
    wide = TruncatedGeometric.for_epsilon(epsilon, limit, Relation.REPLACE, sensitivity=3)
    laws = [law_of(wide, count) for count in range(limit + 1)]
    assert violations(wide.loss, [(a, b) for i, a in enumerate(laws) for b in laws[i : i + 4]]) == []


def test_truncation_loses_nothing_of_the_loss() -> None:
    """The two laws at any neighbouring counts have exactly the δ of the untruncated noise."""
    mechanism = TruncatedGeometric.for_epsilon(1, 5, Relation.REPLACE)
    near, far = law_of(mechanism, 2), law_of(mechanism, 3)
    for epsilon in (0.0, 0.4, 0.9):
        exact = math.fsum(max(0.0, p - math.exp(epsilon) * far[x]) for x, p in near.items())
        assert mechanism.loss.delta(epsilon) == pytest.approx(exact, abs=1e-13)


def test_broken_twins_are_caught() -> None:
    claimed = TruncatedGeometric.for_epsilon(1, 4, Relation.REPLACE)
    halved = TruncatedGeometric.for_epsilon(2, 4, Relation.REPLACE)
    assert violations(claimed.loss, [(law_of(halved, 1), law_of(halved, 2))])


def test_a_private_limit_reveals_everything() -> None:
    """Under add/remove the number of people is private: limits 3 and 4 are told apart by the output 4, ε = ∞."""
    fewer, more = (TruncatedGeometric.for_epsilon(1, limit, Relation.ADD_REMOVE) for limit in (3, 4))
    assert violations(fewer.loss, [(law_of(fewer, 3), law_of(more, 4))])
    assert law_of(more, 4)[4] > 0.5
    assert 4 not in law_of(fewer, 3)


PENALTIES: list[Callable[[int, int], float]] = [
    lambda count, guess: abs(count - guess),
    lambda count, guess: (count - guess) ** 2,
    lambda count, guess: float(count != guess),
]
PRIORS = [(1.0, 1.0, 1.0, 1.0), (8.0, 4.0, 2.0, 1.0), (1.0, 0.0, 0.0, 1.0), (0.1, 3.0, 1.0, 0.5)]


@pytest.mark.parametrize(("prior", "penalty"), list(product(PRIORS, PENALTIES)))
def test_no_private_mechanism_is_more_useful(prior: tuple[float, ...], penalty: Callable[[int, int], float]) -> None:
    """The least expected penalty of *any* ε-private mechanism, by linear programming, is attained after the remap."""
    mechanism, factor, counts = TruncatedGeometric.for_epsilon(1, 3, Relation.REPLACE), math.e, range(4)
    remap = best_remap(mechanism, prior, penalty)
    ours = sum(
        prior[count] * float(mechanism.probability(count, output)) * penalty(count, remap[output])
        for count, output in product(counts, counts)
    )
    price = [prior[count] * penalty(count, guess) for count, guess in product(counts, counts)]
    rows = []
    for count, guess, other in product(counts, counts, counts):
        if abs(count - other) == 1:
            row = np.zeros((4, 4))
            row[count, guess], row[other, guess] = 1, -factor
            rows.append(row.ravel())
    total = np.kron(np.eye(4), np.ones(4))
    best = linprog(price, A_ub=np.array(rows), b_ub=np.zeros(len(rows)), A_eq=total, b_eq=np.ones(4)).fun
    assert ours == pytest.approx(best, abs=1e-7)


@pytest.mark.parametrize("count", [0, 3, 10, -5, 99])
def test_the_code_follows_the_law(count: int) -> None:
    """Chi-square, false-alarm rate FALSE_ALARM; counts beyond the limits are moved to them."""
    mechanism = TruncatedGeometric.for_epsilon("0.5", 10, Relation.ADD_REMOVE)
    draws = mechanism.rehearse(np.full(50_000, count), Seeded(1)).value
    assert fit(draws, mechanism.law_at(count), 0, 9) > FALSE_ALARM
    assert fit(mechanism.law_at(count).draw(50_000, Seeded(2)), mechanism.law_at(count), 0, 9) > FALSE_ALARM


@pytest.mark.parametrize("limit", [0, 1, 5, 8, 30])
@pytest.mark.parametrize("confidence", ["0.5", "0.9", "0.99"])
def test_error_is_the_exact_quantile_at_the_worst_count(limit: int, confidence: str) -> None:
    mechanism = TruncatedGeometric.for_epsilon("0.7", limit, Relation.REPLACE)
    error = mechanism.error(confidence)

    def coverage(t: int) -> float:
        laws = ((count, law_of(mechanism, count)) for count in range(limit + 1))
        return min(math.fsum(p for y, p in law.items() if abs(y - count) <= t) for count, law in laws)

    assert coverage(error) >= float(confidence) - 1e-12
    assert error == 0 or coverage(error - 1) < float(confidence)


@pytest.mark.parametrize("relation", BOTH)
def test_shapes_and_prints(relation: Relation) -> None:
    mechanism = TruncatedGeometric.for_epsilon(1, 10, relation)
    assert isinstance(mechanism.release(4).value, int)
    assert mechanism.release(np.array([[1, 2], [3, 4]])).value.shape == (2, 2)
    assert "ε = 1" in str(mechanism.release(4))
    assert mechanism.rehearse(2**80, Seeded(1)).value <= 10


def test_refusals() -> None:
    for wrong in (0, -1, float("nan"), float("inf"), True, "x", None):
        with pytest.raises(Refused):
            TruncatedGeometric.for_epsilon(wrong, 4, Relation.REPLACE)
    for wrong in (-1, 1.5, True, 2**70, None):
        with pytest.raises(Refused):
            TruncatedGeometric.for_epsilon(1, wrong, Relation.REPLACE)
    mechanism = TruncatedGeometric.for_epsilon(1, 4, Relation.REPLACE)
    for value in (1.5, True, "x"):
        with pytest.raises(Refused):
            mechanism.rehearse(value, Seeded(1))
    with pytest.raises(Refused):
        best_remap(mechanism, [1.0], PENALTIES[0])
    with pytest.raises(Refused):
        TruncatedGeometric.for_epsilon(1, 4, Relation.REPLACE, sensitivity="1/2")
