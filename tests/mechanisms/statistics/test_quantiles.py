"""Quantiles: one price for all, ranks by the fewest counts, and intervals that hold the truth."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.divergence import violations
from tests.mechanisms.statistics.tally_law import enough, neighbours, output_law

from tacit.errors import Refused
from tacit.loss import Approx, Loss, Pure, Relation, Zcdp
from tacit.mechanisms.statistics.quantiles import Quantiles
from tacit.mechanisms.statistics.rank_tree import FAN, RankTree
from tacit.noise.bits import Seeded
from tacit.noise.discrete_laplace import DiscreteLaplace

ADD, SWAP = Relation.ADD_REMOVE, Relation.REPLACE
POISON = [math.nan, math.inf, -math.inf, None, "x", 10**400]


@pytest.mark.parametrize("relation", [ADD, SWAP], ids=str)
@pytest.mark.parametrize("levels", [1, 2, 3])
def test_sensitivity_by_brute_force(relation: Relation, levels: int) -> None:
    rule = Quantiles(Pure(1), relation, 0, 1, people=1 if relation is SWAP else None, levels=levels)
    domain = [0, 0.031, 0.5, 0.52, 0.999, *POISON]
    moves = [
        np.array(rule.tally(other), object) - np.array(rule.tally(one), object)
        for one, other in neighbours(domain, 0, relation)
    ]
    assert max(np.abs(move).sum() for move in moves) == rule.sensitivity.l1
    assert max((move**2).sum() for move in moves) == rule.sensitivity.l2_squared


def test_neighbours_are_as_close_as_claimed() -> None:
    """The counts that one person moves, noise in whole people, a window of outputs; half the scale is caught."""
    for relation, moves in ((ADD, [(1, 1)]), (SWAP, [(1, -1, 1, -1), (0, 0, 1, -1)])):
        rule = Quantiles(Pure(8), relation, 0, 1, people=1 if relation is SWAP else None, levels=2)
        scale = rule.noise.law.scale / 1024  # the same noise, were it in whole people
        window = range(-9, 10) if relation is ADD else range(-4, 5)
        for law, holds in ((DiscreteLaplace(scale), True), (DiscreteLaplace(scale / 2), False)):
            still = output_law(law, [0] * len(moves[0]), window)
            pairs = [(still, output_law(law, move, window)) for move in moves]
            assert (violations(Pure(8), pairs) == []) is holds


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_ranks_without_noise_are_exact(levels: int) -> None:
    """Either side of every edge adds up to the same rank, by no more than 15 counts a level."""
    rule = Quantiles(Pure(1), ADD, 0, 1, levels=levels)
    values = np.random.default_rng(levels).beta(2, 5, 500)
    tree = RankTree(rule.noise, np.array(rule.tally(values), float), levels, None)
    below, above = tree._sums
    ranks = [1024 * int((values < edge).sum()) for edge in rule.edges[1:-1]]
    assert list(below) == ranks
    assert list(above) == [1024 * 500 - rank for rank in ranks]
    assert tree._sides[1].max() <= (FAN // 2) * levels
    for share in (0.1, 0.5, 0.77):
        truth = float(np.quantile(values, share, method="inverted_cdf"))
        assert rule.edges[tree.cell(share)] <= truth <= rule.edges[tree.cell(share) + 1]


CASES: list[tuple[Loss, Relation, int, int]] = [
    (Pure(1), ADD, 200, 2),
    (Pure(1), SWAP, 300, 2),
    (Approx(1, "1e-5"), ADD, 300, 1),
    (Zcdp("0.1"), SWAP, 400, 3),
]


@pytest.mark.parametrize(("target", "relation", "people", "levels"), CASES, ids=str)
def test_intervals_hold_the_truth(target: Loss, relation: Relation, people: int, levels: int) -> None:
    """300 rehearsals, three quantiles each; false alarm 1e-6 each. (The long test has 4000.)"""
    _hold(target, relation, people, levels, 300)


@pytest.mark.long
@pytest.mark.parametrize(("target", "relation", "people", "levels"), CASES, ids=str)
def test_intervals_hold_the_truth_long(target: Loss, relation: Relation, people: int, levels: int) -> None:
    _hold(target, relation, people, levels, 4000)


def _hold(target: Loss, relation: Relation, people: int, levels: int, trials: int) -> None:
    values = np.random.default_rng(5).normal(45, 15, people).clip(0, 100)
    rule = Quantiles(target, relation, 0, 100, people=people if relation is SWAP else None, levels=levels)
    truth = np.quantile(values, [0.25, 0.5, 0.75], method="inverted_cdf")
    bits = Seeded(31)
    held, width = np.zeros(3, int), []
    for _ in range(trials):
        answer = rule.rehearse(values, bits)
        low, high = answer.interval()
        held += (low <= truth) & (truth <= high)
        width.append(high - low)
        assert ((low <= answer.value) & (answer.value <= high)).all()
        assert (np.diff(answer.value) >= 0).all()
    assert all(enough(int(count), trials) for count in held)
    assert np.median(width) < 60


def test_more_people_narrow_the_interval_to_a_few_cells() -> None:
    values = np.random.default_rng(6).normal(45, 15, 200_000)
    answer = Quantiles.for_epsilon(1, ADD, 0, 100).rehearse(values, Seeded(1))
    assert (answer.error() <= 100 / 256).all()
    assert answer.value == pytest.approx(np.quantile(values, [0.25, 0.5, 0.75]), abs=100 / 256)


def test_one_price_for_any_number_of_quantiles() -> None:
    few = Quantiles.for_epsilon(1, ADD, 0, 1, ["0.5"])
    many = Quantiles.for_epsilon(1, ADD, 0, 1, [Fraction(k, 100) for k in range(1, 100)])
    assert few.loss == many.loss
    assert few.loss.epsilon(0) == 1


def test_error_is_a_rank() -> None:
    rule = Quantiles.for_epsilon(1, SWAP, 0, 1, people=100)
    counts, scale = 15, 4  # at most 15 counts a rank, each with noise of scale 2·levels/ε
    assert rule.error() == pytest.approx(1.96 * math.sqrt(2 * counts) * scale, rel=0.05)
    assert rule.error("0.5") < rule.error("0.99")


def test_reads_as_a_person_would_want() -> None:
    values = np.random.default_rng(1).normal(45, 15, 1000)
    text = str(Quantiles.for_epsilon(1, ADD, 0, 100).rehearse(values, Seeded(2)))
    first, second, third, terms = text.split("\n")
    assert first.startswith("   25%  3")
    assert second.startswith("median  4")
    assert third.startswith("   75%  5")
    assert ", between " in second
    assert terms == "(95% interval; cost ε = 1)"
    hopeless = str(Quantiles.for_epsilon("0.001", ADD, 0, 100).rehearse(values, Seeded(2)))
    assert "median  too few people to say; between 0 and 100" in hopeless


@pytest.mark.parametrize(
    "options",
    [
        {"quantiles": ()},
        {"quantiles": (0,)},
        {"quantiles": (1,)},
        {"quantiles": (math.nan,)},
        {"levels": 0},
        {"levels": 5},
        {"people": 3},
        {"lower": 2},
        {"upper": None},
    ],
    ids=str,
)
def test_refusals(options: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        Quantiles(Pure(1), ADD, **{"lower": 0, "upper": 1, **options})
    with pytest.raises(Refused, match="3 records"):
        Quantiles(Pure(1), SWAP, 0, 1, people=3).release([1])


def test_quantiles_are_listed() -> None:
    for wrong in ("0.5", 0.5, 5):
        with pytest.raises(Refused):
            Quantiles.for_epsilon(1, Relation.ADD_REMOVE, 0, 1, wrong)
        with pytest.raises(Refused):
            Quantiles(Pure(1), Relation.ADD_REMOVE, 0, 1, wrong)
